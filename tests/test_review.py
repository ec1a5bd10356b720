"""REVIEW.md: proposals that the owner ticks in an editor, or answers in a terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Command
from helpers import aged, contents, memory

ONE, TWO = "mem_00000000000a", "mem_00000000000b"


@pytest.fixture
def quick(cli: Command) -> Command:
    """Files count as quiet at once."""
    cli.run("config", "set", "quiet_seconds", "0")
    return cli


@pytest.fixture
def proposed(quick: Command, root: Path) -> str:
    """Two memories that say nearly the same, and the proposal to merge them."""
    memory(root, "memories/one.md", ONE, "The winch on the north pier was repaired by Ewan")
    memory(root, "memories/two.md", TWO, "The winch on the north pier was repaired by Ewan.")
    quick.run("consolidate", "--all")
    (found,) = quick.json("review", "list")["proposals"]
    assert found["kind"] == "merge"
    return str(found["id"])


def tick(root: Path, box: str, name: str = "REVIEW.md") -> None:
    path = root / name
    path.write_text(path.read_text().replace("- [ ]", f"- [{box}]"))
    aged(path)


def test_what_a_person_reads(proposed: str, root: Path) -> None:
    text = (root / "REVIEW.md").read_text()
    assert text.startswith("# Review\n")
    assert re.search(
        rf"^- \[ \] merge \[\[\w+\|The winch .*\]\] into \[\[\w+\|The winch .*\^{proposed}$", text, re.MULTILINE
    )


def test_ticking_a_box(proposed: str, quick: Command, root: Path) -> None:
    # applied once, as one undoable operation, moved to done with the date
    (root / "REVIEW.md").write_text("My own words.\n\n" + (root / "REVIEW.md").read_text())
    before = contents(root)
    tick(root, "x")
    assert quick.run("status").code == 0
    assert len(list((root / "memories").rglob("*.md"))) == 1
    text = (root / "REVIEW.md").read_text()
    assert text.startswith("My own words.\n")
    assert re.search(rf"## Done\n\n- \[x\] \d{{4}}-\d\d-\d\d merge .*\^{proposed}\n", text)
    assert quick.json("review", "list")["proposals"] == []
    quick.run("status")
    (op,) = [each for each in quick.json("history")["operations"] if each["command"] == "merge"]
    assert quick.run("undo", op["op"]).code == 0
    assert {name: data for name, data in contents(root).items() if "history" not in name} == before
    quick.run("status")  # what was undone is not done again by itself
    assert len(list((root / "memories").rglob("*.md"))) == 2


@pytest.fixture
def richer(quick: Command, root: Path) -> None:
    """The proposal that an earlier version made: a long overview is to be merged into a line."""
    from vault_mem import Vault
    from vault_mem.notes.checklist import Proposal, add
    from vault_mem.operations.upkeep.review import digest_of

    memory(root, "memories/one.md", ONE, "The winch on the north pier was repaired by Ewan")
    overview = "The winch on the north pier was repaired by Ewan.\n\nHe used the spare drum, and the brake still slips."
    memory(root, "memories/two.md", TWO, overview)
    vault = Vault(root, env=quick.env)
    digest = digest_of(lambda key: (root / key).read_bytes(), [vault.show(id_).memory for id_ in (ONE, TWO)])
    proposal = Proposal("merge", (ONE, TWO), "merge [[two|Two]] into [[one|One]]: similarity 0.93", digest)
    (root / "REVIEW.md").write_text(add(None, [proposal]))


@pytest.mark.parametrize("by", ["hand", "command"])
def test_what_says_more_is_not_merged_away(richer: None, quick: Command, root: Path, by: str) -> None:
    # S-8: appending is offered instead, and done when that is ticked
    if by == "hand":
        tick(root, "x")
        quick.run("status")
    else:
        assert quick.json("review", "accept", "1")["status"] == "stale"
    assert "the brake still slips" in (root / "memories/two.md").read_text()
    (offer,) = quick.json("review", "list")["proposals"]
    assert offer["kind"] == "append"
    assert re.search(r"## Done\n\n- \[!\] .*it says more", (root / "REVIEW.md").read_text())
    tick(root, "x")
    quick.run("status")
    (kept,) = (root / "memories").rglob("*.md")
    text = kept.read_text().split("---\n", 2)[2]
    assert text.startswith("The winch on the north pier was repaired by Ewan\n\nThe winch on the north pier")
    assert text.endswith("the brake still slips.\n")
    assert quick.json("review", "list")["proposals"] == []


def test_what_says_more_is_proposed_to_be_appended(quick: Command, root: Path) -> None:
    # S-8
    from vault_mem import Vault
    from vault_mem.operations.upkeep.review import Suggestion, propose

    memory(root, "memories/one.md", ONE, "Ewan repaired the winch")
    memory(root, "memories/two.md", TWO, "Ewan repaired the winch with the spare drum from Bergen")
    vault = Vault(root, env=quick.env)
    vault.list()
    (one,) = propose(vault.workspace, [Suggestion("merge", (ONE, TWO), "alike")])
    (other,) = propose(vault.workspace, [Suggestion("merge", (TWO, ONE), "alike")])
    assert (one.kind, other.kind) == ("append", "merge")


def test_not_before_the_file_is_quiet(cli: Command, proposed: str, root: Path) -> None:
    cli.run("config", "set", "quiet_seconds", "3600")
    path = root / "REVIEW.md"
    path.write_text(path.read_text().replace("- [ ]", "- [x]"))
    cli.run("status")
    assert len(list((root / "memories").rglob("*.md"))) == 2


@pytest.mark.parametrize("by", ["hand", "command"])
def test_rejected_for_good(proposed: str, quick: Command, root: Path, by: str) -> None:
    if by == "hand":
        tick(root, "-")
        quick.run("status")
    else:
        assert quick.json("review", "reject", proposed)["status"] == "rejected"
    assert "## Rejected\n\n- [-] " in (root / "REVIEW.md").read_text()
    quick.run("consolidate", "--all")
    assert quick.json("review", "list")["proposals"] == []
    assert len(list((root / "memories").rglob("*.md"))) == 2


def test_stale(proposed: str, quick: Command, root: Path) -> None:
    # a proposal whose memories changed since is marked and not applied; a new one may be made
    path = root / "memories/one.md"
    path.write_text(path.read_text().replace("repaired", "repaired again"))
    assert quick.json("review", "accept", "1")["status"] == "stale"
    assert len(list((root / "memories").rglob("*.md"))) == 2
    assert "stale" in (root / "REVIEW.md").read_text()
    path.write_text(path.read_text().replace("repaired again", "repaired"))
    quick.run("consolidate", "--all")
    assert quick.json("review", "accept", "1")["status"] == "applied"


def test_private_memories(quick: Command, root: Path) -> None:
    # only in private/REVIEW.md, which is not itself a memory
    for number in (1, 2):
        memory(
            root, f"private/mem_00000000000{number}.md", f"mem_00000000000{number}", "Nobody knows about the lighthouse"
        )
    quick.run("consolidate", "--all")
    assert not (root / "REVIEW.md").exists()
    text = (root / "private/REVIEW.md").read_text()
    assert "lighthouse" in text
    assert (root / "private/REVIEW.md").stat().st_mode & 0o777 == 0o600
    assert quick.json("list")["total"] == 2
    tick(root, "x", "private/REVIEW.md")
    quick.run("status")
    assert quick.json("list")["total"] == 1


def test_a_changed_fact(quick: Command, root: Path) -> None:
    # D-6: the guard's "what differs" proposes that the new one takes the old one's place
    old = quick.json("remember", "The standup is at 3pm", "--kind", "fact")["memory"]["id"]
    new = quick.json("remember", "The standup is at 4pm", "--kind", "fact")["memory"]["id"]
    (found,) = quick.json("review", "list")["proposals"]
    assert (found["kind"], found["memories"]) == ("supersede", [new, old])
    assert "3pm" in found["text"]
    assert quick.json("review", "accept", "1")["status"] == "applied"
    assert [each["id"] for each in quick.json("recall", "standup")["results"]] == [new]
    assert quick.json("show", old)["valid_to"]
    assert quick.run("undo").code == 0
    assert quick.json("show", old).get("valid_to") is None
    assert len(quick.json("review", "list")["proposals"]) == 1


def test_turned_off(cli: Command, root: Path) -> None:
    cli.run("config", "set", "review", "false")
    cli.run("remember", "The standup is at 3pm", "--kind", "fact")
    cli.run("remember", "The standup is at 4pm", "--kind", "fact")
    assert not (root / "REVIEW.md").exists()


def test_unknown(cli: Command) -> None:
    assert cli.run("review", "accept", "1").code == 4
    assert cli.run("review", "list").out == "Nothing to review.\n"


def test_proposals_about_what_is_gone(quick: Command, root: Path) -> None:
    # a memory that was forgotten, or whose saving was undone, is not proposed any more; with it the proposal comes back
    old = quick.json("remember", "The standup is at 3pm", "--kind", "fact")["memory"]["id"]
    quick.run("remember", "The standup is at 4pm", "--kind", "fact")
    assert quick.run("forget", old).code == 0
    assert quick.json("review", "list")["proposals"] == []
    assert quick.run("undo").code == 0
    assert len(quick.json("review", "list")["proposals"]) == 1
    assert quick.run("undo").code == 0
    assert quick.json("review", "list")["proposals"] == []
