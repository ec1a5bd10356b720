"""Clocks that go back: an hour in autumn, years after a battery died; and years that some counters cannot hold."""

from pathlib import Path

from conftest import Command


def saved(cli: Command, text: str, at: str) -> str:
    return str(cli.json("remember", text, env={"VAULT_MEM_NOW": at})["memory"]["id"])


def test_the_hour_that_comes_twice(cli: Command, root: Path) -> None:
    # V-1: 01:45 in summer time comes before 01:15 in winter time
    cli.run("config", "set", "timezone", "America/New_York")
    first = saved(cli, "First the kettle whistled", "2026-11-01T05:45:00+00:00")
    second = saved(cli, "Then the fuse blew in the cellar", "2026-11-01T06:15:00+00:00")
    listed = cli.json("list", env={"VAULT_MEM_NOW": "2026-11-01T08:00:00+00:00"})["memories"]
    assert [(each["id"], each["created"]) for each in listed] == [
        (second, "2026-11-01T01:15:00-05:00"),
        (first, "2026-11-01T01:45:00-04:00"),
    ]
    written = [path.read_text() for path in root.glob("memories/*/*.md")]
    assert sum("created: 2026-11-01T01:45:00\n" in text for text in written) == 1


def test_years_ahead_and_years_back(cli: Command) -> None:
    # V-1: what was saved when the clock was ahead is dated, and is not "just now"
    saved(cli, "Past the epoch we still write", "2038-01-19T04:00:00+00:00")
    back = {"VAULT_MEM_NOW": "2025-01-01T00:00:00+00:00"}
    assert "[2038-01-19] Past the epoch" in cli.run("wake-up", env=back).out
    saved(cli, "The clock went back years", back["VAULT_MEM_NOW"])
    assert "remember" in cli.run("undo", env=back).out
    assert [each["content"] for each in cli.json("list", env=back)["memories"]] == ["Past the epoch we still write"]
