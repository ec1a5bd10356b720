"""Settings: where they come from, and what a stranger's vault may not say. Finding the vault."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, memory, no_longer_than, note, one_line, states
from hypothesis import assume, given
from hypothesis import strategies as st

from vault_mem import Vault
from vault_mem.vault.folder import Folder
from vault_mem.vault.walk import is_ignored


def write(root: Path, text: str) -> None:
    (root / "vault-mem.toml").write_text(f'timezone = "Asia/Tokyo"\n{text}')


# ---- which vault


def test_where_the_vault_is_found(cli: Command, root: Path, tmp_path: Path, env: dict[str, str]) -> None:
    # --vault, VAULT_MEM_VAULT, upwards from here, the user's default
    other = tmp_path / "other"
    Vault.init(other, env=env)
    deep = root / "memories" / "2026-11"
    deep.mkdir(parents=True)
    inside = Command(deep, env)
    assert inside.json("status")["vault"] == str(root)
    assert inside.json("status", env={"VAULT_MEM_VAULT": str(other)})["vault"] == str(other)
    assert inside.json("status", "--vault", str(other))["vault"] == str(other)
    assert inside.json("--vault", "../../../other", "status")["vault"] == str(other)
    named = inside.json("status", "--vault", str(root), env={"VAULT_MEM_VAULT": str(other)})
    assert named["vault"] == str(root)


def test_through_a_symbolic_link_it_is_the_same_vault(cli: Command, root: Path, tmp_path: Path) -> None:
    # the index is keyed by the vault's real path
    (tmp_path / "alias").symlink_to(root)
    cli.run("remember", "Once")
    assert cli.run("--vault", str(tmp_path / "alias"), "remember", "Once").code == 3
    assert len(list(Path(cli.env["VAULT_MEM_INDEX_DIR"]).iterdir())) == 1


def test_the_index_is_not_in_the_vault(root: Path, tmp_path: Path) -> None:
    # in the user's cache folder (XDG)
    env = {"HOME": str(tmp_path / "h"), "VAULT_MEM_DEBUG": "1"}
    assert Vault(root, env=env).status().index_dir.is_relative_to(tmp_path / "h/.cache/vault-mem")
    env["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    assert Vault(root, env=env).status().index_dir.is_relative_to(tmp_path / "cache/vault-mem")
    assert set(contents(root)) == {".gitignore", "vault-mem.toml"}


# ---- what a file may say


def test_the_user_wins_over_the_vault(cli: Command, root: Path) -> None:
    write(root, "max_links = 3\n")
    file = Path(cli.env["HOME"]) / ".config/vault-mem/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("max_links = 7\n")
    assert cli.json("config", "get", "max_links")["max_links"] == {
        "value": 7,
        "source": str(file),
        "doc": "maximum number of links a new memory gets",
    }


def test_a_strangers_vault_does_not_choose_model_or_index(cli: Command, root: Path, tmp_path: Path) -> None:
    # read only from the user's config or environment; ignored with a warning
    write(root, f'model = "{tmp_path}/evil"\nindex_dir = "{tmp_path}/evil"\nvault = "/"\n')
    answer = cli.run("status", "--json")
    assert answer.code == 0
    assert answer.json["model"] == "built-in"
    assert "model is ignored in a vault" in answer.err
    assert "index_dir is ignored in a vault" in answer.err
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("setting", ["memories_folder", "private_folder", "episodes_folder"])
@pytest.mark.parametrize("way", ["..", "symlink"])
def test_a_strangers_vault_does_not_reach_outside(
    cli: Command, root: Path, tmp_path: Path, setting: str, way: str
) -> None:
    # V-7: neither read nor written, not even by a folder that is a link out of the vault
    outside = note(tmp_path, "outside/notes/diary.md", "A secret about giraffes")
    (root / "link").symlink_to(tmp_path / "outside")
    write(root, f'{setting} = "{"../outside/notes" if way == ".." else "link/notes"}"\nquiet_seconds = 0\n')
    before = states(tmp_path / "outside")
    answers = [
        cli.run("recall", "giraffes"),
        cli.run("list"),
        cli.run("remember", "x"),
        cli.run("remember", "y", "--private"),
    ]
    for answer in answers:
        assert "giraffes" not in answer.out
        assert "Traceback" not in answer.err
    assert states(tmp_path / "outside") == before
    assert outside.read_text() == "A secret about giraffes"


@pytest.mark.parametrize("include", ["../outside/**", "link/**", "link/notes/*.md", "sub/../../outside/**", "/OUT/**"])
def test_include_does_not_reach_outside(cli: Command, root: Path, tmp_path: Path, include: str) -> None:
    # V-7
    note(tmp_path, "outside/notes/diary.md", "A secret about giraffes")
    (root / "link").symlink_to(tmp_path / "outside")
    write(root, f'include = ["{include.replace("/OUT", str(tmp_path / "outside"))}"]\n')
    answer = cli.run("recall", "giraffes")
    assert answer.code == 0
    assert "giraffes" not in answer.out


def test_views_do_not_become_notes(cli: Command, root: Path) -> None:
    for key in ("memory/2026-11-15.md", "MEMORY.md", "SELF.md", "notes/a.md"):
        note(root, key, "Something about giraffes")
    memory(root, "memories/b.md", "mem_00000000000b", "Own giraffes")
    write(root, 'include = ["**/*.md", "*.md"]\n')
    found = {each["path"] for each in cli.json("recall", "giraffes", "-n", "20")["results"]}
    assert found == {"notes/a.md", "memories/b.md"}


@pytest.mark.parametrize("pattern", ["**/" * 30 + "x.md", "**/d/" * 12 + "x.md", "*d" * 20 + "x.md", "**d*" * 12 + "x"])
@pytest.mark.parametrize("setting", ["ignore", "include"])
def test_patterns_cost_linear_time(cli: Command, root: Path, setting: str, pattern: str) -> None:
    # S-1: a stranger's settings hang nothing, however deep the folders and however clever the pattern
    note(root, f"memories/{'d/' * 40}{'d' * 200}.md", "Deep down")
    write(root, f'{setting} = ["{pattern}"]\n')
    with no_longer_than(60):
        assert cli.json("status")["memories"] == 1


def by_hand(pattern: str, path: str) -> bool:
    """What a glob means, told as slowly and plainly as can be."""
    if not pattern:
        return not path
    if pattern.startswith("**/"):
        places = [0, *(place + 1 for place, sign in enumerate(path) if sign == "/")]
        return any(by_hand(pattern[3:], path[place:]) for place in places)
    if pattern.startswith("*"):
        across = pattern.startswith("**")
        reach = len(path) if across else (path + "/").index("/")
        return any(by_hand(pattern[1 + across :], path[place:]) for place in range(reach + 1))
    fits = bool(path) and (pattern[0] == path[0] or (pattern[0] == "?" and path[0] != "/"))
    return fits and by_hand(pattern[1:], path[1:])


@given(
    pattern=st.lists(st.sampled_from(["a", "b", "*", "?", "/", "/**/", "a**b"]), min_size=1, max_size=7).map("".join),
    path=st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=5).map("/".join),
)
def test_what_a_pattern_means(tmp_path_factory: pytest.TempPathFactory, pattern: str, path: str) -> None:
    pattern = re.sub("/+", "/", pattern).strip("/")
    assume(re.search("[*?/]", pattern) and not re.search(r"\*{3}|[^/]\*\*/|/\*\*$", pattern))
    root = tmp_path_factory.mktemp("globs")
    write(root, f'ignore = ["{pattern}"]\n')
    key = f"n/{path}"
    anywhere = [0, *(place + 1 for place, sign in enumerate(key) if sign == "/")]
    assert is_ignored(Folder(root), key) == any(by_hand(pattern, key[place:]) for place in anywhere)


def test_unknown_settings_are_named(cli: Command, root: Path) -> None:
    write(root, "dedup_treshold = 0.1\n")
    answer = cli.run("list")
    assert answer.code == 0
    assert (
        answer.err
        == "note: vault-mem.toml: unknown setting 'dedup_treshold' is ignored; did you mean dedup_threshold?\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "dedup_threshold = 'low'",
        "dedup_threshold = 7",
        "dedup_threshold = nan",
        "max_links = true",
        "max_links = 2.5",
        "include = 'notes'",
        "include = [1]",
        "scaffold = 1",
        "adopt_ids = 'always'",
        "this is not toml",
        "quiet_seconds = -1",
    ],
)
def test_a_wrong_value_is_an_error_that_names_it(cli: Command, root: Path, text: str) -> None:
    write(root, text + "\n")
    before = contents(root)
    answer = cli.run("remember", "Anything")
    assert answer.code == 1
    assert "vault-mem.toml" in answer.err
    assert text.split(" =")[0] in answer.err or "TOML" in answer.err
    assert one_line(answer.err)
    assert contents(root) == before


def test_an_unknown_time_zone(cli: Command, root: Path) -> None:
    (root / "vault-mem.toml").write_text('timezone = "Mars/Base"\n')
    answer = cli.run("list")
    assert answer.code == 1
    assert "Mars/Base" in answer.err
    assert one_line(answer.err)


def test_a_settings_file_with_a_byte_order_mark(cli: Command, root: Path) -> None:
    (root / "vault-mem.toml").write_bytes(b'\xef\xbb\xbftimezone = "Asia/Tokyo"\r\nmax_links = 2\r\n')
    assert cli.run("config", "get", "max_links").out == "2\n"


def test_settings_that_are_not_utf8(cli: Command, root: Path) -> None:
    (root / "vault-mem.toml").write_bytes(b"timezone = \xff\xfe\n")
    assert cli.run("list").code == 1


def test_the_clock_for_tests(cli: Command) -> None:
    made = cli.json("remember", "Then", env={"VAULT_MEM_NOW": "2020-02-29T12:00:00"})["memory"]
    assert made["created"] == "2020-02-29T21:00:00+09:00"
    answer = cli.run("remember", "Now", env={"VAULT_MEM_NOW": "noon"})
    assert answer.code in (1, 2)
    assert "VAULT_MEM_NOW" in answer.err


def test_the_time_zone_of_the_vault(cli: Command, root: Path) -> None:
    # V-2: created without offset is in the vault's zone; a value with an offset is read too
    for key, created in [
        ("a", "2026-11-15T23:25:00"),
        ("b", "2026-11-15T23:25:00+09:00"),
        ("c", "2026-11-15T14:25:00Z"),
    ]:
        path = memory(root, f"memories/{key}.md", f"mem_00000000000{key}", f"Note {key}")
        path.write_text(path.read_text().replace("2026-11-01T08:00:00", created))
    assert {each["created"] for each in cli.json("list")["memories"]} == {"2026-11-15T23:25:00+09:00"}
    (root / "vault-mem.toml").write_text('timezone = "UTC"\n')
    cli.run("reindex")
    assert cli.json("list")["memories"][0]["created"].startswith("2026-11-15T23:25:00+00:00")


def test_the_environment_of_the_process_does_not_matter(root: Path, env: dict[str, str], monkeypatch) -> None:
    # a context of its own
    monkeypatch.setenv("VAULT_MEM_VAULT", "/nowhere")
    monkeypatch.chdir(os.path.dirname(root))  # noqa: PTH120
    assert Command(root, env).run("list").code == 0
