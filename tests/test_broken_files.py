"""Broken files never stop the rest (V-7), and missing ones are never taken for deleted (V-9)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC
from pathlib import Path

import pytest
from conftest import Command
from helpers import as_anybody, contents, memory, no_longer_than, note, one_line, states
from hostile import hostile_notes

from vault_mem import Vault
from vault_mem.index.passages import passages
from vault_mem.index.terms import terms
from vault_mem.notes.parse import parse
from vault_mem.vault.tree import Tree


@pytest.fixture
def sound(root: Path) -> Path:
    """One sound memory among whatever else there is."""
    memory(root, "memories/sound.md", "mem_50000000000d", "The pelican in the harbour is tame")
    return root


def problems(cli: Command, path: str) -> list[dict]:
    """What status says of a file; doctor says the same."""
    said = [each for each in cli.json("status")["problems"] if each["path"] == path]
    found = [
        each for each in cli.json("doctor")["findings"] if each["path"] == path and each["check"] == "broken-files"
    ]
    assert [(each["line"], each["reason"]) for each in said] == [(each["line"], each["message"]) for each in found]
    return said


def still_answers(cli: Command) -> None:
    answer = cli.run("recall", "tame pelican", "--json")
    assert answer.code == 0
    assert "mem_50000000000d" in [each["id"] for each in answer.json["results"]]
    for command in (["list"], ["status"], ["recall", "pelican"]):
        assert cli.run(*command).code == 0


@pytest.mark.parametrize(
    ("text", "line", "reason", "found_by"),
    [
        (b"---\nid: mem_bbbbbbbbbbbb\ntags: [a, b\n---\nA walrus\n", 4, "broken YAML", "walrus"),
        (b"---\nid: mem_bbbbbbbbbbbb\nimportance: high\n---\nA walrus\n", 3, "importance should be", "walrus"),
        (b"---\nid: mem_bbbbbbbbbbbb\ncreated: soon\n---\nA walrus\n", 3, "created should be", "walrus"),
        (b"---\nid: mem_bbbbbbbbbbbb\nkind: idea\n---\nA walrus\n", 3, "kind should be one of", "walrus"),
        (b"---\nid: mem_bbbbbbbbbbbb\nlinks: {a: b}\n---\nA walrus\n", 3, "links should be", "walrus"),
        (b"---\nid: mem_bbbbbbbbbbbb\n---\nline\nA walrus caf\xe9\n", 5, "not UTF-8", "walrus"),
        (b"---\nid: mem_bbbbbbbbbbbb\n---\nA walrus\0\n", 4, "NUL", "walrus"),
        (b"---\nid: mem_bbbbbbbbbbbb\nA walrus without end\n", 1, "never closed", "walrus"),
        (b"---\n- a\n- list\n---\nA walrus\n", 1, "not a list of", "walrus"),
    ],
)
def test_named_with_line_and_reason(
    cli: Command, sound: Path, text: bytes, line: int, reason: str, found_by: str
) -> None:
    # V-7: indexed as far as it can be, named, and not rewritten
    cli.run("config", "set", "quiet_seconds", "0")
    path = note(sound, "memories/broken.md", text)
    said = problems(cli, "memories/broken.md")
    assert [each["line"] for each in said] == [line]
    assert reason in said[0]["reason"]
    found = cli.json("recall", found_by)["results"][0]
    assert found["path"] == "memories/broken.md"
    if b"mem_bbbbbbbbbbbb" in text:
        assert found["id"] == "mem_bbbbbbbbbbbb"
    still_answers(cli)
    cli.run("remember", "A walrus, again", "--link-threshold", "1", "--force")
    assert path.read_bytes() == text


def test_several_problems_in_one_file(cli: Command, sound: Path) -> None:
    # V-7: each of them, and what can be read is read
    memory(sound, "memories/b.md", "mem_bbbbbbbbbbbb", "Text", "importance: 9", "tags: [ok]", "intensity: lots")
    assert [each["line"] for each in problems(cli, "memories/b.md")] == [4, 6]
    assert cli.json("show", "mem_bbbbbbbbbbbb")["tags"] == ["ok"]
    assert cli.json("show", "mem_bbbbbbbbbbbb")["importance"] == 3


def test_broken_and_private_stays_private(cli: Command, root: Path) -> None:
    # P-2: in doubt it stays private
    note(root, "memories/a.md", "---\nid: mem_aaaaaaaaaaaa\nprivate: true\ntags: [x\n---\nA\n")
    note(root, "memories/b.md", "---\nid: mem_bbbbbbbbbbbb\nprivate: perhaps\n---\nB\n")
    note(root, "private/c.md", "---\nid: mem_cccccccccccc\nprivate: false\n---\nC\n")
    assert cli.json("list", "--private")["total"] == 3


def test_a_repaired_file_is_no_problem_any_more(cli: Command, sound: Path) -> None:
    path = memory(sound, "memories/b.md", "mem_bbbbbbbbbbbb", "Text", "importance: 9")
    assert problems(cli, "memories/b.md")
    path.write_text(path.read_text().replace("importance: 9", "importance: 5"))
    assert problems(cli, "memories/b.md") == []
    assert cli.run("doctor").code == 0


def test_fifty_megabytes(cli: Command, sound: Path) -> None:
    # V-7
    path = sound / "memories/huge.md"
    with path.open("wb") as file:
        file.write(b"---\nid: mem_bbbbbbbbbbbb\n---\nThe albatross log.\n")
        for _ in range(50):
            file.write(b"another line of a log that never ends\n" * 26_000 + b"\n")
    before = states(sound)
    with no_longer_than(120):
        (said,) = problems(cli, "memories/huge.md")
        assert "MB of text" in said["reason"]
        assert cli.json("recall", "albatross log")["results"][0]["id"] == "mem_bbbbbbbbbbbb"
        still_answers(cli)
    assert states(sound) == before


@contextmanager
def little_memory() -> Iterator[None]:
    """Two gigabytes more and no further, so that a failing test does not take the whole machine's."""
    resource = pytest.importorskip("resource")
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if sys.platform == "linux" else 0
    before = resource.getrlimit(resource.RLIMIT_AS)
    if pages:
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (2 << 30), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize(
    "key",
    [
        "memories/big.md",
        "episodes/big.md",
        "SELF.md",
        "MEMORY.md",
        "REVIEW.md",
        "history/2026-11.jsonl",
        "vault-mem.toml",
        ".gitignore",
        ".git",
        ".vault-mem/activity.jsonl",
        ".vault-mem/journal/000001-20261116T000000.json",
        "sessions/2026-11/2026-11-16-claude-code-0a1b2c3d.md",
    ],
)
def test_a_file_that_would_fill_the_memory(cli: Command, sound: Path, key: str) -> None:
    # V-7, S-1: a few kilobytes in a stranger's archive can unpack to as much as anybody likes
    path = sound / key
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.truncate(1 << 40)
    with no_longer_than(60), little_memory():
        for command in (["recall", "harbour"], ["status"], ["doctor"], ["tag", "mem_50000000000d", "+large"]):
            answer = cli.run(*command)
            assert "unexpected" not in answer.err
            assert answer.code == 0 or command == ["doctor"] or one_line(answer.err)
    assert key.startswith(".vault-mem/") or path.stat().st_size >= 1 << 40


def test_the_longest_name(cli: Command, root: Path) -> None:
    # V-7: names that we would make of it are too long for the system
    memory(root, f"memories/{'長' * 84}.md", "mem_00000000000a", "The harbour dues rise")
    assert cli.run("status").code == 0
    answer = cli.run("rename", "mem_00000000000a", "Dues")
    assert (answer.code, answer.err) == (0, "")
    answer = cli.run("recall", "harbour", "--json")
    assert (answer.err, answer.json["stale"]) == ("", False)
    assert cli.run("doctor").code == 0


def test_symbolic_links(cli: Command, sound: Path, tmp_path: Path) -> None:
    # V-7: out of the vault: named and not followed; loops and dead ends neither
    outside = note(tmp_path, "outside/secret.md", "A secret marmot")
    (sound / "memories/out.md").symlink_to(outside)
    (sound / "memories/outdir").symlink_to(outside.parent)
    (sound / "memories/loop").symlink_to(sound / "memories")
    (sound / "memories/dead.md").symlink_to(sound / "memories/nowhere.md")
    (sound / "memories/inside.md").symlink_to(sound / "memories/sound.md")
    paths = {each["path"] for each in cli.json("status")["problems"]}
    assert {"memories/out.md", "memories/outdir"} <= paths
    assert "marmot" not in cli.run("recall", "marmot").out
    assert cli.json("status")["memories"] == 1
    still_answers(cli)


def test_memories_itself_a_link_out_of_the_vault(cli: Command, sound: Path, tmp_path: Path) -> None:
    # V-7, V-9: not followed, and not taken for deleted
    cli.run("status")
    (sound / "memories").rename(tmp_path / "moved")
    (sound / "memories").symlink_to(tmp_path / "moved")
    before = contents(tmp_path / "moved")
    answer = cli.run("status", "--json")
    assert answer.code in (0, 6)
    if answer.code == 0:
        assert "memories" in [each["path"] for each in answer.json["problems"]]
    cli.run("remember", "Something new")
    assert contents(tmp_path / "moved") == before


def test_what_is_not_a_regular_file(cli: Command, sound: Path) -> None:
    # V-7: a pipe would block for ever
    os.mkfifo(sound / "memories/pipe.md")
    (sound / "memories/folder.md").mkdir()
    with no_longer_than(60):
        assert [each["reason"] for each in problems(cli, "memories/pipe.md")] == ["is not a regular file"]
        still_answers(cli)


def test_names_that_are_not_text(cli: Command, sound: Path) -> None:
    # V-7
    name = os.fsencode(sound / "memories") + b"/caf\xe9 \xff.md"
    with open(name, "wb") as file:  # noqa: PTH123
        file.write(b"A stoat crossed the road\n")
    found = cli.json("recall", "stoat")["results"]
    assert found[0]["content"] == "A stoat crossed the road"
    assert cli.json("show", found[0]["id"])["content"] == "A stoat crossed the road"
    still_answers(cli)
    answer = cli.spawn("list")
    assert answer.code == 0
    assert "stoat" in answer.out


def test_dates_at_the_ends_of_time(cli: Command, sound: Path) -> None:
    # V-7: every command can show them
    for number, day in enumerate(
        ["0001-01-01", "0001-01-01T00:00:00", "9999-12-31T23:59:59", "'0001-01-01T00:00:00+14:00'"]
    ):
        path = memory(sound, f"memories/d{number}.md", f"mem_{number:012x}", "An ancient pelican", f"valid_from: {day}")
        path.write_text(path.read_text().replace("2026-11-01T08:00:00", day))
    os.utime(note(sound, "memories/old.md", "A pelican before the epoch"), ns=(-(10**18), -(10**18)))
    for command in (["list", "--all"], ["recall", "ancient pelican", "-n", "20"], ["status"], ["doctor"]):
        assert cli.run(*command).code in (0, 1)
        cli.json(*command)
    for number in range(4):
        assert cli.run("show", f"mem_{number:012x}").code == 0
    cli.run("remember", "An ancient pelican", "--force", "--link-threshold", "1")
    still_answers(cli)


# ---- notes that hang or burst a careless reader: 20 s are far more than any of them needs

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
TRAPS = {
    "tags-in-themselves": "---\ntags: &t [*t]\n---\nText\n",
    "links-in-themselves": "---\nlinks: &t [*t]\n---\nText\n",
    "private-bomb": f"---\n{BOMB}private: *i\n---\nText\n",
    "kind-bomb": f"---\n{BOMB}kind: *i\n---\nText\n",
    "tags-pairs-bomb": f"---\n{BOMB}tags: !!pairs [x: *i]\n---\nText\n",
    "tags-bomb": f"---\n{BOMB}tags: *i\n---\nText\n",
    "title-bomb": f"---\n{BOMB}title: *i\nid: *i\n---\nText\n",
    "number-too-large": f"---\nimportance: {'9' * 400}\n---\nText\n",
    "number-too-small": f"---\nvalence: -{'9' * 400}\n---\nText\n",
    "bold-that-never-ends": "**a " * 400_000,
    "code-that-never-ends": "``a " * 400_000,
    "brackets": "[[" * 500_000,
    "heading-of-spaces": "#" + " " * 1_500_000 + "x",
    "link-of-spaces": f'---\nlinks: ["[[a|x{" " * 90_000}y]]"]\n---\nText\n',
    "body-links-of-spaces": f"[[a|x{' ' * 900_000}y]]",
    "blank-lines": "\n" * 1_000_000 + "x",
    "lines-of-spaces": ("\n" + " " * 400) * 4_000,
    "no-sentence-end": "word " * 300_000,
    "one-long-word": "x" * 1_000_000,
    "open-brackets-and-parens": "[a](" * 300_000,
}


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if not trap.endswith("-bomb")])
def test_traps(trap: str) -> None:
    # V-7: never stops the rest
    with no_longer_than(20):
        memory_ = parse(TRAPS[trap].encode(), "a.md", mtime=0, zone=UTC).memory
        passages(memory_.content)
        terms(memory_.content)


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if trap.endswith("-bomb")])
def test_bombs(trap: str) -> None:
    # V-7: in a process of its own with a limit on memory, so that no bomb takes the machine down
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))\n"
        "from datetime import UTC; from vault_mem.notes.parse import parse\n"
        "parse(sys.stdin.buffer.read(), 'a.md', mtime=0, zone=UTC)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=TRAPS[trap].encode(), capture_output=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-500:]


# ---- the 300 hostile notes


def drop_hostile(root: Path) -> dict[str, bool]:
    """All of them in memories/, aged; which of them are sound."""
    found = {}
    for each in hostile_notes():
        note(root, f"memories/{each.name}", each.data)
        found[f"memories/{each.name}"] = each.sound
    return found


def test_hostile_notes_survive(tmp_path: Path, env: dict[str, str]) -> None:
    # V-4, V-7: bytes and mtime, through every command, with adoption set to never; every broken one is named
    root = tmp_path / "v"
    kinds = drop_hostile(root)
    assert len(kinds) >= 300
    cli = Command(root, env)
    before = {name: state for name, state in states(root).items() if name.startswith("memories/")}
    assert cli.run("init", ".", "--adopt", "--adopt-ids", "never").code == 0
    assert cli.run("config", "set", "quiet_seconds", "86400").code == 0  # on a busy machine half a minute passes
    for command in (
        ["reindex"],
        ["recall", "a heading"],
        ["recall", "青い封筒"],
        ["status"],
        ["list", "--all"],
        ["doctor"],
    ):
        answer = cli.run(*command)
        assert answer.code in (0, 1)
        assert "Traceback" not in answer.err
    saved = cli.json("remember", "A heading. Some text with a link in it.", "--link-threshold", "1", "--force")
    (root / saved["memory"]["path"]).unlink()
    after = {name: state for name, state in states(root).items() if name in before and not (root / name).is_dir()}
    assert after == {name: state for name, state in before.items() if not (root / name).is_dir()}
    status = {each["path"] for each in cli.json("status")["problems"]}
    doctor = {each["path"] for each in cli.json("doctor")["findings"] if each["check"] == "broken-files"}
    assert status == doctor == {name for name, sound in kinds.items() if not sound}
    assert all(each["reason"] for each in cli.json("status")["problems"])
    searched = {each["path"] for each in cli.json("list", "--all", "--closed")["memories"]}
    ignored = {name for name in kinds if Path(name).name.startswith(("~", "#", "kanban", "excalidraw"))}  # O-4
    assert searched == set(kinds) - ignored


# A date, number or kind that is not understood; all else can be read.
ODD = re.compile(r"memories/(?:date-(?:yesterday|list|number)|importance-|kind-|intensity-|confidence-nan)")


def test_hostile_notes_adopted(tmp_path: Path, env: dict[str, str]) -> None:
    # V-4, V-6: sound ones change by the id line, or a block of three lines, and so do those with an odd value (O-4)
    root = tmp_path / "v"
    kinds = drop_hostile(root)
    Vault.init(root, env=env, adopt=True, timezone="Asia/Tokyo")
    (root / "vault-mem.toml").write_text(
        'timezone = "Asia/Tokyo"\nquiet_seconds = 0\nprivate_moves = false\nviews = false\nheal_links = false\n'
    )
    before = contents(root)
    cli = Command(root, env)
    assert cli.run("status").code == 0
    after = contents(root)
    adopted = 0
    for name, sound in kinds.items():
        if after[name] == before[name]:
            continue
        adopted += 1
        assert sound or ODD.match(name), name
        assert_only_the_id_was_added(name, before[name], after[name])
    assert adopted >= 150
    ids = [each["id"] for each in cli.json("list", "--all", "--closed")["memories"]]
    assert len(ids) == len(set(ids))
    assert cli.run("status").code == 0
    assert contents(root) == after


def assert_only_the_id_was_added(name: str, before: bytes, after: bytes) -> None:
    """The bytes before, with a line `id: ...` put in between, or a block at the top; a note without a date got one."""
    dated = re.search(rb"(?:^|(?<=\r))[ \t]*created: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\r\n|\n|\r)", after, re.MULTILINE)
    if dated and dated.group() not in before:
        after = after[: dated.start()] + after[dated.end() :]
    added = len(after) - len(before)
    for start in range(len(before) + 1):
        if after[:start] != before[:start]:
            break
        if after[start + added :] == before[start:] and ADDED.fullmatch(after[start : start + added]):
            return
    raise AssertionError(f"{name}: {before[:200]!r} became {after[:200]!r}")


ADDED = re.compile(
    rb"(?:---(?:\r\n|\n|\r)id: mem_[0-9a-f]{12}(?:\r\n|\n|\r)---(?:\r\n|\n|\r))|[ ]*id: mem_[0-9a-f]{12}(?:\r\n|\n|\r)"
)


# ---- no silent mass loss


@pytest.fixture
def six(cli: Command, root: Path) -> Path:
    for number in range(6):
        memory(root, f"memories/2026-1{number % 2}/n{number}.md", f"mem_{number:012x}", f"Pelican number {number}")
    cli.run("status")
    return root


def kept(cli: Command, six: Path, put_back) -> None:
    """Every command stops with a cause (exit 6, or 1 for no vault), writes nothing, and all is there afterwards.

    `status` and `doctor` answer, and say what is wrong.
    """
    for command in (["recall", "pelican"], ["list"], ["remember", "A new thought"]):
        answer = cli.run(*command)
        assert answer.code == 6, (command, answer)
        assert answer.out == ""
        assert one_line(answer.err)
    assert "all 6 notes are gone" in cli.run("status").out
    status = cli.json("status")
    assert (status["memories"], status["stale"], status["pending"]) == (6, True, 6)
    answer = cli.run("doctor", "--json")
    assert answer.code == 1
    (found,) = (each for each in answer.json["findings"] if "all 6 notes are gone" in each["message"])
    assert found["severity"] == "error"
    assert cli.run("doctor", "--fix").code == 1
    assert cli.run("recall", "pelican", "--json").json["error"]["code"] == "unsafe"
    put_back()
    report = Vault(six, env=cli.env).workspace.sync().report
    assert report.embedded == 0
    assert report.rebuilt == ""
    assert cli.json("list")["total"] == 6


def test_an_empty_mount(cli: Command, six: Path, tmp_path: Path) -> None:
    # V-9
    (six / "memories").rename(tmp_path / "aside")
    (six / "memories").mkdir()

    def put_back() -> None:
        (six / "memories").rmdir()
        (tmp_path / "aside").rename(six / "memories")

    kept(cli, six, put_back)


def test_memories_gone(cli: Command, six: Path, tmp_path: Path) -> None:
    # V-9
    (six / "memories").rename(tmp_path / "aside")
    kept(cli, six, lambda: (tmp_path / "aside").rename(six / "memories"))


def test_memories_gone_but_something_else_is_there(cli: Command, six: Path, tmp_path: Path) -> None:
    # V-9: one private note left does not make it a deletion
    memory(six, "private/mem_0000000000ff.md", "mem_0000000000ff", "A secret")
    memory(six, "episodes/e.md", "ep_0000000000fe", "An episode")
    cli.run("status")
    (six / "memories").rename(tmp_path / "aside")
    (six / "memories").mkdir()
    answer = cli.run("recall", "pelican")
    assert answer.code == 6
    assert "memories" in answer.err
    (six / "memories").rmdir()
    (tmp_path / "aside").rename(six / "memories")
    assert Vault(six, env=cli.env).workspace.sync().report.embedded == 0


def test_reindex_is_the_way_out(cli: Command, six: Path) -> None:
    # V-9: a person who meant it
    for path in (six / "memories").rglob("*.md"):
        path.unlink()
    answer = cli.run("list")
    assert answer.code == 6
    assert "vault-mem reindex" in answer.err
    assert cli.run("reindex").code == 0
    assert cli.json("list")["total"] == 0


def test_some_deleted_is_no_alarm(cli: Command, six: Path) -> None:
    # V-9: but a person's deletions are taken at their word
    for path in sorted((six / "memories").rglob("*.md"))[:-1]:
        path.unlink()
    assert cli.json("list")["total"] == 1


def unreadable(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """Folders that this process may not list (modes do not stop root)."""
    real = Tree.scan

    def refuse(self: Tree, key: str = "") -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        if self.path(key) in folders:
            raise PermissionError(13, "Permission denied", key)
        return real(self, key)

    monkeypatch.setattr(Tree, "scan", refuse)


def test_an_unreadable_folder(cli: Command, six: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # V-9: an error with a cause, never "everything was deleted": what was indexed stays found
    with monkeypatch.context() as patch:
        unreadable(patch, six / "memories/2026-10")
        answer = cli.run("status", "--json")
        assert answer.code == 0
        assert answer.json["memories"] == 6
        assert {"path": "memories/2026-10", "line": None, "reason": "cannot be read: Permission denied"} in (
            answer.json["problems"]
        )
        assert cli.json("list")["total"] == 6
        assert cli.run("doctor").code == 1
    assert Vault(six, env=cli.env).workspace.sync().report.embedded == 0


def test_all_folders_unreadable(cli: Command, six: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # V-9: the cause is named
    with monkeypatch.context() as patch:
        unreadable(patch, six / "memories")
        answer = cli.run("recall", "pelican")
        assert answer.code in (0, 6)
        assert "Permission denied" in cli.run("doctor").out + cli.run("doctor").err + answer.err
    assert cli.json("list")["total"] == 6


def test_a_reindex_over_an_unreadable_folder(cli: Command, six: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # V-9: a scan error is an error: a rebuild that cannot see everything does not replace one that did
    with monkeypatch.context() as patch:
        unreadable(patch, six / "memories/2026-10")
        answer = cli.run("reindex")
        assert "memories/2026-10" in answer.out + answer.err or answer.code == 6 or "problem" in answer.out
    assert cli.json("list")["total"] == 6


def test_the_settings_file_is_gone(cli: Command, six: Path) -> None:
    # V-9: not a vault any more: an error, and the index stays
    (six / "vault-mem.toml").rename(six / "aside")
    for command in (["list"], ["remember", "x"], ["--vault", str(six), "recall", "pelican"]):
        answer = cli.run(*command)
        assert answer.code == 1
        assert one_line(answer.err)
    (six / "aside").rename(six / "vault-mem.toml")
    assert Vault(six, env=cli.env).workspace.sync().report.embedded == 0
    assert cli.json("list")["total"] == 6


def test_the_settings_file_goes_while_a_vault_is_open(six: Path, env: dict[str, str]) -> None:
    # V-9
    from vault_mem.errors import VaultNotFound

    vault = Vault(six, env=env)
    vault.list()
    (six / "vault-mem.toml").unlink()
    with pytest.raises(VaultNotFound):
        vault.recall("pelican")


@pytest.mark.parametrize(("folder", "mode"), [("", 0o000), ("memories", 0o000), ("memories/2026-10", 0o400)])
def test_with_real_permissions(cli: Command, six: Path, folder: str, mode: int) -> None:
    # V-9: an unreadable root, an unreadable folder, and one that may be listed but not entered
    (six / folder).chmod(mode)
    answer = as_anybody(cli, "--vault", str(six), "list", "--json", cwd=Path("/"))
    (six / folder).chmod(0o755)
    assert "Traceback" not in answer.err, answer.err
    assert answer.code in ((1, 6) if not folder else (0, 6))
    if answer.code == 0:
        assert answer.json["total"] == 6
    assert cli.json("list")["total"] == 6


def test_hidden_folders_and_temporary_files_are_ignored(cli: Command, root: Path) -> None:
    # V-9
    for key in (
        *(".trash/a.md", ".obsidian/b.md", ".git/c.md", "memories/.trash/d.md", "memories/.hidden.md"),
        *("memories/note.md~", "memories/.note.md.swp", "memories/#note.md#", "memories/4913", "memories/note.tmp"),
        *(
            "memories/~$note.md",
            "memories/note.md.tmp",
            "memories/note.tmp.md",
            "memories/note.md.part",
            "memories/note.txt",
        ),
    ):
        note(root, key, "A pelican that nobody should find")
    before = states(root)
    assert cli.json("recall", "pelican")["results"] == []
    assert cli.json("status")["problems"] == []
    assert states(root) == before
