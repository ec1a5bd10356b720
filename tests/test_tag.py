"""tag: adding and removing tags, and nothing else."""

from __future__ import annotations

from pathlib import Path

from conftest import Command
from helpers import contents, memory, one_line

ID = "mem_aaaaaaaa0001"


def written(root: Path, *front: str) -> Path:
    return memory(root, "memories/key.md", ID, "The spare key is with Wei.", *front)


def test_plus_adds_and_minus_removes(cli: Command, root: Path) -> None:
    # V-4: only the line of the tags changes, and what stays in it stays as it is written
    path = written(root, "# mine", "tags: [house, 'garden', Keys] # a comment", "mood: fine")
    before = path.read_text(encoding="utf-8")
    answer = cli.json("tag", ID, "+door", "-garden", "-home", "+keys")
    assert answer["status"] == "tagged"
    assert answer["memory"]["tags"] == ["house", "Keys", "door"]
    assert path.read_text(encoding="utf-8") == before.replace("house, 'garden', Keys", "house, Keys, door")
    cli.json("undo")
    assert path.read_text(encoding="utf-8") == before


def test_words_and_remove_do_the_same(cli: Command, root: Path) -> None:
    written(root)
    assert cli.run("tag", ID, "house", "二階", "#keys").out == f"Tags (id: {ID}): house, 二階, keys\n"
    assert cli.run("tag", ID, "--remove", "House", "--remove", "keys", "--json").json["memory"]["tags"] == ["二階"]
    assert cli.run("tag", ID, "-二階").out == f"Tags (id: {ID}): none\n"
    assert "tags" not in (root / "memories/key.md").read_text(encoding="utf-8")
    assert [each["id"] for each in cli.json("list", "--tag", "keys")["memories"]] == []


def test_tags_a_person_wrote_with_commas_or_hashes(cli: Command, root: Path) -> None:
    path = written(root, 'tags: ["#house", garden]')
    cli.json("tag", ID, "+door", "-garden")
    assert 'tags: ["#house", door]' in path.read_text(encoding="utf-8")
    path = memory(root, "memories/key.md", ID, "The spare key is with Wei.", "tags: house, garden")
    assert cli.json("tag", ID, "-garden")["memory"]["tags"] == ["house"]


def test_nothing_to_do_writes_nothing(cli: Command, root: Path) -> None:
    # V-4
    path = written(root, "tags: [house]")
    state = path.stat()
    assert cli.json("tag", ID, "+House", "-garden")["status"] == "unchanged"
    assert path.stat().st_mtime_ns == state.st_mtime_ns
    assert cli.run("undo").code == 4


def test_what_is_no_tag(cli: Command, root: Path) -> None:
    written(root)
    before = contents(root)
    for arguments, code in (((), 2), (("+",), 2), (("a,b",), 2), (("+a", "-A"), 2), (("#",), 2)):
        answer = cli.run("tag", ID, *arguments)
        assert answer.code == code, arguments
        assert answer.out == ""
    assert cli.run("tag", "mem_ffffffffffff", "+a").code == 4
    assert contents(root) == before


def test_a_note_that_could_not_be_read_is_left_alone(cli: Command, root: Path) -> None:
    # V-7
    path = written(root, "people: {Noor: 1}")
    was = path.read_bytes()
    answer = cli.run("tag", ID, "+a")
    assert answer.code == 1
    assert one_line(answer.err)
    assert path.read_bytes() == was
