"""Links as Obsidian means them (O-1), and what is told of those that an operation breaks in a person's files (O-2)."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, memory, note

A, B, C, D = (f"mem_{letter * 8}0000" for letter in "abcd")
_opened: Counter[str] | None = None


def _count(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and _opened is not None and isinstance(arguments[0], str | bytes):
        _opened[os.fsdecode(arguments[0])] += 1


sys.addaudithook(_count)  # once: a hook cannot be taken off again


def neighbours(cli: Command, id_: str) -> set[str]:
    return {link["id"] for link in cli.json("show", id_)["links"]}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("[[Gutter]]", A),  # beside the note it stands in
        ("[[Garage/Gutter]]", B),  # a part of the path
        ("[[memories/Garage/Gutter]]", B),
        ("[[gutter#Tools|that]] and ![[x.png]]", A),
        ("![[Garage/Gutter^block]]", B),
        ("[the gutter](Garage/Gutter.md)", B),
        ("[the gutter](/memories/Garage/Gutter.md#a)", B),
        ("[roof](./Gutter.md)", A),
        ("[roof](../House/Gutter.md)", A),
        ("[ladder](../Long%20ladder.md)", C),
        ("[ladder](<../Long ladder.md>)", C),
        ("[ladder](Long%20ladder.md)", C),
        ("[[Old/Gutter]]", None),
        ("[x](https://example.org/Gutter.md) [y](#Gutter)", None),
        ("`[[Gutter]]` and\n```\n[a](Gutter.md)\n```", None),
    ],
)
def test_what_a_link_means(cli: Command, root: Path, text: str, meant: str | None) -> None:
    # O-1
    memory(root, "memories/House/Gutter.md", A, "The gutter of the house.")
    memory(root, "memories/Garage/Gutter.md", B, "The gutter of the garage.")
    memory(root, "memories/Long ladder.md", C, "The ladder.")
    memory(root, "memories/House/Roof.md", D, text)
    assert neighbours(cli, D) == ({meant} if meant else set())
    if meant:
        assert neighbours(cli, meant) == {D}


def test_the_shortest_path_among_several(cli: Command, root: Path) -> None:
    # O-1: a whole path, the own folder, then the shortest
    memory(root, "memories/a/b/Plan.md", A, "Plan one.")
    memory(root, "memories/zzzzzz/Plan.md", B, "Plan two.")
    memory(root, "memories/c.md", C, "See [[Plan]].")
    memory(root, "memories/zzzzzz/d.md", D, "See [[Plan]].")
    assert (neighbours(cli, C), neighbours(cli, D)) == ({A}, {B})


def test_links_in_any_property(cli: Command, root: Path) -> None:
    # O-1
    memory(root, "memories/Kiln.md", A, "The kiln.")
    memory(root, "memories/Marit.md", B, "Marit.")
    memory(root, "memories/d.md", D, "Fired today.", 'up: "[[Kiln]]"', "people: [[[Marit]], Ola]")
    assert neighbours(cli, D) == {A, B}


def test_recall_and_graph_follow_a_rename_by_hand(cli: Command, root: Path) -> None:
    # O-1, V-5: there is one resolver
    memory(root, "memories/Kiln.md", A, "The kiln is cold.")
    other = memory(root, "memories/d.md", D, "Zanzibar [[Kiln]].")
    cli.run("config", "set", "heal_links", "false")
    cli.run("status")
    (root / "memories/Kiln.md").rename(root / "memories/Oven.md")
    assert neighbours(cli, D) == {A}
    assert "[[Kiln]]" in other.read_text()
    found = {each["id"]: each for each in cli.json("recall", "cold Zanzibar ferry", "--explain")["results"]}
    assert found[A]["explain"]["links"] > 0


def test_doctor_knows_every_file(cli: Command, root: Path) -> None:
    # O-1: an included note, an own note and a picture are there; a name that nothing has is not
    cli.run("config", "set", "include", "People/**")
    note(root, "People/Marit.md", "A potter.\n")
    note(root, "Own.md", "Mine.\n")
    note(root, "files/kiln.png", b"\x89PNG")
    memory(root, "memories/d.md", D, "[[Marit]] ![[kiln.png]] [[Own]] [a](files/kiln.png) [[Nowhere]]")
    dangling = [each["message"] for each in cli.json("doctor")["findings"] if each["check"] == "dangling-links"]
    assert len(dangling) == 1 and "[[Nowhere]]" in dangling[0]
    assert cli.json("graph")["dangling"]["count"] == 1


OWN = {
    "Garage.md": "See [[Kiln|the kiln]], [it](memories/Kiln.md#a) and `[[Kiln]]`.\n",
    "Board.canvas": '{"nodes":[{"id":"1","type":"file","file":"memories/Kiln.md"},{"id":"2","text":"[[Kiln]]"}]}',
    "list.base": 'filters:\n  and:\n    - file.hasLink("Kiln")\n    - file.path != "memories/Kiln.md"\n',
    "Other.md": "Nothing to see, and no [[Link]] of ours.\n",
}


@pytest.fixture
def lived_in(root: Path) -> Path:
    for key, text in OWN.items():
        note(root, key, text)
    memory(root, "memories/Kiln.md", A, "The kiln is cold.")
    memory(root, "memories/Oven.md", B, "The oven is warm.")
    memory(root, "memories/d.md", D, "[[Kiln]]")
    return root


def test_rename_tells_of_links_in_own_files(cli: Command, lived_in: Path) -> None:
    # O-2: which, and how many; nothing of theirs is changed
    answer = cli.run("rename", A, "Furnace", "--exact", "--json")
    assert answer.json["left"] == ["Board.canvas", "Garage.md", "list.base"]
    assert answer.json["references"] == ["memories/d.md"]
    assert "3 files of yours" in answer.err and "--update-links" in answer.err
    assert {key: (lived_in / key).read_text() for key in OWN} == OWN


def test_rename_changes_them_when_asked(cli: Command, lived_in: Path) -> None:
    # O-2: as Obsidian would, in one operation with one undo
    cli.run("status")
    before = contents(lived_in)
    answer = cli.json("rename", A, "The furnace", "--exact", "--update-links")
    assert answer["left"] == [] and len(answer["references"]) == 4
    text = (lived_in / "Garage.md").read_text()
    assert text == "See [[The furnace|the kiln]], [it](memories/The%20furnace.md#a) and `[[Kiln]]`.\n"
    nodes = json.loads((lived_in / "Board.canvas").read_text())["nodes"]
    assert (nodes[0]["file"], nodes[1]["text"]) == ("memories/The furnace.md", "[[The furnace]]")
    base = (lived_in / "list.base").read_text()
    assert base == OWN["list.base"].replace("Kiln", "The furnace")
    cli.json("undo")
    assert {key: data for key, data in contents(lived_in).items() if not key.startswith("history/")} == before


def test_forget_and_merge_tell_and_change(cli: Command, lived_in: Path) -> None:
    # O-2
    assert cli.json("forget", A)["left"] == ["Board.canvas", "Garage.md", "list.base"]
    cli.run("undo")
    assert cli.json("forget", A, "--update-links")["left"] == ["list.base"]  # a formula says nothing without its note
    assert (lived_in / "Garage.md").read_text() == "See the kiln, it and `[[Kiln]]`.\n"
    assert "memories/Kiln.md" in (lived_in / "Board.canvas").read_text()
    cli.run("restore", A)
    assert (lived_in / "Garage.md").read_text() == OWN["Garage.md"]
    assert len(cli.json("merge", B, A)["left"]) == 3
    cli.run("undo")
    assert cli.json("merge", B, A, "--update-links")["left"] == []
    assert '"memories/Oven.md"' in (lived_in / "Board.canvas").read_text()
    assert "[[Oven|the kiln]]" in (lived_in / "Garage.md").read_text()


def test_private_and_a_canvas(cli: Command, lived_in: Path) -> None:
    # O-2, P-2: told, named by doctor, and reached by --scrub
    own = OWN | {"Garage.md": "See [[Kiln|the kiln]] and [it](memories/Kiln.md#a).\n"}
    note(lived_in, "Garage.md", own["Garage.md"])
    answer = cli.json("private", A)
    assert set(answer["mentions"]) >= {"Board.canvas", "Garage.md", "list.base"}
    named = {each["path"] for each in cli.json("doctor")["findings"] if each["check"] == "mentions"}
    assert named >= {"Board.canvas", "Garage.md", "list.base"}
    assert {key: (lived_in / key).read_text() for key in own} == own
    cli.json("private", A, "--scrub")
    assert not [each for each in cli.json("doctor")["findings"] if each["check"] == "mentions"]
    assert json.loads((lived_in / "Board.canvas").read_text())["nodes"][0]["file"] == "(private)"
    cli.run("undo")
    assert {key: (lived_in / key).read_text() for key in own} == own


def test_private_opens_a_few_files(cli: Command, root: Path) -> None:
    # O-1, P-2: the index knows who names a note; what we moved ourselves is no rename by hand
    global _opened
    for number in range(200):
        link = f"links: ['[[n{number - 1}]]']" if number else "tags: [first]"
        memory(root, f"memories/n{number}.md", f"mem_{number:08x}0000", f"Number {number}.", link)
    cli.run("config", "set", "quiet_seconds", "0")
    cli.run("status")
    for command in (("private", f"mem_{100:08x}0000"), ("status",), ("publish", f"mem_{100:08x}0000"), ("status",)):
        _opened = Counter()
        assert cli.run(*command).code == 0
        notes, _opened = {name for name in _opened if name.endswith(".md")}, None
        assert len(notes) < 12, (command, notes)
