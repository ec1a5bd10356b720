"""merge: one memory takes up another, as one step that can be undone."""

from __future__ import annotations

from pathlib import Path

from conftest import Command
from helpers import contents, line_end, memory, note, one_line, public_text

KEEP, GONE, OTHER, THIRD = "mem_aaaaaaaa0001", "mem_bbbbbbbb0002", "mem_cccccccc0003", "mem_dddddddd0004"


def key(id_: str, slug: str) -> str:
    return f"memories/2026-11/{slug}-{id_[4:12]}.md"


def two(root: Path, keep: list[str] | None = None, gone: list[str] | None = None) -> tuple[Path, Path]:
    return (
        memory(root, key(KEEP, "spare-key"), KEEP, "The spare key is with Wei.", *(keep or [])),
        memory(root, key(GONE, "wei-has-the-key"), GONE, "Wei keeps our spare key.", *(gone or [])),
    )


def front(path: Path) -> str:
    return path.read_text(encoding="utf-8").split("---\n")[1]


def test_links_to_the_removed_one_lead_to_the_other(cli: Command, root: Path) -> None:
    # C-3: front matter and bodies, type, confidence and the owner's words kept, code left alone
    two(root)
    linked = memory(
        root,
        key(OTHER, "locksmith"),
        OTHER,
        "See [[wei-has-the-key-bbbbbbbb|it]] and [[Wei-Has-The-Key-bbbbbbbb]]; `[[wei-has-the-key-bbbbbbbb]]`.",
        "links:",
        '  - "[[wei-has-the-key-bbbbbbbb|Wei keeps our spare key · caused_by 0.81]]"',
    )
    before = linked.stat().st_mtime_ns

    answer = cli.json("merge", KEEP, GONE)

    assert answer["status"] == "merged"
    assert answer["references"] == [key(OTHER, "locksmith")]
    assert '  - "[[spare-key-aaaaaaaa|The spare key is with Wei · caused_by 0.81]]"' in front(linked)
    body = linked.read_text(encoding="utf-8").split("---\n")[2]
    assert body == "See [[spare-key-aaaaaaaa|it]] and [[spare-key-aaaaaaaa]]; `[[wei-has-the-key-bbbbbbbb]]`.\n"
    assert linked.stat().st_mtime_ns > before  # O-5
    assert not (root / key(GONE, "wei-has-the-key")).exists()
    assert cli.run("show", GONE).code == 4
    assert {edge["id"] for edge in cli.json("show", KEEP)["links"]} == {OTHER}


def test_no_link_is_doubled_and_none_leads_to_itself(cli: Command, root: Path) -> None:
    # C-3, V-3
    keep, _ = two(
        root,
        [
            "links:",
            '  - "[[wei-has-the-key-bbbbbbbb|Wei · similar 0.93]]"',
            '  - "[[dinner-dddddddd|Dinner · related]]"',
        ],
        ["links:", '  - "[[spare-key-aaaaaaaa]]"', '  - "[[locksmith-cccccccc|Locksmith · leads_to]]"'],
    )
    both = memory(
        root,
        key(OTHER, "locksmith"),
        OTHER,
        "The locksmith came.",
        "links:",
        '  - "[[spare-key-aaaaaaaa|Spare key · related]]"',
        '  - "[[wei-has-the-key-bbbbbbbb|Wei · related]]"',
    )
    other_side = memory(root, key(THIRD, "dinner"), THIRD, "Dinner.", 'links: ["[[wei-has-the-key-bbbbbbbb]]"]')

    cli.json("merge", KEEP, GONE)

    assert "bbbbbbbb" not in "".join(path.read_text(encoding="utf-8") for path in (keep, both, other_side))
    assert front(both).count("spare-key-aaaaaaaa") == 1
    assert "locksmith" not in front(keep)  # the locksmith leads here already
    assert "spare-key" not in front(other_side)  # dinner is linked from here already
    assert front(keep).count("dinner-dddddddd") == 1


def test_links_tags_people_and_importance_move_over(cli: Command, root: Path) -> None:
    # C-3
    keep, _ = two(
        root,
        ["importance: 2 # low", "tags: [house, Keys]", 'people:\n  - "[[Wei]]"'],
        ["importance: 5", "tags: [keys, door]", "people: [Wei, Noor]", 'links: ["[[locksmith-cccccccc]]"]'],
    )
    memory(root, key(OTHER, "locksmith"), OTHER, "The locksmith came.")
    merged = cli.json("merge", KEEP, GONE, "--content", "Wei has the spare key, and Noor the other.")["memory"]
    assert (merged["importance"], merged["tags"], merged["people"]) == (5, ["house", "Keys", "door"], ["Wei", "Noor"])
    assert merged["content"] == "Wei has the spare key, and Noor the other."
    assert merged["created"] == "2026-11-01T08:00:00+09:00"
    text = front(keep)
    assert "importance: 5 # low" in text
    assert "tags: [house, Keys, door]" in text
    assert '  - "[[Wei]]"' in text
    assert "[[locksmith-cccccccc" in text


def test_undo_gives_every_byte_back(cli: Command, root: Path) -> None:
    # C-3: one undo step
    two(root, ["importance: 4"], ["importance: 5", "tags: [door]"])
    memory(
        root,
        key(OTHER, "locksmith"),
        OTHER,
        "See [[wei-has-the-key-bbbbbbbb]].",
        'links: ["[[wei-has-the-key-bbbbbbbb]]"]',
    )
    note(
        root, "episodes/keys.md", '---\nid: ep_000000000001\nmembers:\n  - "[[wei-has-the-key-bbbbbbbb]]"\n---\nKeys\n'
    )
    cli.run("status")
    before = {name: data for name, data in contents(root).items() if not name.startswith("history/")}
    cli.json("merge", KEEP, GONE, "--content", "One text.")
    assert cli.json("undo")["command"] == "merge"
    assert {name: data for name, data in contents(root).items() if not name.startswith("history/")} == before
    assert cli.run("restore", GONE).code == 4


def test_restore_brings_the_removed_one_back_beside_the_merged_one(cli: Command, root: Path) -> None:
    # C-3, F-2
    keep, gone = two(root, ['links: ["[[wei-has-the-key-bbbbbbbb]]"]'])
    linked = memory(root, key(OTHER, "locksmith"), OTHER, "Came.", 'links: ["[[wei-has-the-key-bbbbbbbb]]"]')
    was, text = linked.read_bytes(), gone.read_bytes()
    cli.json("merge", KEEP, GONE, "--content", "One text for both.")
    assert cli.json("restore", GONE)["not_put_back"] == []
    assert gone.read_bytes() == text
    assert linked.read_bytes() == was
    assert "One text for both." in keep.read_text(encoding="utf-8")
    assert "[[wei-has-the-key-bbbbbbbb]]" in front(keep)


def test_episodes_follow(cli: Command, root: Path) -> None:
    # C-3, W-2: a member that went is the one that stays, and stands once
    two(root)
    text = "---\nid: ep_00000000000{}\nmembers:\n{}---\nAbout the keys.\n"
    kept, gone = '  - "[[spare-key-aaaaaaaa]]"\n', '  - "[[wei-has-the-key-bbbbbbbb]]"\n'
    one = note(root, "episodes/one.md", text.format(1, gone))
    both = note(root, "episodes/both.md", text.format(2, gone + kept))
    cli.json("merge", KEEP, GONE)
    assert one.read_text(encoding="utf-8") == text.format(1, kept)
    assert both.read_text(encoding="utf-8") == text.format(2, kept)


def test_views_follow(cli: Command, root: Path) -> None:
    # C-3, W-1
    keep = cli.json("remember", "The spare key is with Wei.", "--importance", "2")["memory"]["id"]
    gone = cli.json("remember", "Noor planted three pear trees.", "--importance", "5")["memory"]["id"]
    assert f"[id:{gone}]" in (root / "MEMORY.md").read_text(encoding="utf-8")
    cli.json("merge", keep, gone, "--content", "Keys and trees.")
    views = (root / "MEMORY.md").read_text(encoding="utf-8") + "".join(
        path.read_text(encoding="utf-8") for path in (root / "memory").glob("*.md")
    )
    assert gone not in views
    assert views.count(f"Keys and trees. {line_end(root, keep)}") == 2


def test_private_is_not_merged_into_public(cli: Command, root: Path) -> None:
    # P-6
    public = cli.json("remember", "The spare key is with Wei.")["memory"]["id"]
    private = cli.json("remember", "-", "--private", stdin="Zanzibar is where the money is.")["memory"]["id"]
    before = contents(root)
    answer = cli.run("merge", public, private)
    assert answer.code == 6
    assert one_line(answer.err)
    assert "Zanzibar" not in answer.err
    assert contents(root) == before


def test_public_merged_into_private_leaves_no_name_behind(cli: Command, root: Path) -> None:
    # P-3, P-6: what led to the public one is linked from the private side
    private = cli.json("remember", "-", "--private", stdin="Zanzibar is where the money is.")["memory"]
    memory(root, key(GONE, "the-bank"), GONE, "The bank is closed.", "importance: 5")
    linked = memory(
        root, key(OTHER, "trip"), OTHER, "The trip, see [[the-bank-bbbbbbbb|the bank]].",
        "links:", '  - "[[the-bank-bbbbbbbb|The bank is closed · caused_by 0.90]]"',
    )  # fmt: skip
    cli.json("merge", private["id"], GONE)
    assert private["id"] not in public_text(root)
    assert "Zanzibar" not in public_text(root)
    assert linked.read_text(encoding="utf-8").endswith("---\nThe trip, see the bank.\n")
    text = (root / private["path"]).read_text(encoding="utf-8")
    assert "[[trip-cccccccc|The trip, see the bank · leads_to 0.90]]" in text
    assert {edge["id"] for edge in cli.json("show", OTHER)["links"]} == {private["id"]}


def test_what_cannot_be_merged(cli: Command, root: Path) -> None:
    # C-3
    two(root)
    memory(root, key(OTHER, "old"), OTHER, "It was so once.", "valid_to: 2026-11-02T00:00:00")
    before = contents(root)
    for arguments, code in (
        ((KEEP, KEEP), 2),
        ((KEEP, "mem_ffffffffffff"), 4),
        (("mem_ffffffffffff", KEEP), 4),
        ((KEEP, OTHER), 5),
        ((OTHER, KEEP), 5),
        ((KEEP, GONE, "--content", "  "), 2),
    ):
        answer = cli.run("merge", *arguments)
        assert answer.code == code, arguments
        assert one_line(answer.err)
    assert contents(root) == before


def test_a_note_that_cannot_be_edited_is_named(cli: Command, root: Path) -> None:
    # V-7, C-3
    two(root)
    broken = note(root, "memories/broken.md", '---\nlinks: ["[[wei-has-the-key-bbbbbbbb]]"\nid: x\n---\nText\n')
    was = broken.read_bytes()
    assert cli.json("merge", KEEP, GONE)["left"] == ["memories/broken.md"]
    assert broken.read_bytes() == was
