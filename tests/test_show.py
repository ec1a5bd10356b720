"""show: one memory with its links, both ways."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from helpers import memory, note

from vault_mem import Vault
from vault_mem.errors import NotFound

A, B, C = "mem_aa0000000000", "mem_ab0000000000", "mem_cc0000000000"


@pytest.fixture
def linked(root: Path) -> Path:
    memory(
        root,
        "memories/alpha-aa000000.md",
        A,
        "The alpha text.\n\nSecond paragraph.",
        'links: ["[[Beta|Beta · caused_by 0.81]]"]',
    )
    memory(
        root, "memories/Beta.md", B, "The beta text, see [[gamma-cc000000|that one]].", "tags: [x, y]", "people: [Ann]"
    )
    memory(root, "memories/gamma-cc000000.md", C, "The gamma text")
    return root


def test_the_text(cli: Command, linked: Path) -> None:
    answer = cli.run("show", A)
    assert answer.code == 0
    assert answer.out.startswith("The alpha text\n\n")
    assert f"id:         {A}\n" in answer.out
    assert "path:       memories/alpha-aa000000.md\n" in answer.out
    assert "created:    2026-11-01 08:00\n" in answer.out
    assert "private:    false\n" in answer.out
    assert "\nThe alpha text.\n\nSecond paragraph.\n" in answer.out
    assert f"- The beta text, see that one (id: {B}, caused_by 0.81)\n" in answer.out


def test_links_go_both_ways(cli: Command, linked: Path) -> None:
    # V-3: written once, shown on both sides; a bare link means related; links in the text count
    links = {id_: {each["id"]: each for each in cli.json("show", id_)["links"]} for id_ in (A, B, C)}
    assert set(links[A]) == {B}
    assert set(links[B]) == {A, C}
    assert set(links[C]) == {B}
    assert (links[A][B]["type"], links[A][B]["confidence"]) == ("caused_by", 0.81)
    assert (links[B][A]["confidence"], links[C][B]["type"], links[C][B]["confidence"]) == (0.81, "related", None)
    assert links[C][B]["title"] == "The beta text, see that one"


def test_one_neighbour_once(cli: Command, root: Path) -> None:
    # V-3: by name and by path, in front matter and text, from both sides
    memory(root, "memories/a.md", A, "See [[memories/b]] and [[B|b again]]", 'links: ["[[b]]"]')
    memory(root, "memories/b.md", B, "Also [[a]], [[memories/a.md]] and [[A#heading]]")
    assert [each["id"] for each in cli.json("show", A)["links"]] == [B]
    assert [each["id"] for each in cli.json("show", B)["links"]] == [A]


def test_links_in_code_do_not_count(cli: Command, linked: Path) -> None:
    memory(linked, "memories/code.md", "mem_dd0000000000", "```\n[[Beta]]\n```\nand `[[gamma-cc000000]]`")
    assert cli.json("show", "mem_dd0000000000")["links"] == []


def test_json(cli: Command, linked: Path) -> None:
    answer = cli.json("show", B)
    assert (answer["id"], answer["tags"], answer["people"]) == (B, ["x", "y"], ["Ann"])
    assert answer["created"] == "2026-11-01T08:00:00+09:00"
    assert (answer["stale"], answer["pending"]) == (False, 0)
    assert set(answer["links"][0]) == {"id", "title", "type", "confidence"}


def test_short_ids(cli: Command, linked: Path, vault: Vault) -> None:
    # ids may be shortened while unique
    for short in ("mem_aa", "aa", "aa00000000", f" {A} "):
        assert cli.json("show", short)["id"] == A
    answer = cli.run("show", "a")
    assert answer.code == 4
    assert "More than one id begins with a" in answer.err
    with pytest.raises(NotFound):
        vault.show("mem_a")


@pytest.mark.parametrize(
    "id_", ["mem_ffffffffffff", "zz", "", " ", "mem_", "%", "mem_'", "../x", "日本", "a b", "MEM_AA0000000000x"]
)
def test_what_is_not_there(cli: Command, linked: Path, id_: str) -> None:
    # F-3's words, exit 4
    answer = cli.run("show", "--", id_)
    assert answer.code == 4
    assert answer.out == ""
    assert answer.err.startswith("error: ")
    if id_ == "mem_ffffffffffff":
        assert answer.err == (
            "error: Memory not found: mem_ffffffffffff\n"
            "  Double-check the ID. Use recall to search for the memory you're looking for.\n"
        )


def test_json_error(cli: Command) -> None:
    answer = cli.run("show", "mem_ffffffffffff", "--json")
    assert answer.code == 4
    assert answer.err == ""
    assert answer.json["error"]["code"] == "not_found"
    assert answer.json["error"]["message"] == "Memory not found: mem_ffffffffffff"
    assert answer.json["error"]["hint"].startswith("Double-check the ID.")


def test_private_and_closed_ones_too(cli: Command, root: Path) -> None:
    memory(root, "private/mem_aa0000000000.md", A, "A secret", "valid_to: 2026-11-02T00:00:00")
    answer = cli.run("show", A)
    assert "private:    true" in answer.out
    assert "valid to:   2026-11-02T00:00:00+09:00" in answer.out


def test_a_note_without_an_id(cli: Command, root: Path) -> None:
    # V-6: searchable at once, under a provisional id
    note(root, "memories/fresh.md", "A fresh thought on kites", age=0)
    id_ = cli.json("recall", "kites")["results"][0]["id"]
    assert f"id:         {id_} (provisional)" in cli.run("show", id_).out


def test_an_episode(cli: Command, root: Path) -> None:
    memory(root, "episodes/trip.md", "ep_0000000000aa", "# The trip\n\nIt began with a missed bus.")
    assert cli.json("show", "ep_0000000000aa")["title"] == "The trip"


def test_a_title_of_its_own(cli: Command, root: Path) -> None:
    for number, (text, title) in enumerate(
        [
            ("# A **bold** heading\n\nText", "A bold heading"),
            ("First sentence. Second.", "First sentence"),
            ("最初の文。次の文。", "最初の文"),
            ("- [ ] do [[that|this thing]] now", "do this thing now"),
            ("w" * 100, "w" * 60 + "..."),
            ("", "5"),
        ]
    ):
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", text)
        assert cli.json("show", f"mem_{number:012x}")["title"] == title
