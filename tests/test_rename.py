"""rename: another name for a memory's file, with the links to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, memory, mode, note, one_line

ID, OTHER = "mem_651b9d294720", "mem_cccccccc0003"


def key(root: Path, *front: str) -> Path:
    return memory(root, "memories/2026-11/wei-651b9d29.md", ID, "The spare key is with Wei.", *front)


def test_the_file_and_the_links_to_it(cli: Command, root: Path) -> None:
    # V-5: links in front matter and bodies, by name, by path and with a heading, in episodes too
    path = key(root)
    path.chmod(0o640)
    state = path.stat()
    linked = memory(
        root,
        "memories/trip.md",
        OTHER,
        "See [[wei-651b9d29#when|it]], ![[memories/2026-11/Wei-651b9d29]] and `[[wei-651b9d29]]`.",
        "links:",
        '  - "[[wei-651b9d29|The spare key is with Wei · similar 0.93]]" # old',
    )
    episode = note(root, "episodes/e.md", '---\nid: ep_000000000001\nmembers: ["[[wei-651b9d29]]"]\n---\nText\n')
    answer = cli.json("rename", ID, "The Spare Key!")
    new = root / "memories/2026-11/the-spare-key-651b9d29.md"
    assert answer["status"] == "renamed"
    assert (answer["memory"]["id"], answer["memory"]["path"]) == (ID, "memories/2026-11/the-spare-key-651b9d29.md")
    assert sorted(answer["references"]) == ["episodes/e.md", "memories/trip.md"]
    assert not path.exists()
    assert (new.stat().st_mtime_ns, mode(new)) == (state.st_mtime_ns, 0o640)
    text = linked.read_text(encoding="utf-8")
    assert (
        "[[the-spare-key-651b9d29#when|it]], ![[memories/2026-11/the-spare-key-651b9d29]] and `[[wei-651b9d29]]`"
        in text
    )
    assert '  - "[[the-spare-key-651b9d29|The spare key is with Wei · similar 0.93]]" # old' in text
    assert "[[the-spare-key-651b9d29]]" in episode.read_text(encoding="utf-8")
    assert {each["id"] for each in cli.json("show", ID)["links"]} >= {OTHER}


def test_undo_gives_every_byte_back(cli: Command, root: Path) -> None:
    key(root, 'links: ["[[wei-651b9d29]]"]')
    memory(root, "memories/trip.md", OTHER, "See [[wei-651b9d29]].")
    cli.run("status")
    before = contents(root)
    cli.json("rename", ID, "spare key")
    assert "wei-651b9d29" not in "".join(name for name in contents(root) if not name.startswith("history"))
    cli.json("undo")
    assert {name: data for name, data in contents(root).items() if not name.startswith("history/")} == before


def test_the_digits_of_the_id_stay_unless_the_name_is_exact(cli: Command, root: Path) -> None:
    # V-5
    key(root)
    assert cli.json("rename", ID, "keys-651b9d29.md")["memory"]["path"] == "memories/2026-11/keys-651b9d29.md"
    assert cli.json("rename", ID, "keys-651b9d29.md")["status"] == "unchanged"
    assert cli.json("rename", ID, "合鍵")["memory"]["path"] == "memories/2026-11/合鍵-651b9d29.md"
    assert cli.json("rename", ID, "Spare Key", "--exact")["memory"]["path"] == "memories/2026-11/Spare Key.md"
    assert cli.json("show", ID)["path"] == "memories/2026-11/Spare Key.md"


def test_a_private_file_keeps_its_name(cli: Command, root: Path) -> None:
    # P-1
    private = cli.json("remember", "-", "--private", stdin="Zanzibar.")["memory"]["id"]
    before = contents(root)
    answer = cli.run("rename", private, "zanzibar")
    assert answer.code == 6
    assert one_line(answer.err)
    assert contents(root) == before


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("trip", 5),
        ("TRIP", 5),
        ("README", 2),
        ("2026-11", 2),
        ("a/b", 2),
        ("../out", 2),
        (".hidden", 2),
        ("#one", 2),
        ("a|b", 2),
        ("a[b]", 2),
        ("  ", 2),
        ("x" * 300, 2),
        ("a\x00b", 2),
    ],
)
def test_names_that_cannot_be(cli: Command, root: Path, name: str, code: int) -> None:
    key(root)
    memory(root, "memories/trip.md", OTHER, "A trip.")
    before = contents(root)
    answer = cli.run("rename", ID, name, "--exact")
    assert answer.code == code
    assert one_line(answer.err)
    assert contents(root) == before


def test_a_name_without_a_letter(cli: Command, root: Path) -> None:
    key(root)
    assert cli.run("rename", ID, "...").code == 2
    assert cli.run("rename", "mem_ffffffffffff", "a").code == 4
