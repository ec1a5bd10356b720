"""Numbers in a query: those that belong to a word, as in bed 4 and ADR-014, and telephone numbers (R-1, R-2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from helpers import memory

SHELF = {
    "bench-2": "Bench 2, Ingrid: 6 clamps missing.",
    "bench-3": "Bench 3: slips at 6.5 turns.",
    "bench-6": "Bench 6, Odile: the lamp over the vice flickers, the electrician was asked on Monday.",
    "bench-6-stool": "Bench #6, Odile again: a new stool was ordered, with arms and without wheels.",
    "rule": "RFC-021: all drawings are stored as SVG files.",
    "other-rule": "RFC-022: saws are sharpened once a month.",
    "leave": "Tomas is away until 21 January.",
    "outage": "INC-318: the compressor stood still for an hour.",
    "law": "§ 433: what the seller owes the buyer.",
    "other-law": "§ 812, see also page 433 of the commentary.",
    "episode": "第5話は港の場面から。",
    "other-episode": "第15話は5人の旅。",
    "flat": "4号室の合鍵は棚の上。",
    "other-flat": "14号室は4人家族。",
    "joiner": "Joiner: 4915198765432",
    "glazier": "Glazier: +47 22 41 60 73",
}


@pytest.fixture
def shelf(root: Path) -> Path:
    for number, (name, text) in enumerate(SHELF.items()):
        memory(root, f"memories/{name}.md", f"mem_{number:012x}", text)
    return root


def found(cli: Command, command: str, query: str) -> list[str]:
    answer = cli.json(command, query)
    assert answer.get("answered", True)
    return [Path(each["path"]).stem for each in answer["results"]]


@pytest.mark.parametrize("query", ["bench 6", "Who works at bench 6?", "bench-6", "Bench #6", "bench no. 6"])
def test_a_number_belongs_to_the_word_before_it(cli: Command, shelf: Path, query: str) -> None:
    assert set(found(cli, "recall", query)[:2]) == {"bench-6", "bench-6-stool"}


@pytest.mark.parametrize(
    ("query", "name"),
    [
        *[(each, "rule") for each in ("RFC 21", "RFC21", "rfc-21", "RFC 021", "What does RFC 21 say?")],
        *[(each, "outage") for each in ("INC318", "INC 318", "inc-318")],
        *[(each, "law") for each in ("§ 433", "§433")],
        ("第5話", "episode"),
        *[(each, "flat") for each in ("4号室", "4号室の鍵は?")],
        *[(each, "joiner") for each in ("+49 151 98765432", "+49 (151) 9876-5432", "4915198765432")],
        *[(each, "glazier") for each in ("+4722416073", "4722416073", "call +47 2241 6073")],
    ],
)
def test_a_number_is_found_however_it_is_written(cli: Command, shelf: Path, query: str, name: str) -> None:
    assert found(cli, "recall", query)[0] == name


@pytest.mark.parametrize(
    ("query", "name"),
    [("RFC21", "rule"), ("INC318", "outage"), ("+49 151 98765432", "joiner"), ("4722416073", "glazier")],
)
def test_search_finds_it_too(cli: Command, shelf: Path, query: str, name: str) -> None:
    assert found(cli, "search", query)[0] == name


@pytest.mark.parametrize("query", ["RFC21", "bench 6"])
def test_a_number_that_the_vault_writes_as_the_query_does_stays(cli: Command, root: Path, query: str) -> None:
    memory(root, "memories/a.md", "mem_00000000000a", f"{query}: oil the hinges.")
    memory(root, "memories/b.md", "mem_00000000000b", "RFC-022 and bench 16 are for another day.")
    assert found(cli, "recall", query)[0] == "a"


@pytest.mark.parametrize("query", ["+49 151 11112222", "4722416074"])
def test_a_telephone_number_that_is_nowhere_is_not_answered(cli: Command, shelf: Path, query: str) -> None:
    assert not cli.json("recall", query)["answered"]
