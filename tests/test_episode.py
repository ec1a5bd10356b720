"""Episodes: memories that belong together, as one story."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Command
from helpers import aged, contents, memory, mode, note, one_line, public_text, states

A, B, C, SECRET = "mem_aa11aa11aa11", "mem_bb22bb22bb22", "mem_cc33cc33cc33", "mem_dd44dd44dd44"


@pytest.fixture
def notes(root: Path) -> Path:
    memory(root, "memories/call-aa11aa11.md", A, "A call at 06:10", "importance: 2")
    note(root, "memories/fix-bb22bb22.md", f"---\nid: {B}\ncreated: 2026-11-20T09:30:00\nimportance: 4\n---\nThe fix\n")
    note(root, "memories/between.md", f"---\nid: {C}\ncreated: 2026-11-10T12:00:00\n---\nThe days between\n")
    note(root, f"private/{SECRET}.md", f"---\nid: {SECRET}\ncreated: 2026-12-24\n---\nMy zebra fear\n")
    return root


@pytest.fixture
def story(cli: Command, notes: Path) -> dict:
    return cli.json(
        "episode", "create", "--memory", B, "--memory", "aa11", "--summary", "Nine minutes: gone. And back."
    )["episode"]


def test_create(cli: Command, notes: Path) -> None:
    # W-2: id, summary, members, start and end of its memories, importance
    answer = cli.run(
        *("episode", "create", "--memory", B, "--memory", "aa11", "--memory", A),
        *("--summary", "Nine minutes\n were gone", "--title", "The midnight gap"),
    )
    assert answer.code == 0
    (path,) = (notes / "episodes").iterdir()
    found = re.fullmatch(r"Created \(id: (ep_([0-9a-f]{8})[0-9a-f]{4})\) with 2 memories: (\S+)\n", answer.out)
    assert found
    assert found[3] == f"episodes/the-midnight-gap-{found[2]}.md"
    text = path.read_text()
    assert re.sub(r"created: .*", "created: now", text) == (
        f'---\nid: {found[1]}\ncreated: now\nsummary: "Nine minutes were gone"\nmembers:\n'
        '  - "[[call-aa11aa11]]"\n  - "[[fix-bb22bb22]]"\n'
        "start: 2026-11-01T08:00:00\nend: 2026-11-20T09:30:00\nimportance: 4\n---\n# The midnight gap\n"
    )
    cli.run("undo")
    assert not list((notes / "episodes").iterdir())


def test_show(cli: Command, notes: Path, story: dict) -> None:
    # W-2
    assert story["title"] == "Nine minutes: gone"
    before = states(notes)
    answer = cli.run("episode", "show", story["id"])
    assert answer.out == (
        f"Nine minutes: gone (id: {story['id']}, private: false)\n"
        "2026-11-01 to 2026-11-20 | Importance: 4\n"
        "Nine minutes: gone. And back.\n\n2 memories:\n"
        f"1. [2026-11-01] A call at 06:10 (id: {A}, private: false)\n"
        f"2. [2026-11-20] The fix (id: {B}, private: false)\n"
    )
    shown = cli.json("episode", "show", story["id"][3:9])
    assert (shown["id"], shown["members"], shown["missing"]) == (story["id"], [A, B], 0)
    assert shown["start"] == "2026-11-01T08:00:00+09:00"
    assert [each["content"] for each in shown["memories"]] == ["A call at 06:10", "The fix"]
    assert states(notes) == before


def test_ids_that_no_longer_exist_are_filtered_out(cli: Command, notes: Path, story: dict) -> None:
    # W-2, F-1: only then the note; the file is untouched; a restored memory is shown again
    path = notes / story["path"]
    before = path.read_bytes()
    cli.run("forget", A)
    assert path.read_bytes() == before
    answer = cli.run("episode", "show", story["id"])
    assert answer.out.endswith(
        f"\n1 memory:\n1. [2026-11-20] The fix (id: {B}, private: false)\nNote: 1 memory(ies) no longer exist.\n"
    )
    assert cli.json("episode", "list")["episodes"][0]["missing"] == 1
    cli.run("forget", B)
    assert cli.run("episode", "show", story["id"]).out.endswith("0 memories:\nNote: 2 memory(ies) no longer exist.\n")
    cli.run("restore", A)
    cli.run("restore", B)
    assert cli.json("episode", "show", story["id"])["members"] == [A, B]
    assert "Note:" not in cli.run("episode", "show", story["id"]).out
    assert path.read_bytes() == before


def test_list(cli: Command, notes: Path, story: dict) -> None:
    early = cli.json("episode", "create", "--memory", A, "--summary", "An early one")["episode"]
    secret = cli.json("episode", "create", "--memory", SECRET, "--summary", "A hidden one")["episode"]
    assert cli.run("episode", "list").out == (
        f"{secret['id']}  2026-12-24  A hidden one  1 memory (private)\n"
        f"{story['id']}  2026-11-01 to 2026-11-20  Nine minutes: gone  2 memories\n"
        f"{early['id']}  2026-11-01  An early one  1 memory\n"
    )


def test_none(cli: Command) -> None:
    assert cli.run("episode", "list").out == "No episodes.\n"


def test_add_and_remove(cli: Command, notes: Path, story: dict) -> None:
    # W-2, V-4: the members, start and end; the rest of the file stays
    path = notes / story["path"]
    path.write_text(
        path.read_text().replace("importance: 4\n", "importance: 4 # mine\nmood: x\n") + "\nSee [[between]].\n"
    )
    before = path.read_text()
    later = cli.json("remember", "What came of it", "--force")["memory"]
    answer = cli.run("episode", "add", story["id"], C, later["id"], B)
    assert answer.out == f"Added 2 memories to {story['id']}.\nAlready in it: {B}\n"
    end = later["created"][:19]
    assert path.read_text() == before.replace(
        '  - "[[fix-bb22bb22]]"\n', f'  - "[[fix-bb22bb22]]"\n  - "[[between]]"\n  - "[[{Path(later["path"]).stem}]]"\n'
    ).replace("end: 2026-11-20T09:30:00", f"end: {max(end, '2026-11-20T09:30:00')}")
    answer = cli.run("episode", "add", story["id"], C)
    assert (answer.code, answer.out) == (0, f"Already in it: {C}\n")
    assert cli.run("episode", "remove", story["id"], C, later["id"]).out == f"Removed 2 memories from {story['id']}.\n"
    assert path.read_text() == before
    cli.run("undo")
    assert cli.json("episode", "show", story["id"])["members"] == [A, B, C, later["id"]]


def test_remove_what_is_gone_or_not_in_it(cli: Command, notes: Path, story: dict) -> None:
    cli.run("forget", A)
    answer = cli.run("episode", "remove", story["id"], C)
    assert answer.code == 4
    assert f"Not in {story['id']}: {C}" in answer.err
    assert cli.json("episode", "remove", story["id"], A)["episode"]["missing"] == 0
    assert cli.json("episode", "show", story["id"])["start"] == "2026-11-20T09:30:00+09:00"
    cli.run("episode", "remove", story["id"], B)
    assert cli.json("episode", "show", story["id"])["members"] == []


def test_with_a_private_memory_it_is_private(cli: Command, notes: Path) -> None:
    # P-6, P-1, P-3
    made = cli.json("episode", "create", "--memory", A, "--memory", SECRET, "--summary", "About the zebra")["episode"]
    assert made["private"] is True
    assert made["path"] == f"private/{made['id']}.md"
    assert mode(notes / made["path"]) == 0o600
    assert "private: true\n" in (notes / made["path"]).read_text()
    text = public_text(notes)
    assert "zebra" not in text
    assert made["id"] not in text
    assert cli.json("episode", "show", made["id"])["members"] == [A, SECRET]
    by_wish = cli.json("episode", "create", "--memory", A, "--summary", "-", "--private", stdin="A quiet heron")[
        "episode"
    ]
    assert by_wish["private"] is True
    assert "heron" not in public_text(notes)


def test_a_public_episode_becomes_private_with_its_first_private_memory(cli: Command, notes: Path, story: dict) -> None:
    # P-6, P-3: the file moves, links to it go, what others say in their text is listed
    name = Path(story["path"]).stem
    linking = memory(notes, "memories/l.md", "mem_000000000001", "Text", f'links: ["[[{name}]]", "[[between]]"]')
    saying = memory(notes, "memories/s.md", "mem_000000000002", f"As in [[{name}|that story]].")
    hidden = note(notes, "private/h.md", f"---\nid: mem_000000000003\n---\nAs in [[{name}|that story]].")
    before = contents(notes)
    answer = cli.run("episode", "add", story["id"], SECRET)
    assert answer.code == 0
    assert answer.out == f"Added 1 memory to {story['id']}.\nIt is private now: private/{story['id']}.md\n"
    assert "note: memories/s.md still names the episode, which is private now" in answer.err
    assert not (notes / story["path"]).exists()
    assert mode(notes / f"private/{story['id']}.md") == 0o600
    assert 'links: ["[[between]]"]' in linking.read_text()
    assert saying.read_bytes() == before["memories/s.md"]
    assert hidden.read_text().endswith(f"As in [[{story['id']}|that story]].")
    assert SECRET not in public_text(notes)
    shown = cli.json("episode", "show", story["id"])
    assert (shown["members"], shown["private"]) == ([A, B, SECRET], True)
    cli.json("episode", "remove", story["id"], SECRET)
    assert cli.json("episode", "show", story["id"])["private"] is True  # in doubt it stays so
    cli.run("undo")
    cli.run("undo")
    after = contents(notes)
    assert {key: after.get(key) for key in before if not key.startswith("history/")} == {
        key: data for key, data in before.items() if not key.startswith("history/")
    }


def test_an_episode_a_person_wrote(cli: Command, notes: Path) -> None:
    # W-2: by hand, with any way to write a list
    note(notes, "episodes/Mine.md", "---\nmembers: [[between]]\nstart: 2026-11-10\n---\n# My own\n\nText.\n")
    (found,) = cli.json("episode", "list")["episodes"]
    assert (found["title"], found["members"], found["path"]) == ("My own", [C], "episodes/Mine.md")
    assert cli.run("episode", "add", found["id"], A).code == 0
    assert cli.json("episode", "show", found["id"])["members"] == [C, A]


def test_filters(cli: Command, notes: Path, story: dict) -> None:
    #
    found = cli.json("list", "--episode", story["id"], "--closed")["memories"]
    assert {each["id"] for each in found} == {A, B}
    assert [each["id"] for each in cli.json("recall", "anything at all", "--episode", story["id"][:9])["results"]]
    assert {each["id"] for each in cli.json("recall", "the days between", "--episode", story["id"])["results"]} <= {
        A,
        B,
    }
    assert cli.run("recall", "x", "--episode", "ep_00").code == 4


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["create", "--summary", "x"], 2),
        (["create", "--memory", A], 2),
        (["create", "--memory", A, "--summary", " \n"], 2),
        (["create", "--memory", A, "--summary", "x" * 2001], 2),
        (["create", "--memory", A, "--summary", "x", "--importance", "6"], 2),
        (["create", "--memory", "mem_0000", "--summary", "x"], 4),
        (["create", "--memory", "ep_0123456789ab", "--summary", "x"], 2),
        (["show", "ep_0000"], 4),
        (["show", A], 4),
        (["add", "ep_0000", A], 4),
        (["add", "ep_0123456789ab", "mem_0000"], 4),
        (["add", "ep_0123456789ab"], 2),
        (["remove", "ep_0000", A], 4),
        (["add", "ep_ba5eba5eba5e", A], 1),
    ],
)
def test_what_cannot_be_done(cli: Command, notes: Path, arguments: list[str], code: int) -> None:
    note(notes, "episodes/e.md", "---\nid: ep_0123456789ab\n---\n# An episode")
    note(notes, "episodes/broken.md", "---\nid: ep_ba5eba5eba5e\nmembers: [\n---\n# Broken")
    before = contents(notes)
    answer = cli.run("episode", *arguments)
    assert answer.code == code, answer.err
    assert one_line(answer.err) or code == 2
    assert contents(notes) == before


def test_the_sample_vault(sample_cli: Command) -> None:
    found = sample_cli.json("episode", "list")["episodes"]
    assert [(each["id"], len(each["members"]), each["missing"]) for each in found] == [
        ("ep_89255202298c", 4, 0),
        ("ep_2dd43b5bd92d", 7, 0),
    ]


def test_an_episode_keeps_its_members_when_it_is_forgotten_and_restored(cli: Command, notes: Path, story: dict) -> None:
    # W-2, F-2: also those that were forgotten meanwhile
    path = notes / story["path"]
    before = path.read_bytes()
    cli.run("forget", A)
    assert cli.run("forget", story["id"]).code == 0
    assert cli.run("episode", "show", story["id"]).code == 4
    assert cli.run("restore", story["id"]).code == 0
    assert path.read_bytes() == before
    cli.run("restore", A)
    assert cli.json("episode", "show", story["id"])["members"] == [A, B]


def test_an_episode_becomes_private_with_its_member(cli: Command, root: Path) -> None:
    # P-2, P-6: by the command, by the flag, and where it knows the memory by a former name
    texts = ("The zebra plan of autumn", "A bicycle needs a new chain", "Soup was hot and salty")
    first, second, third = (cli.json("remember", text)["memory"] for text in texts)
    story = cli.json("episode", "create", "--memory", first["id"], "--memory", second["id"], "--summary", "Zebra days")
    calm = cli.json("episode", "create", "--memory", second["id"], "--memory", third["id"], "--summary", "Calm")
    renamed = root / "memories/My zebra.md"
    (root / first["path"]).rename(renamed)
    cli.run("status")
    episode = root / story["episode"]["path"]
    name = Path(first["path"]).stem
    episode.write_text(episode.read_text().replace(f"[[{name}]]", "[[My zebra]]"))
    cli.run("status")
    renamed.rename(root / "memories/Another name.md")
    cli.run("status")
    answer = cli.json("private", first["id"])
    assert answer["episodes"] == [story["episode"]["id"]]
    assert not episode.exists()
    assert "zebra" not in public_text(root).lower()
    shown = cli.json("episode", "show", story["episode"]["id"])
    assert (shown["private"], shown["members"]) == (True, [first["id"], second["id"]])
    assert cli.json("episode", "show", calm["episode"]["id"])["private"] is False
    flagged = root / third["path"]
    flagged.write_text(flagged.read_text().replace("private: false", "private: true"))
    aged(flagged)
    cli.run("config", "set", "quiet_seconds", "0")
    cli.run("status")
    assert cli.json("episode", "show", calm["episode"]["id"])["private"] is True
    assert not (root / calm["episode"]["path"]).exists()
    assert "soup" not in public_text(root).lower()
