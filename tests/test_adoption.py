"""Adoption: a note that a person drops in becomes a memory at once, and gets its id once it is quiet."""

from __future__ import annotations

import json
import time
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from conftest import Command
from helpers import contents, memory, mode, note, one_line, states


@pytest.fixture
def eager(cli: Command) -> Command:
    """No waiting: ctime, which no test can set, counts too."""
    cli.run("config", "set", "quiet_seconds", "0")
    return cli


def id_of(cli: Command, key: str) -> str:
    return next(each["id"] for each in cli.json("list", "--all", "--closed")["memories"] if each["path"] == key)


def test_searchable_at_once_and_left_alone(cli: Command, root: Path) -> None:
    # V-6, V-4: 30 seconds by default, by mtime and ctime
    path = note(root, "memories/dropped.md", "A heron on the weir")
    before = states(root)
    assert cli.json("recall", "heron")["results"][0]["path"] == "memories/dropped.md"
    assert cli.json("status")["waiting_for_id"] == ["memories/dropped.md"]
    assert states(root) == before
    assert path.read_text() == "A heron on the weir"


@pytest.mark.parametrize("command", [["recall", "x"], ["list"], ["status"], ["show", "mem_"], ["remember", "y"]])
def test_the_next_command_writes_the_id(eager: Command, root: Path, command: list[str]) -> None:
    # V-6; issue 2: without a daemon it happens at the next command, by the file's age
    path = note(root, "memories/dropped.md", "---\n# mine\ntags: [a]\n---\nA heron\n")
    date = date_line(path)
    eager.run(*command)
    id_ = id_of(eager, "memories/dropped.md")
    after = path.read_text()
    assert f"id: {id_}\n" in after
    assert after.replace(f"id: {id_}\n", "") == f"---\n# mine\ntags: [a]\n{date}\n---\nA heron\n"
    assert eager.json("status")["waiting_for_id"] == []
    assert date_line(path) != date  # O-5: a new time, or rsync would miss the change


def date_line(path: Path) -> str:
    return date_line_of(path.stat().st_mtime_ns)


def date_line_of(mtime_ns: int) -> str:
    return f"created: {datetime.fromtimestamp(mtime_ns // 10**9, ZoneInfo('Asia/Tokyo')):%Y-%m-%dT%H:%M:%S}"


def test_an_adopted_note_stays_on_its_day(eager: Command, root: Path) -> None:
    # S-8: nothing but the file told its date, and the next edit would have moved it to today
    path = note(root, "memories/heron.md", "A heron\n", age=90 * 24 * 3600)
    date = date_line(path)
    before = eager.json("list")["memories"][0]["created"]
    eager.run("status")
    assert date in path.read_text()
    eager.run("tag", id_of(eager, "memories/heron.md"), "+birds")
    path.write_text(path.read_text() + "More of it\n")
    assert eager.json("list")["memories"][0]["created"] == before


@pytest.mark.parametrize(
    "command", ["tag ID +birds", "close ID", "edit ID --set importance=5", "link ID mem_00000000000b"]
)
def test_a_command_that_changes_a_note_writes_its_id_too(cli: Command, root: Path, command: str) -> None:
    # S-7, V-5, V-6: not quiet yet, but somebody has changed it on purpose; it may be moved right after
    memory(root, "memories/weir.md", "mem_00000000000b", "A weir")
    path = note(root, "memories/heron.md", "A heron\n", age=5 * 24 * 3600)
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    known = cli.json("list")["memories"]
    id_ = id_of(cli, "memories/heron.md")
    assert cli.run(*command.replace("ID", id_).split()).code == 0
    text = path.read_text()
    assert f"id: {id_}\n" in text
    assert date_line_of(before[1]) in text
    assert f"[id:{id_}]" in "".join(each.read_text() for each in (root / "memory").glob("*.md"))
    moved = path.rename(root / "memories/grey heron.md")
    assert id_of(cli, "memories/grey heron.md") == id_
    moved.rename(path)
    assert cli.run("undo").code == 0
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert not (root / "memory").exists() or "[id:" not in "".join(p.read_text() for p in (root / "memory").iterdir())
    assert cli.json("list")["memories"] == known


def test_a_note_without_a_date_stays_on_its_day_whatever_we_change(cli: Command, root: Path) -> None:
    # S-8: its id is its own; it was adopted by an earlier version, or never
    path = note(root, "memories/heron.md", "---\nid: mem_00000000000a\n---\nA heron\n", age=90 * 24 * 3600)
    was = path.read_text(), path.stat().st_mtime_ns
    before = cli.json("list")["memories"][0]["created"]
    for command in (
        ["tag", "mem_00000000000a", "+birds"],
        ["edit", "mem_00000000000a", "--set", "importance=5"],
    ):
        assert cli.run(*command).code == 0
        assert cli.json("list")["memories"][0]["created"] == before
    assert path.read_text().count("created: ") == 1  # O-5: the same edit wrote it, and the file has a new time
    assert path.stat().st_mtime > time.time() - 3600
    for _ in range(2):
        assert cli.run("undo").code == 0
    assert (path.read_text(), path.stat().st_mtime_ns) == was


def test_a_date_that_is_not_understood_keeps_the_time_of_its_file(cli: Command, root: Path) -> None:
    # S-8, V-4: what the owner wrote there stays, and so does the day it goes by
    path = note(root, "memories/heron.md", "---\nid: mem_00000000000a\ncreated: in spring\n---\nA heron\n", age=9e6)
    before = cli.json("list")["memories"][0]["created"]
    assert cli.run("tag", "mem_00000000000a", "+birds").code == 0
    assert "created: in spring\n" in path.read_text()
    assert cli.json("list")["memories"][0]["created"] == before


def test_a_date_in_the_name_is_a_date(cli: Command, root: Path) -> None:
    # V-4: then nothing more is written
    path = note(root, "memories/2026-03-01 heron.md", "---\nid: mem_00000000000a\n---\nA heron\n")
    assert cli.run("tag", "mem_00000000000a", "+birds").code == 0
    assert "created" not in path.read_text()


def test_a_note_without_front_matter_gets_four_lines(eager: Command, root: Path) -> None:
    # V-4
    path = note(root, "memories/a.md", b"\xef\xbb\xbfOne\r\nTwo")
    date = date_line(path)
    eager.run("status")
    assert path.read_bytes() == (
        f"\ufeff---\r\nid: {id_of(eager, 'memories/a.md')}\r\n{date}\r\n---\r\nOne\r\nTwo".encode()
    )


def test_its_mode_stays(eager: Command, root: Path) -> None:
    # V-8
    path = note(root, "memories/a.md", "Text")
    path.chmod(0o640)
    private = note(root, "private/b.md", "Secret")
    eager.run("status")
    assert mode(path) == 0o640
    assert mode(private) == 0o600
    assert private.read_text().startswith("---\nid: mem_")


def test_it_is_in_the_journal(eager: Command, root: Path) -> None:
    # V-4, V-8: journalled, with what was there before
    note(root, "memories/a.md", "Text")
    eager.run("status")
    entry = max((root / ".vault-mem/journal").glob("*.json"))
    assert mode(entry) == 0o600
    record = json.loads(entry.read_text())
    assert record["command"] == "adopt"
    assert record["steps"][0]["before"] == "Text"
    assert record["steps"][0]["key"] == "memories/a.md"


def test_never(eager: Command, root: Path) -> None:
    # V-6: a setting; `never` is one
    eager.run("config", "set", "adopt_ids", "never")
    note(root, "memories/a.md", "Text")
    before = states(root)
    for command in (["recall", "text"], ["status"], ["doctor"], ["reindex"], ["remember", "Something else"]):
        eager.run(*command)
    assert {name: states(root)[name] for name in before if name.endswith(".md")} == {
        name: state for name, state in before.items() if name.endswith(".md")
    }
    assert eager.json("status")["waiting_for_id"] == []


@pytest.mark.parametrize(
    "text",
    [
        "---\nid: 20231104\n---\nA zettel",
        "---\ntags: [a\n---\nBroken",
        "---\npeople: {Noor: 1}\n---\nWrong type",
        "---\ntitle: never closed\n\nText",
        b"Caf\xe9",
        "{}",
    ],
)
def test_what_is_not_adopted(eager: Command, root: Path, text: str | bytes) -> None:
    # V-7: no operation rewrites a broken file; an id of another scheme is its owner's
    path = note(root, "memories/a.md", text)
    before = path.read_bytes()
    eager.run("status")
    if text != "{}":  # braces in the text are a text like any other
        assert path.read_bytes() == before
    assert eager.json("list")["total"] == 1


@pytest.mark.parametrize(
    "key",
    [
        *(
            "memories/README.md",
            "memories/2026-11/README.md",
            "memories/templates/daily.md",
            "memories/_templates/x.md",
        ),
        *("memories/2026-11/2026-11.md", "memories/memories.md", "private/REVIEW.md", "private/.history/2026-11.md"),
    ],
)
def test_the_ignore_list(eager: Command, root: Path, key: str) -> None:
    # V-6, P-1: README, templates, folder notes, reserved names
    note(root, key, "Not a memory: pelican")
    before = contents(root)
    assert eager.json("recall", "pelican")["results"] == []
    assert eager.json("list")["total"] == 0
    assert contents(root) == before


def test_an_ignore_list_of_ones_own(eager: Command, root: Path) -> None:
    eager.run("config", "set", "ignore", "memories/drafts/**, *.draft.md")
    for key in ("memories/drafts/a.md", "memories/drafts/deep/b.md", "memories/x/c.draft.md", "memories/README.md"):
        note(root, key, "Text")
    assert [each["path"] for each in eager.json("list")["memories"]] == ["memories/README.md"]


def test_episodes_and_included_notes_are_not_written(eager: Command, root: Path) -> None:
    # V-4
    eager.run("config", "set", "include", "notes/**")
    note(root, "notes/a.md", "A note")
    note(root, "episodes/b.md", "An episode")
    before = contents(root)
    eager.run("status")
    assert contents(root) == before


def test_a_file_that_changes_meanwhile_is_left_alone(
    eager: Command, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # V-8: an editor saves between our reading and our writing
    from vault_mem.vault import journal

    path = note(root, "memories/a.md", "Text")
    real = journal.Transaction.commit

    def save_first(self: journal.Transaction) -> str:
        path.write_text("Text, and more of it")
        return real(self)

    with monkeypatch.context() as patch:
        patch.setattr(journal.Transaction, "commit", save_first)
        answer = eager.run("status")
    assert answer.code == 0
    assert "no id written" in answer.err
    assert path.read_text() == "Text, and more of it"
    eager.run("status")
    assert path.read_text().endswith("---\nText, and more of it")


def test_a_vault_that_cannot_be_written_is_still_read(
    eager: Command, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a read-only vault with a note without an id: answers, and a note on stderr
    import os

    note(root, "memories/a.md", "A heron")
    real = os.open

    def refuse(path, flags, *rest, **options):
        folder = Path(f"/proc/self/fd/{options.get('dir_fd', 0)}").resolve()
        if folder.is_relative_to(root) and flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(30, "Read-only file system")
        return real(path, flags, *rest, **options)

    before = contents(root)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        answer = eager.run("recall", "heron", "--json")
    assert answer.code == 0
    assert answer.json["results"][0]["content"] == "A heron"
    assert answer.err.startswith("note: ids not written: ")
    assert not one_line(answer.err)  # it is a note, no error
    assert contents(root) == before


def test_adopted_notes_can_be_linked(eager: Command, root: Path) -> None:
    # V-3
    note(root, "memories/My heron.md", "A heron on the weir")
    memory(root, "memories/b.md", "mem_00000000000b", "See [[My heron]]")
    links = eager.json("show", "mem_00000000000b")["links"]
    assert [each["id"] for each in links] == [id_of(eager, "memories/My heron.md")]
