"""Memories that are true for a time: closed, reopened, confirmed, superseded; never deleted."""

from __future__ import annotations

from pathlib import Path

from conftest import Command
from helpers import at, contents, memory

OLD = "mem_00000000000a"


def found(cli: Command, *options: str, env: dict[str, str] | None = None) -> list[str]:
    return [each["content"] for each in cli.json("recall", "where is the standup", *options, env=env)["results"]]


def test_close(cli: Command, root: Path) -> None:
    # R-6, T: closed memories are kept, found by --closed and --as-of, and not by default
    path = memory(root, "memories/a.md", OLD, "The standup is in the blue room", "kind: fact  # mine")
    answer = cli.json("close", OLD, "--reason", "we moved", env=at("2026-11-10"))
    assert answer["status"] == "closed"
    assert answer["memory"]["valid_to"] == "2026-11-10T09:00:00+09:00"
    assert "kind: fact  # mine\nvalid_to: 2026-11-10T09:00:00\n" in path.read_text()
    later = at("2026-11-11")
    assert found(cli, env=later) == []
    assert found(cli, "--closed", env=later) == ["The standup is in the blue room"]
    assert found(cli, "--as-of", "2026-11-05", env=later) == ["The standup is in the blue room"]
    assert found(cli, "--as-of", "2026-11-10T10:00", env=later) == []
    assert cli.run("close", OLD, env=later).code == 5
    (revision,) = cli.json("history", OLD)["revisions"]
    assert (revision["command"], revision["reason"]) == ("close", "we moved")


def test_close_at(cli: Command, root: Path) -> None:
    # an end in the past or to come; never before its beginning
    memory(root, "memories/a.md", OLD, "The standup is in the blue room", "valid_from: 2026-10-01")
    assert cli.run("close", OLD, "--at", "2026-09-01").code == 2
    assert cli.run("close", OLD, "--at", "no day").code == 2
    cli.run("close", OLD, "--at", "2026-12-24")
    assert found(cli, env=at("2026-12-01")) == ["The standup is in the blue room"]
    assert found(cli, env=at("2026-12-25")) == []


def test_reopen(cli: Command, root: Path) -> None:
    before = memory(root, "memories/a.md", OLD, "The standup is in the blue room").read_bytes()
    assert cli.run("reopen", OLD).code == 5
    cli.run("close", OLD)
    cli.run("reopen", OLD)
    assert (root / "memories/a.md").read_bytes() == before
    assert found(cli) == ["The standup is in the blue room"]
    memory(
        root,
        "memories/t.md",
        "mem_00000000000b",
        "Print the papers",
        "kind: task",
        "status: done",
        "valid_to: 2026-11-02",
    )
    cli.run("reopen", "mem_00000000000b")
    assert "status: open" in (root / "memories/t.md").read_text()


def test_confirm_and_recall(cli: Command, root: Path) -> None:
    # T: recall alone never refreshes last_confirmed
    path = memory(root, "memories/a.md", OLD, "The standup is in the blue room", "last_confirmed: 2026-11-02T08:00:00")
    before = contents(root)
    for _ in range(3):
        found(cli)
        cli.run("show", OLD)
    assert {name: data for name, data in contents(root).items() if name in before} == before
    for _ in range(2):  # the second, in the same second, changes nothing and is no operation to undo
        assert cli.run("confirm", OLD, env=at("2026-11-12")).code == 0
    assert "last_confirmed: 2026-11-12T09:00:00" in path.read_text()
    cli.run("close", OLD, env=at("2026-11-13"))
    assert cli.run("confirm", OLD, env=at("2026-11-14")).code == 5
    for _ in range(2):
        assert cli.run("undo").code == 0
    assert path.read_bytes() == before["memories/a.md"]


def test_the_mood_is_one(cli: Command, root: Path) -> None:
    # T-1: a new one updates it, with a revision; long_mood_state is another word for it
    first = cli.json("remember", "Calm, a little tired", "--kind", "mood", "--emotion", "calm", "--valence", "0.2")
    assert first["status"] == "saved"
    second = cli.json("remember", "Worried about the launch", "--kind", "long_mood_state", "--emotion", "afraid")
    assert second["status"] == "updated"
    assert second["memory"]["id"] == first["memory"]["id"]
    assert second["memory"]["emotion"] == "afraid"
    assert second["memory"]["valence"] == 0.2
    assert len(list((root / "memories").rglob("*.md"))) == 1
    (revision,) = cli.json("history", first["memory"]["id"])["revisions"]
    assert "Calm, a little tired" in revision["before"]
    private = cli.json("remember", "-", "--kind", "mood", "--private", stdin="Nobody knows")
    assert private["status"] == "saved"  # P-3: a private mood does not go into a public file
    assert cli.run("undo").code == 0
    assert cli.run("undo").code == 0
    assert "Calm, a little tired" in (root / first["memory"]["path"]).read_text()
