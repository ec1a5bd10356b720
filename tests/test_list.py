"""list: memories, newest first."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from conftest import Command
from helpers import memory

from vault_mem import Vault
from vault_mem.operations.memory.filters import Filters


@pytest.fixture
def many(root: Path) -> Path:
    for number in range(25):
        path = memory(
            root, f"memories/{number}.md", f"mem_{number:012x}", f"Entry {number}", f"importance: {number % 5 + 1}"
        )
        path.write_text(path.read_text().replace("2026-11-01T08", f"2026-11-01T{23 - number % 24:02}"))
    memory(root, "private/mem_0000000000ff.md", "mem_0000000000ff", "A secret entry")
    memory(root, "memories/closed.md", "mem_0000000000fe", "A closed entry", "valid_to: 2026-11-02")
    memory(root, "episodes/e.md", "ep_000000000001", "An episode")
    return root


def test_newest_first(cli: Command, many: Path) -> None:
    answer = cli.json("list", "--all")
    assert set(answer) == {"memories", "total", "stale", "pending"}
    times = [each["created"] for each in answer["memories"]]
    assert times == sorted(times, reverse=True)
    assert answer["total"] == len(times) == 26
    assert "An episode" not in str(answer)


def test_the_text(cli: Command, many: Path) -> None:
    answer = cli.run("list", "-n", "3")
    *lines, last = answer.out.splitlines()
    assert lines[0] == "mem_000000000000  2026-11-01  Entry 0"
    assert len(lines) == 3
    assert last == "3 of 26; --all shows the rest."
    assert "mem_0000000000ff  2026-11-01  A secret entry (private)" in cli.run("list", "--private").out
    assert len(cli.run("list").out.splitlines()) == 21


def test_filters(cli: Command, many: Path, vault: Vault) -> None:
    # R-5, R-6
    assert cli.json("list", "--importance", "5", "--all")["total"] == 5
    assert cli.json("list", "--private")["total"] == 1
    assert cli.json("list", "--public", "--closed")["total"] == 26
    assert cli.json("list", "--as-of", "2026-11-01T23:59:59", "--all")["total"] == 27
    assert vault.list(Filters(private=True)).memories[0].id == "mem_0000000000ff"
    assert vault.list(n=2).total == 26
    assert len(vault.list(n=2).memories) == 2


def test_list_and_search_mean_the_same_by_filters(root: Path, vault: Vault) -> None:
    # R-5: one asks the table, the other looks at the columns in memory
    for number in range(24):
        front = [f"importance: {number % 5 + 1}", f"kind: {('fact', 'event', 'task')[number % 3]}"]
        front += [f"tags: [{'a' if number % 2 else 'b'}, it's]"] if number % 4 else []
        front += [f"people: [{'Ann' if number % 3 else 'Bob'}]"] if number % 5 else []
        front += ["category: work", "emotion: happy"] if number % 2 else []
        front += [f"valid_from: 2026-10-{number + 1:02}"] if number % 3 == 0 else []
        front += [f"valid_to: 2026-11-{number + 1:02}"] if number % 4 == 1 else []
        front += [f"meta_run: {7 if number % 2 else 'x'}"] if number % 3 else []
        place = "private" if number % 6 == 0 else "memories"
        path = memory(root, f"{place}/mem_{number:012x}.md", f"mem_{number:012x}", f"Entry {number}", *front)
        path.write_text(path.read_text().replace("2026-11-01T08", f"2026-11-{number + 1:02}T08"))
    day = datetime(2026, 11, 10, tzinfo=UTC)
    conditions = [
        {"category": "work"}, {"kind": "fact"}, {"tags": ["#a"]}, {"tags": ["a", "it's"]}, {"people": ["ann"]},
        {"emotion": "happy"}, {"importance": 3}, {"since": day}, {"until": day}, {"private": True},
        {"private": False}, {"closed": True}, {"as_of": day}, {"ids": ["mem_000000000003", "mem_000000000007"]},
        {"ids": []}, {"metadata": {"run": 7}},
    ]  # fmt: skip
    sizes = set()
    for one, other in combinations_with_replacement(conditions, 2):
        filters = Filters(**one | other)
        listed = {each.id for each in vault.list(filters).memories}
        assert listed == {each.memory.id for each in vault.search("entry", n=100, filters=filters).results}, filters
        sizes.add(len(listed))
    assert len(sizes) > 8


def test_nothing(cli: Command) -> None:
    assert cli.run("list").out == "No memories.\n"
    assert cli.json("list") == {"memories": [], "total": 0, "stale": False, "pending": 0}


@pytest.mark.parametrize("bad", [["-n", "0"], ["--kind", "x"], ["--importance", "0"], ["--since", "soon"], ["extra"]])
def test_bad_input(cli: Command, bad: list[str]) -> None:
    assert cli.run("list", *bad).code == 2
