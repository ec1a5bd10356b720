"""link and unlink: written once, on the right side, seen from both."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, memory, note, one_line, public_text

OLD, NEW, PRIVATE = "mem_aa11aa11aa11", "mem_bb22bb22bb22", "mem_cc33cc33cc33"


@pytest.fixture
def pair(root: Path) -> Path:
    memory(root, "memories/old-aa11aa11.md", OLD, "The older one")
    note(
        root,
        "memories/new-bb22bb22.md",
        f"---\nid: {NEW}\ncreated: 2026-11-02T08:00:00 # a Monday\nmine: x\n---\nThe newer one\n",
    )
    return root


def seen(cli: Command, id_: str) -> list[tuple[str, str]]:
    return [(each["id"], each["type"]) for each in cli.json("show", id_)["links"]]


@pytest.mark.parametrize(("a", "b"), [(OLD, NEW), (NEW, OLD)])
def test_written_once_on_the_memory_saved_later(cli: Command, pair: Path, a: str, b: str) -> None:
    # V-3, V-4
    before = contents(pair)
    answer = cli.run("link", a, b)
    assert answer.code == 0
    assert answer.out == f"Linked: {a} -> {b} (related). Written in memories/new-bb22bb22.md.\n"
    after = contents(pair)
    assert after["memories/old-aa11aa11.md"] == before["memories/old-aa11aa11.md"]
    assert after["memories/new-bb22bb22.md"].decode() == before["memories/new-bb22bb22.md"].decode().replace(
        "mine: x\n", 'mine: x\nlinks:\n  - "[[old-aa11aa11|The older one · related]]"\n'
    )
    assert seen(cli, OLD) == [(NEW, "related")]
    assert seen(cli, NEW) == [(OLD, "related")]
    cli.run("undo")
    assert {name: data for name, data in contents(pair).items() if name in before} == before


@pytest.mark.parametrize(
    ("a", "b", "asked", "written", "from_old"),
    [
        (NEW, OLD, "caused_by", "caused_by", "leads_to"),
        (OLD, NEW, "caused_by", "leads_to", "caused_by"),
        (OLD, NEW, "leads_to", "caused_by", "leads_to"),
        (OLD, NEW, "related", "related", "related"),
    ],
)
def test_a_type_reads_the_other_way_round_from_the_other_end(
    cli: Command, pair: Path, a: str, b: str, asked: str, written: str, from_old: str
) -> None:
    # V-3: the reverse is derived
    made = cli.json("link", a, b, "--type", asked)
    assert (made["status"], made["type"], made["path"]) == ("linked", asked, "memories/new-bb22bb22.md")
    assert f"The older one · {written}]]" in (pair / "memories/new-bb22bb22.md").read_text()
    assert seen(cli, OLD) == [(NEW, from_old)]
    assert seen(cli, NEW) == [(OLD, written)]


def test_similar_gets_a_confidence(cli: Command, pair: Path) -> None:
    # V-3
    made = cli.json("link", NEW, OLD, "--type", "similar")
    assert 0 < made["confidence"] <= 1
    assert f"· similar {made['confidence']:.2f}]]" in (pair / "memories/new-bb22bb22.md").read_text()


def test_already_linked(cli: Command, pair: Path) -> None:
    # V-3: says so; another type changes it where it is written
    cli.run("link", OLD, NEW, "--type", "leads_to")
    before = contents(pair)
    for options in ([], ["--type", "leads_to"]):
        answer = cli.run("link", OLD, NEW, *options)
        assert answer.code == 0
        assert answer.out == f"Already linked: {OLD} -> {NEW} (leads_to). To change it, give another --type.\n"
    assert cli.json("link", NEW, OLD)["type"] == "caused_by"
    assert contents(pair) == before
    assert cli.json("link", OLD, NEW, "--type", "similar")["status"] == "changed"
    text = (pair / "memories/new-bb22bb22.md").read_text()
    assert text.count("[[") == 1
    assert "· similar 0." in text


def test_a_link_a_person_wrote_by_another_name_is_changed(cli: Command, pair: Path) -> None:
    memory(pair, "memories/third.md", PRIVATE, "A third", 'links: ["[[memories/old-aa11aa11.md#part|My words]]"]')
    assert cli.json("link", PRIVATE, OLD)["status"] == "already"
    assert cli.json("link", PRIVATE, OLD, "--type", "caused_by")["status"] == "changed"
    assert "My words · caused_by]]" in (pair / "memories/third.md").read_text()
    assert seen(cli, OLD) == [(PRIVATE, "leads_to")]


def test_a_wikilink_in_a_text_counts_and_can_be_given_a_type(cli: Command, pair: Path) -> None:
    # V-3: wikilinks in a body are related links
    path = memory(pair, "memories/third.md", PRIVATE, "See [[new-bb22bb22]]")
    assert cli.json("link", PRIVATE, NEW)["status"] == "already"
    made = cli.json("link", PRIVATE, NEW, "--type", "caused_by")
    assert made["path"] == "memories/new-bb22bb22.md"
    assert "See [[new-bb22bb22]]" in path.read_text()
    assert seen(cli, PRIVATE) == [(NEW, "caused_by")]
    assert seen(cli, NEW) == [(PRIVATE, "leads_to")]


@pytest.mark.parametrize("created", ["2026-01-01", "2026-12-31"])
def test_between_public_and_private_on_the_private_side(cli: Command, pair: Path, created: str) -> None:
    # P-3, V-3
    path = note(pair, f"private/{PRIVATE}.md", f"---\nid: {PRIVATE}\ncreated: {created}\n---\nA secret zebra\n")
    made = cli.json("link", NEW, PRIVATE, "--type", "caused_by")
    assert made["path"] == f"private/{PRIVATE}.md"
    assert "[[new-bb22bb22|The newer one · leads_to]]" in path.read_text()
    assert PRIVATE not in public_text(pair)
    assert "zebra" not in public_text(pair)
    assert seen(cli, NEW) == [(PRIVATE, "caused_by")]


def test_a_public_link_to_a_private_memory_moves_to_the_private_side(cli: Command, pair: Path) -> None:
    # P-3
    path = note(pair, f"private/{PRIVATE}.md", f"---\nid: {PRIVATE}\n---\nA secret zebra\n")
    public = memory(pair, "memories/third.md", "mem_dd44dd44dd44", "Text", f'links: ["[[{PRIVATE}]]"]')
    assert cli.json("link", "dd44dd", PRIVATE, "--type", "leads_to")["status"] == "changed"
    assert PRIVATE not in public.read_text()
    assert "[[third|Text · caused_by]]" in path.read_text()
    assert seen(cli, "mem_dd44dd44dd44") == [(PRIVATE, "leads_to")]


def test_what_cannot_be_linked(cli: Command, pair: Path) -> None:
    # errors that say what is the matter; nothing is written
    cli.run("config", "set", "include", "notes/**")
    note(pair, "notes/n.md", f"---\nid: {PRIVATE}\n---\nAn included note")
    note(pair, "episodes/e.md", "---\nid: ep_0123456789ab\n---\n# An episode")
    memory(pair, "memories/closed.md", "mem_dd44dd44dd44", "Over", "valid_to: 2026-11-03")
    memory(pair, "memories/broken.md", "mem_ee55ee55ee55", "Text", "tags: [a", "created: 2026-11-05")
    memory(pair, "memories/odd #1.md", "mem_ff66ff66ff66", "Text")
    cli.run("status")
    before = contents(pair)
    for a, b, code, words in (
        (NEW, NEW, 2, f"{NEW} cannot be linked to itself"),
        (NEW, "aa11", 0, ""),
        (NEW, "mem_000000000000", 4, "Memory not found: mem_000000000000"),
        ("mem_000000000000", NEW, 4, "Memory not found: mem_000000000000"),
        (NEW, "dd44", 5, "mem_dd44dd44dd44 is closed"),
        ("dd44", NEW, 5, "mem_dd44dd44dd44 is closed"),
        (NEW, PRIVATE, 2, "an included note"),
        (NEW, "ep_0123456789ab", 2, "is an episode"),
        ("ee55", OLD, 1, "memories/broken.md is left alone"),
        (NEW, "ff66", 2, "no link can name memories/odd #1.md"),
    ):
        answer = cli.run("link", a, b)
        assert answer.code == code, answer.err
        if code:
            assert words in answer.err
            assert one_line(answer.err)
            assert contents(pair) == before
        else:
            cli.run("undo")
            before = contents(pair)
    assert cli.run("link", NEW, OLD, "--type", "friend").code == 2


def test_unlink_in_either_direction(cli: Command, pair: Path) -> None:
    # V-3, V-4
    before = contents(pair)["memories/new-bb22bb22.md"]
    for a, b in ((OLD, NEW), (NEW, OLD)):
        cli.run("link", OLD, NEW)
        answer = cli.run("unlink", a, b, "--reason", "a mistake")
        assert answer.code == 0
        assert answer.out == f"Unlinked: {a} and {b}. Changed: memories/new-bb22bb22.md.\n"
        assert seen(cli, OLD) == seen(cli, NEW) == []
    assert contents(pair)["memories/new-bb22bb22.md"].replace(b"links: []\n", b"") == before
    assert "unlink: a mistake" in cli.run("history", NEW).out
    answer = cli.run("unlink", OLD, NEW)
    assert answer.code == 4
    assert f"Not linked: {OLD} and {NEW}" in answer.err


def test_unlink_what_both_wrote(cli: Command, root: Path) -> None:
    memory(root, "memories/a.md", OLD, "One", 'links: ["[[b|B · similar 0.80]]", "[[c]]"]')
    memory(root, "memories/b.md", NEW, "Two", 'links: ["[[memories/a.md]]"]')
    memory(root, "memories/c.md", PRIVATE, "Three")
    assert cli.json("unlink", "aa11", "bb22")["files"] == ["memories/a.md", "memories/b.md"]
    assert seen(cli, OLD) == [(PRIVATE, "related")]
    assert seen(cli, NEW) == []


def test_a_wikilink_in_a_text_stays_unless_asked_for(cli: Command, root: Path) -> None:
    # V-3: the words are its owner's
    a = memory(root, "memories/a.md", OLD, "One, see [[b|the other]] and `[[b]]`", 'links: ["[[b]]"]')
    memory(root, "memories/b.md", NEW, "Two")
    answer = cli.run("unlink", OLD, NEW)
    assert answer.code == 0
    assert "the text of memories/a.md still links to it" in answer.err
    assert "[[b|the other]]" in a.read_text()
    assert seen(cli, OLD) == [(NEW, "related")]
    answer = cli.run("unlink", OLD, NEW)
    assert answer.code == 5
    assert "--body" in answer.err
    assert cli.json("unlink", NEW, OLD, "--body")["left"] == []
    assert a.read_text().endswith("One, see the other and `[[b]]`\n")
    assert seen(cli, OLD) == []


def test_the_views_follow_a_changed_text(cli: Command, root: Path) -> None:
    # W-1
    other = cli.json("remember", "The ladder is with Jonas")["memory"]
    name = Path(other["path"]).stem
    made = cli.json("remember", f"Called about [[{name}|that ladder]] today", "--force")["memory"]
    day = f"memory/{made['created'][:10]}.md"
    assert "[[" in (root / day).read_text()
    cli.run("unlink", made["id"], other["id"], "--body")
    assert "Called about that ladder today" in (root / day).read_text()


def test_links_to_an_old_name_are_found(cli: Command, root: Path) -> None:
    # V-5: before they are healed
    memory(root, "memories/Old.md", OLD, "One")
    path = memory(root, "memories/b.md", NEW, "Two", 'links: ["[[Old]]"]')
    cli.run("status")
    (root / "memories/Old.md").rename(root / "memories/New.md")
    assert cli.json("link", NEW, OLD)["status"] == "already"
    cli.run("unlink", NEW, OLD)
    assert "[[Old]]" not in path.read_text()
