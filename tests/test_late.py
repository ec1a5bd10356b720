"""A program that still has a note open and writes after our command loses nothing (S-4)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, memory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")

ID, OTHER = "mem_00000000000a", "mem_00000000000b"
LATE = b"\nA late line of the owner.\n"


@pytest.fixture
def note(root: Path) -> Path:
    memory(root, "memories/other.md", OTHER, "Forty lamps stand on the quay")
    return memory(root, "memories/a.md", ID, "The harbour dues rise in spring", "importance: 5")


COMMANDS = {
    "tag": ("tag", ID, "+harbour"),
    "rename": ("rename", ID, "Dues of the harbour"),
    "private": ("private", ID),
    "edit": ("edit", ID, "--set", "importance=4"),
    "close": ("close", ID),
    "merge": ("merge", ID, OTHER, "--content", "Dues rise in spring, and forty lamps stand there: rise in spring"),
}


def holders(root: Path, words: bytes) -> list[str]:
    return [key for key, data in contents(root).items() if words in data and key.endswith(".md")]


@pytest.mark.parametrize("name", COMMANDS)
def test_an_append_comes_back_into_the_note(cli: Command, root: Path, note: Path, name: str) -> None:
    cli.run("status")
    with note.open("ab") as editor:
        assert cli.run(*COMMANDS[name]).code == 0
        editor.write(LATE)
        editor.flush()
        assert any(each["check"] == "late-words" for each in cli.json("doctor")["findings"])
    answer = cli.run("status")
    assert answer.code == 0
    assert "another program" in answer.err
    found = [key for key in holders(root, LATE.strip()) if not key.startswith("history")]
    assert len(found) == 1
    assert found[0] == cli.json("show", ID)["path"]
    assert (root / found[0]).read_bytes().endswith(LATE)
    if name == "private":
        assert found[0].startswith("private/")
    if name == "tag":
        assert "harbour" in cli.json("show", ID)["tags"]  # nothing acknowledged is taken back
    assert any(each["check"] == "late-words" for each in cli.json("doctor")["findings"])


@pytest.mark.parametrize("name", COMMANDS)
def test_a_save_in_two_halves_becomes_a_copy(cli: Command, root: Path, note: Path, name: str) -> None:
    # an editor that has emptied the file and writes it again
    cli.run("status")
    text = note.read_bytes().replace(b"rise in spring", b"fall in autumn, says the owner")
    with note.open("r+b") as editor:
        assert cli.run(*COMMANDS[name]).code == 0
        editor.seek(0)
        editor.truncate()
        editor.write(text)
    assert cli.run("status").code == 0
    found = [key for key in holders(root, b"fall in autumn") if not key.startswith("history")]
    assert len(found) == 1
    copy = (root / found[0]).read_bytes()
    assert b"id: mem_" not in copy
    assert "late edit" in found[0]
    shown = cli.json("show", ID)
    assert found[0].startswith("private/") == (name == "private")
    assert "rise in spring" in (root / shown["path"]).read_text()
    ids = [each["id"] for each in cli.json("list")["memories"]]
    assert len(ids) == len(set(ids))


def test_the_copy_of_a_note_with_the_longest_name(cli: Command, root: Path, note: Path) -> None:
    # S-4: there is no room in the name for what a copy is called
    longest = note.rename(note.with_name("長" * 84 + ".md"))
    cli.run("status")
    with longest.open("r+b") as editor:
        assert cli.run(*COMMANDS["tag"]).code == 0
        editor.truncate()
        editor.write(b"Other words, by its owner")
    assert "is kept here" in cli.run("status").err
    (copy,) = holders(root, b"Other words, by its owner")
    assert copy.startswith("memories/")
    assert "late edit" in copy


def test_late_words_after_forget_join_the_trash(cli: Command, root: Path, note: Path) -> None:
    cli.run("status")
    with note.open("ab") as editor:
        assert cli.run("forget", ID).code == 0
        editor.write(LATE)
    assert "trash" in cli.run("status").err
    assert cli.run("restore", ID).code == 0
    assert note.read_bytes().endswith(LATE)


def test_late_words_after_undo(cli: Command, root: Path, note: Path) -> None:
    cli.run("tag", ID, "+harbour")
    with note.open("ab") as editor:
        assert cli.run("undo").code == 0
        editor.write(LATE)
    cli.run("status")
    assert note.read_bytes().endswith(LATE)
    assert b"harbour\n" not in note.read_bytes().split(b"---")[1]


def test_late_words_in_a_view(cli: Command, root: Path, note: Path) -> None:
    cli.run("views")
    digest = root / "MEMORY.md"
    with digest.open("ab") as editor:
        assert cli.run("remember", "Soup was hot and salty", "--importance", "5").code == 0
        editor.write(LATE)
    cli.run("status")
    text = digest.read_bytes()
    assert text.endswith(LATE)
    assert b"Soup was hot" in text


def test_late_words_can_be_undone_and_switched_off(cli: Command, root: Path, note: Path) -> None:
    cli.run("status")
    with note.open("ab") as editor:
        cli.run("tag", ID, "+harbour")
        editor.write(LATE)
    cli.run("status")
    late = next(each for each in cli.json("history")["operations"] if each["command"] == "late-words")
    assert late["unasked"]
    assert cli.run("undo", late["op"]).code == 0
    assert LATE.strip() not in note.read_bytes()
    assert cli.run("config", "set", "late_words", "false").code == 0
    with note.open("ab") as editor:
        cli.run("tag", ID, "+dues")
        editor.write(LATE)
    cli.run("status")
    assert LATE.strip() not in note.read_bytes()
    assert any(each["check"] == "late-words" for each in cli.json("doctor")["findings"])  # kept, and said


def test_a_file_that_nobody_has_open_is_let_go_at_once(cli: Command, root: Path, note: Path) -> None:
    cli.run("tag", ID, "+harbour")
    assert not list((root / ".vault-mem/journal").glob("*.was"))


def test_purge_stops_while_a_program_has_the_file_open(cli: Command, root: Path, note: Path) -> None:
    cli.run("status")
    before = note.read_bytes()
    with note.open("ab"):
        answer = cli.run("forget", ID, "--purge", "--yes")
        assert answer.code == 6
        assert "open" in answer.err
        assert note.read_bytes() == before
    assert cli.run("forget", ID, "--purge", "--yes").code == 0
    assert not note.exists()
    assert not [key for key, data in contents(root, own=True).items() if b"rise in spring" in data]
