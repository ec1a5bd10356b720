"""init: a folder becomes a vault, and nothing that was in it changes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Command
from helpers import at_a_terminal, contents, memory, mode, note, one_line, states

from vault_mem import Vault
from vault_mem.errors import Unsafe


@pytest.fixture
def outside(tmp_path: Path, env: dict[str, str]) -> Command:
    """The command, run in a folder that is no vault."""
    folder = tmp_path / "somewhere"
    folder.mkdir()
    return Command(folder, env)


@pytest.fixture
def obsidian(outside: Command) -> Path:
    """Somebody's Obsidian vault."""
    root = outside.cwd
    note(root, ".obsidian/app.json", "{}")
    note(root, ".obsidian/workspace.json", '{"main": {}}')
    note(root, ".trash/old.md", "# thrown away\nwombats")
    note(root, "notes/Bees.md", "# Bees\r\nThe hive by the shed swarmed in May.\r\n")
    note(root, "notes/deep/Wasps.md", "---\nid: 20231104\ntags: [garden]\n---\nA wasp nest under the roof.\n")
    note(root, "Welcome.md", "Welcome to Obsidian")
    note(root, ".gitignore", b".DS_Store\r\n*.log")
    return root


def test_a_new_folder(outside: Command) -> None:
    # P-1: the layout of a vault
    answer = outside.run("init", "my-vault", "--timezone", "Asia/Tokyo")
    root = outside.cwd / "my-vault"
    assert answer.code == 0
    assert str(root) in answer.out
    assert 'timezone = "Asia/Tokyo"' in (root / "vault-mem.toml").read_text()
    assert (root / ".gitignore").read_text().splitlines() == ["private/", ".vault-mem/"]
    assert (root / "memories").is_dir()
    assert mode(root / "private") == 0o700
    assert outside.run("--vault", "my-vault", "remember", "The first memory").code == 0


def test_json_and_a_second_time(outside: Command) -> None:
    first = outside.json("init", ".")
    assert first["vault"] == str(outside.cwd)
    assert set(first["created"]) == {"memories/", "private/", ".gitignore", "vault-mem.toml"}
    assert (first["notes"], first["existed"]) == (0, False)
    before = states(outside.cwd)
    assert outside.json("init", ".") == {"vault": str(outside.cwd), "created": [], "notes": 0, "existed": True}
    assert states(outside.cwd) == before


def test_joining_an_obsidian_vault_touches_nothing_of_it(outside: Command, obsidian: Path) -> None:
    # V-9, V-4; "Joining a folder that is already somebody's Obsidian vault is safe"
    before, seen = contents(obsidian), states(obsidian)
    assert outside.run("init", ".").code == 0
    outside.run("remember", "The neighbour keeps wombats")
    for command in (["recall", "wombats"], ["status"], ["doctor"], ["reindex"]):
        assert outside.run(*command).code == 0
    after = contents(obsidian)
    assert after.pop(".gitignore") == b".DS_Store\r\n*.log\r\nprivate/\r\n.vault-mem/\r\n"
    before.pop(".gitignore")
    assert {name: after[name] for name in before} == before
    assert all(states(obsidian)[name] == seen[name] for name in before)
    made = {name for name in after if name not in before}
    assert {name.split("/")[0] for name in made} == {"vault-mem.toml", "memories", "memory"}
    # what lies outside memories/ and in hidden folders is not searched
    assert [each["content"] for each in outside.json("recall", "wombats bees")["results"]] == [
        "The neighbour keeps wombats"
    ]


def test_other_notes_are_searched_read_only(outside: Command, obsidian: Path) -> None:
    # V-4; include = ["notes/**"] is searchable and never written
    outside.run("init", ".")
    settings = obsidian / "vault-mem.toml"
    settings.write_text(settings.read_text() + 'include = ["notes/**"]\nquiet_seconds = 0\n')
    before = {name: state for name, state in states(obsidian).items() if name.startswith("notes")}
    found = outside.json("recall", "the hive swarmed")["results"]
    assert found[0]["path"] == "notes/Bees.md"
    assert outside.run("remember", "The hive by the shed swarmed in May.", "--link-threshold", "1").code == 0
    assert outside.json("status")["notes"] == 2
    outside.run("doctor")
    outside.run("reindex")
    assert {name: state for name, state in states(obsidian).items() if name.startswith("notes")} == before
    # superseding one would write into it: refused, and nothing is saved
    known = contents(obsidian)
    answer = outside.run("remember", "No more bees", "--supersedes", found[0]["id"])
    assert answer.code == 1
    assert "read-only" in answer.err
    assert contents(obsidian) == known


def test_notes_where_memories_would_live_stop_it(outside: Command) -> None:
    # exit 6, with counts and a way out
    note(outside.cwd, "memories/a.md", "one")
    note(outside.cwd, "memories/b/c.md", "two")
    note(outside.cwd, "private/d.md", "three")
    before = states(outside.cwd)
    answer = outside.run("init", ".")
    assert answer.code == 6
    assert "2 in memories/" in answer.err
    assert "1 in private/" in answer.err
    assert "--adopt" in answer.err
    assert "--memories-folder" in answer.err
    assert states(outside.cwd) == before
    with pytest.raises(Unsafe):
        Vault.init(outside.cwd, env=outside.env)


def test_other_folder_names(outside: Command) -> None:
    note(outside.cwd, "memories/a.md", "somebody's own")
    before = contents(outside.cwd)
    answer = outside.run("init", ".", "--memories-folder", "agent/memories", "--private-folder", "agent/private")
    assert answer.code == 0
    assert "agent/private/" in (outside.cwd / ".gitignore").read_text().splitlines()
    public = outside.json("remember", "A red bicycle")["memory"]["path"]
    private = outside.json("remember", "A quiet doubt", "--private")["memory"]["path"]
    assert public.startswith("agent/memories/")
    assert private.startswith("agent/private/mem_")
    assert mode(outside.cwd / private) == 0o600
    assert mode(outside.cwd / "agent/private") == 0o700
    assert contents(outside.cwd)["memories/a.md"] == before["memories/a.md"]
    assert len(outside.json("list", "--all")["memories"]) == 2


def test_adopt(outside: Command) -> None:
    # V-6
    path = note(outside.cwd, "memories/a.md", "A note about herons")
    answer = outside.run("init", ".", "--adopt", "--adopt-ids", "never")
    assert answer.code == 0
    assert "1 existing note" in answer.out
    assert outside.json("recall", "herons")["results"][0]["path"] == "memories/a.md"
    assert path.read_text() == "A note about herons"


def test_git_ignores_what_is_private(outside: Command) -> None:
    # P-1, P-3: with a real git
    outside.run("init", ".")
    outside.run("remember", "A public thought")
    outside.run("remember", "A private thought", "--private")
    subprocess.run(["git", "init", "-q", "."], cwd=outside.cwd, check=True)
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard"],
        cwd=outside.cwd,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert sorted(name.split("/")[0] for name in listed) == [".gitignore", "memories", "memory", "vault-mem.toml"]


@pytest.mark.parametrize(
    "before",
    [
        b"private/\n.vault-mem/\n",
        b"/private/\n/.vault-mem/\n",
        b"private\r\n.vault-mem\r\n",
        b"x\n\n.vault-mem/\n/private",
    ],
)
def test_a_gitignore_that_already_does_it_stays(outside: Command, before: bytes) -> None:
    # V-4
    note(outside.cwd, ".gitignore", before)
    assert outside.run("init", ".").code == 0
    assert (outside.cwd / ".gitignore").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["a-file"], 2),
        (["a-file/below"], 1),
        (["new", "--adopt-ids", "sometimes"], 2),
        (["new", "--timezone", "Mars/Base"], 2),
        (["new", "--memories-folder", "../elsewhere"], 2),
        (["new", "--private-folder", "HERE/elsewhere"], 2),
        (["new", "--memories-folder", "private"], 2),
        (["new", "--memories-folder", "private/inside"], 2),
    ],
)
def test_bad_places_and_values(outside: Command, arguments: list[str], code: int) -> None:
    # what bad input gets: one clear line, the right exit code, nothing half-made
    note(outside.cwd, "a-file", "text")
    before = states(outside.cwd)
    answer = outside.run("init", *(each.replace("HERE", str(outside.cwd)) for each in arguments))
    assert answer.code == code
    assert one_line(answer.err)
    assert states(outside.cwd) == before


def test_a_folder_name_with_signs_of_toml(outside: Command) -> None:
    answer = outside.run("init", "new", "--memories-folder", 'a"b\\c')
    if answer.code == 0:  # taken: then the vault works
        assert outside.run("--vault", "new", "remember", "Something").code == 0
        assert list((outside.cwd / "new" / 'a"b\\c').rglob("*.md"))
    else:
        assert answer.code == 2
        assert one_line(answer.err)
        assert not (outside.cwd / "new").exists()


def test_the_machines_time_zone(outside: Command) -> None:
    outside.run("init", "one", env={"TZ": "Europe/Lisbon"})
    assert 'timezone = "Europe/Lisbon"' in (outside.cwd / "one/vault-mem.toml").read_text()


def test_a_real_process(outside: Command) -> None:
    answer = outside.spawn("init", "there", "--json")
    assert answer.code == 0
    assert answer.json["vault"] == str(outside.cwd / "there")


def test_a_vault_deleted_and_made_again_at_the_same_path(root: Path, cli: Command) -> None:
    # V-9: a new vault begins with an index of its own
    for number in range(6):
        memory(root, f"memories/n{number}.md", f"mem_{number:012x}", f"Pelican number {number}")
    assert cli.json("status")["memories"] == 6
    shutil.rmtree(root)
    root.mkdir()
    assert cli.run("init", str(root)).code == 0
    for command in (["status"], ["doctor"], ["list"], ["recall", "pelican"], ["remember", "A new thought"]):
        answer = cli.run(*command)
        assert answer.code == 0, (command, answer)
    assert cli.json("status")["memories"] == 1
    assert "pelican" not in cli.run("recall", "pelican").out.lower()


def test_a_folder_with_files_is_asked_about(outside: Command, obsidian: Path) -> None:
    # S-8: what it will add, and only a yes is one
    before = contents(outside.cwd)
    for typed in ("", "n\n"):
        answer = at_a_terminal(outside, "init", typed=typed)
        assert (answer.code, answer.out) == (1, "Nothing was made.\n")
        for each in ("vault-mem.toml", "memories/", "private/", ".gitignore"):
            assert each in answer.err
        assert contents(outside.cwd) == before
    assert at_a_terminal(outside, "init", typed="y\n").code == 0
    assert (outside.cwd / "vault-mem.toml").exists()
    again = at_a_terminal(outside, "init", typed="")
    assert (again.code, again.err) == (0, "")  # nothing would be added


def test_an_empty_folder_and_yes_are_not_asked_about(outside: Command, tmp_path: Path) -> None:
    assert at_a_terminal(outside, "init", typed="").code == 0
    note(tmp_path, "another/readme.txt", "mine")
    assert at_a_terminal(outside, "init", str(tmp_path / "another"), "--yes", typed="").code == 0
    note(tmp_path, "third/readme.txt", "mine")
    assert outside.run("init", str(tmp_path / "third")).code == 0  # nobody to ask, and no note that it would own


def test_notes_in_the_folder_of_episodes_stop_it(outside: Command) -> None:
    # they would be the tool's to write
    note(outside.cwd, "episodes/Pilot.md", "# Pilot\nOf a series I watch")
    answer = outside.run("init")
    assert answer.code == 6
    for flag in ("--adopt", "--memories-folder", "--private-folder", "--episodes-folder"):
        assert flag in answer.err
    assert outside.run("init", "--episodes-folder", "agent/episodes").code == 0
    assert 'episodes_folder = "agent/episodes"' in (outside.cwd / "vault-mem.toml").read_text()


def test_a_vault_in_a_vault(root: Path, cli: Command) -> None:
    below = root / "memories/project"
    below.mkdir(parents=True)
    answer = cli.run("init", str(below))
    assert answer.code == 6
    assert "--nested" in answer.err
    assert list(below.iterdir()) == []
    assert cli.run("init", str(below), "--nested").code == 0
