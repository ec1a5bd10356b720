"""search, why-not, budgets, contexts: recall's neighbours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command
from helpers import memory

from vault_mem import Vault
from vault_mem.notes.tokens import count_tokens
from vault_mem.operations.memory.excerpts import sentences


@pytest.fixture
def shelf(root: Path) -> Path:
    memory(root, "memories/a.md", "mem_00000000000a", "The lighthouse keeper likes plums. He eats them at noon.")
    memory(root, "memories/b.md", "mem_00000000000b", "A lamp turns in the tower of the lighthouse.", "kind: fact")
    memory(root, "memories/c.md", "mem_00000000000c", "部品 KX-1204 を三個注文した。会議は金曜。", "tags: [倉庫]")
    memory(root, "memories/d.md", "mem_00000000000d", "The lighthouse burned oil", "valid_to: 2026-10-10T10:00:00")
    return root


def ids(answer: dict) -> list[str]:
    return [each["id"][-1] for each in answer["results"]]


# ---- search


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("lighthouse", "ab"), ("plums", "a"), ("PLUM", "a"), ("kx-1204", "c"), ("ＫＸ－１２０４", "c"), ("会議", "c"),
        ("金曜", "c"), ("倉庫", "c"), ("議", "c"), ("beacon", ""), ("the of in", ""), ("???", ""), ("fruit", ""),
    ],
)  # fmt: skip
def test_search_finds_words_and_nothing_else(cli: Command, shelf: Path, query: str, found: str) -> None:
    # no guesses by meaning
    assert sorted(ids(cli.json("search", query))) == list(found)


def test_search_takes_filters(cli: Command, shelf: Path) -> None:
    #
    assert ids(cli.json("search", "lighthouse", "--kind", "fact")) == ["b"]
    assert sorted(ids(cli.json("search", "lighthouse", "--closed"))) == ["a", "b", "d"]
    assert ids(cli.json("search", "lighthouse", "-n", "1", "--tag", "'; DROP TABLE memories")) == []
    assert cli.run("search", "plums").out.startswith("1 related memory:\n1. [2026-11-01] The lighthouse keeper")


# ---- why-not


def stage(cli: Command, *arguments: str) -> tuple[str, str]:
    answer = cli.json("why-not", *arguments)
    return answer["stage"], answer["reason"]


def test_why_not_names_the_stage(cli: Command, shelf: Path) -> None:
    # the stage that dropped a memory
    assert stage(cli, "mem_00000000000a", "plums") == ("shown", "it is result 1")
    assert stage(cli, "00000000000d", "lighthouse")[0] == "filter"
    assert "closed" in stage(cli, "00000000000d", "lighthouse")[1]
    assert stage(cli, "00000000000a", "plums", "--kind", "fact") == ("filter", "the filter kind fact leaves it out")
    assert stage(cli, "00000000000c", "lighthouse keeper", "-n", "1")[0] == "ranking"
    assert cli.run("why-not", "mem_ffffffffffff", "plums").code == 4


def test_why_not_says_it_in_words(cli: Command, shelf: Path) -> None:
    answer = cli.run("why-not", "mem_00000000000c", "lighthouse keeper", "-n", "1")
    assert answer.code == 0
    first, second, third = answer.out.splitlines()
    assert first == "Dropped by ranking (id: mem_00000000000c): rank 3 of 3 candidates, and 1 are shown."
    assert second.startswith("score ")
    assert third.startswith("the last result shown scored ")


def test_why_not_diversity_budget_and_candidates(cli: Command, root: Path) -> None:
    for number in range(7):
        text = f"Gustav is on duty for the orchard again{'!' * number}"
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", text)
    memory(root, "memories/x.md", "mem_0000000000aa", "Gustav would rather hand the orchard over to somebody. " * 40)
    query = "how is it with Gustav and his duty in the orchard these years?"
    shown = {each["id"] for each in cli.json("recall", query)["results"]}
    dropped = [stage(cli, f"mem_{number:012x}", query)[0] for number in range(7) if f"mem_{number:012x}" not in shown]
    assert "diversity" in dropped
    memory(root, "memories/y.md", "mem_0000000000bb", "word " * 150)
    assert stage(cli, "mem_0000000000bb", "word", "--budget", "50")[0] == "budget"
    for number in range(300):
        memory(root, f"memories/n{number}.md", f"mem_1{number:011x}", f"Grain prices rose by {number} in the market")
    assert stage(cli, "mem_0000000000aa", "price of grain in the market")[0] == "candidates"


# ---- budgets

LONG = (
    "The bees swarmed in May. " + "It rained a lot that week. " * 30 + "The queen was marked blue. " + "Then sun. " * 30
)


@pytest.mark.parametrize("budget", [50, 60, 80, 120, 200, 500, 5000])
def test_a_budget_is_never_exceeded(cli: Command, shelf: Path, root: Path, budget: int) -> None:
    # the whole answer, in text and in JSON
    memory(root, "memories/bees.md", "mem_0000000000ee", LONG)
    for query in ("queen of the bees", "lighthouse", "会議"):
        text = cli.run("recall", query, "--budget", str(budget)).out
        assert count_tokens(text) <= budget
        assert count_tokens(cli.run("recall", query, "--budget", str(budget), "--explain").out) <= budget
        document = cli.run("recall", query, "--budget", str(budget), "--json").out
        assert count_tokens(document) <= budget or json.loads(document)["results"] == []


def test_a_budget_keeps_whole_sentences_and_the_best_first(vault: Vault, shelf: Path, root: Path) -> None:
    # whole sentences, best passage first
    memory(root, "memories/bees.md", "mem_0000000000ee", LONG)
    found = vault.recall("which colour was the queen marked?", 1, budget=60).results[0]
    assert "The queen was marked blue." in found.passage
    assert count_tokens(found.passage) <= 60
    assert found.passage in LONG
    assert found.passage.endswith(".")
    assert vault.recall("plums", 1, budget=5000).results[0].passage == found_text(vault, "plums")


def found_text(vault: Vault, query: str) -> str:
    return vault.recall(query, 1).results[0].memory.content


def test_sentences_can_be_joined_again() -> None:
    for text in (
        "One. Two! Three?",
        "一つ。二つ！「三つ。」四つ",
        "v1.2.3 is out. See docs/a.md now.",
        "no end",
        "a\n\nb\n",
        "",
    ):
        assert "".join(sentences(text)) == text


# ---- a context as the query


def test_a_long_text_as_the_query(cli: Command, shelf: Path) -> None:
    # the last turns of a conversation
    turns = "We talked about the weather and the harvest. " * 300 + "And what fruit does the keeper like?"
    assert ids(cli.json("recall", "--context", "-", stdin=turns))[0] == "a"
    (cli.cwd / "turns.txt").write_text(turns)
    assert ids(cli.json("recall", "--context", "turns.txt"))[0] == "a"
    assert ids(cli.json("recall", "KX-1204", "--context", "turns.txt"))
    assert cli.run("recall", "--context", "-", stdin=b"\xff\xfe\x00").code == 2
    assert cli.run("recall", "--context", "-", stdin="").code == 2


@pytest.mark.parametrize("query", ["x" * 100_000, "the of and", "?!…。", '"unbalanced', "a AND (b OR", "名" * 50_000])
def test_odd_queries_get_an_answer(cli: Command, shelf: Path, query: str) -> None:
    # an answer or a clear error, never a traceback
    for command in ("recall", "search"):
        assert cli.run(command, "--json", "--", query).code == 0
    assert cli.run("why-not", "--json", "--", "mem_00000000000a", query).code == 0
