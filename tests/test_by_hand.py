"""What a person wrote into a memory stays, whatever we write into it (SPEC S-8)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from conftest import Command
from helpers import memory, one_line

CALLOUT = "\n> [!warning] Mine\n> Ask Noor before you believe this.\n"


def mood(cli: Command, text: str, *more: str):
    return cli.json("remember", text, "--kind", "mood", *more)


def path_of(root: Path, answer: dict) -> Path:
    return root / answer["memory"]["path"]


def body(path: Path) -> str:
    return path.read_text().split("---\n", 2)[2]


def test_lines_under_a_mood_stay(cli: Command, root: Path) -> None:
    # the whole body was replaced
    path = path_of(root, mood(cli, "Calm, a little tired"))
    path.write_text(path.read_text() + "\nI slept badly because of the wind.\n")
    answer = mood(cli, "Better after the walk")
    assert body(path) == "Better after the walk\n\nI slept badly because of the wind.\n"
    assert answer["kept"] == "I slept badly because of the wind."
    said = cli.run("remember", "Tired again", "--kind", "mood").out
    assert "Added by hand, and still there: I slept badly" in said
    assert body(path) == "Tired again\n\nI slept badly because of the wind.\n"
    assert cli.run("undo").code == 0
    assert cli.run("undo").code == 0
    assert body(path) == "Calm, a little tired\n\nI slept badly because of the wind.\n"
    assert mood(cli, "Calm again")["kept"]
    assert body(path) == "Calm again\n\nI slept badly because of the wind.\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}\n" + CALLOUT, "{}\n" + CALLOUT),
        ("# Mine\n\n{}\n", "# Mine\n\n{}\n"),
        ("Above\n{}\nBelow\n", "Above\n{}\nBelow\n"),
        ("{} ^gate-code\n", "{} ^gate-code\n"),
        ("{} ^gate-code\n\nBelow, no end", "{} ^gate-code\n\nBelow, no end"),
        ("{}\r\n\r\n- [ ] ask\r\n", "{}\r\n\r\n- [ ] ask\r\n"),
        ("\n{}\n\n\n", "{}\n"),
    ],
)
def test_an_update_keeps_what_was_added(cli: Command, root: Path, before: str, after: str) -> None:
    # callouts and block ids were wiped
    saved = cli.json("remember", "The gate code is 4471")
    path = path_of(root, saved)
    text = path.read_bytes()
    path.write_bytes(text.replace(b"The gate code is 4471\n", before.format("The gate code is 4471").encode()))
    answer = cli.json("remember", "The gate code is 9920", "--update", saved["memory"]["id"])
    assert path.read_bytes().split(b"---\n", 2)[2] == after.format("The gate code is 9920").encode()
    assert bool(answer["kept"]) == (after != "{}\n")
    again = cli.json("remember", "The gate code is 1203", "--update", saved["memory"]["id"])
    assert path.read_bytes().split(b"---\n", 2)[2] == after.format("The gate code is 1203").encode()
    assert again["kept"] == answer["kept"]


def test_a_text_of_several_lines(cli: Command, root: Path) -> None:
    saved = cli.json("remember", "-", stdin="The plan:\n\n- sand\n- oil\n")
    path = path_of(root, saved)
    path.write_text(path.read_text() + "- and wax (mine)\n")
    cli.json("remember", "-", "--update", saved["memory"]["id"], stdin="The plan:\n\n- sand twice\n")
    assert body(path) == "The plan:\n\n- sand twice\n- and wax (mine)\n"


@pytest.mark.parametrize("text", ["The gate code is 4471, I think", "A note of my own", "The gate code\nis 4471"])
def test_a_text_that_was_changed_by_hand_is_not_replaced(cli: Command, root: Path, text: str) -> None:
    # nobody can say what may go: exit 5, and the way on
    saved = cli.json("remember", "The gate code is 4471")
    path = path_of(root, saved)
    path.write_text(path.read_text().replace("The gate code is 4471", text))
    before = path.read_bytes()
    answer = cli.run("remember", "The gate code is 9920", "--update", saved["memory"]["id"])
    assert answer.code == 5
    assert one_line(answer.err)
    assert "--replace-all" in answer.err
    assert path.read_bytes() == before
    done = cli.run("remember", "The gate code is 9920", "--update", saved["memory"]["id"], "--replace-all")
    assert done.code == 0
    assert body(path) == "The gate code is 9920\n"
    assert cli.run("undo").code == 0
    assert path.read_bytes() == before


def test_a_mood_that_was_changed_by_hand(cli: Command, root: Path) -> None:
    path = path_of(root, mood(cli, "Calm, a little tired"))
    path.write_text(path.read_text().replace("a little tired", "and wide awake"))
    answer = cli.run("remember", "Better", "--kind", "mood")
    assert answer.code == 5
    assert "--replace-all" in answer.err
    assert "wide awake" in path.read_text()
    assert cli.run("remember", "Better", "--kind", "mood", "--replace-all").code == 0
    assert body(path) == "Better\n"


def test_a_note_of_a_persons_own_is_not_replaced(cli: Command, root: Path) -> None:
    memory(root, "memories/gate.md", "mem_00000000000a", "The gate code is 4471, says Noor.")
    assert cli.run("remember", "The gate code is 9920", "--update", "mem_00000000000a").code == 5
    assert "says Noor" in (root / "memories/gate.md").read_text()


def test_nothing_by_hand_nothing_said(cli: Command, root: Path) -> None:
    # also after tags and links, a new name, another machine's clock
    saved = cli.json("remember", "The gate code is 4471")
    id_ = saved["memory"]["id"]
    cli.run("tag", id_, "+gate")
    cli.run("rename", id_, "the gate")
    answer = cli.json("remember", "The gate code is 9920", "--update", id_)
    assert (answer["status"], answer["kept"]) == ("updated", "")


def test_without_a_journal_the_files_date_tells(cli: Command, root: Path) -> None:
    # a copy of the vault whose times were kept; in one whose times are new, nobody can say
    first = cli.json("remember", "The gate code is 4471")
    other = cli.json("remember", "The kettle is on the boat", "--force")
    shutil.rmtree(root / ".vault-mem/journal")
    assert cli.json("remember", "The gate code is 9920", "--update", first["memory"]["id"])["status"] == "updated"
    os.utime(path_of(root, other), (2_000_000_000, 2_000_000_000))
    assert cli.run("remember", "The kettle is gone", "--update", other["memory"]["id"]).code == 5


def test_a_merge_with_a_new_text_keeps_what_was_added(cli: Command, root: Path) -> None:
    keep = cli.json("remember", "Wei has the spare key")
    gone = cli.json("remember", "Noor has the other spare key", "--force")
    path = path_of(root, keep)
    path.write_text(path.read_text() + CALLOUT)
    cli.json("merge", keep["memory"]["id"], gone["memory"]["id"], "--content", "Wei and Noor have the spare keys")
    assert body(path) == "Wei and Noor have the spare keys\n" + CALLOUT
    cli.json("remember", "Nobody has the spare keys", "--update", keep["memory"]["id"])
    assert body(path) == "Nobody has the spare keys\n" + CALLOUT


def test_a_private_memory_is_not_quoted_when_it_stops(cli: Command, root: Path) -> None:
    # P-3
    saved = cli.json("remember", "-", "--private", stdin="The heliotrope plan")
    path = path_of(root, saved)
    path.write_text(path.read_text().replace("plan", "scheme"))
    answer = cli.run("remember", "-", "--update", saved["memory"]["id"], stdin="Another heliotrope plan")
    assert answer.code == 5
    assert "heliotrope" not in answer.err
