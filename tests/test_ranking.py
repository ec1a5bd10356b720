"""Ranking: what each stage does to the order, seen through recall. What each is worth is measured in benchmarks/."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from conftest import Command
from helpers import memory

from vault_mem import Vault
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.memory.recall import Request
from vault_mem.operations.memory.results import Found
from vault_mem.ranking.rank import Switches
from vault_mem.ranking.weights import STAGES


def write(root: Path, number: int, text: str, created: str, *front: str) -> str:
    id_ = f"mem_{number:012x}"
    path = memory(root, f"memories/{number}.md", id_, text, *front)
    path.write_text(path.read_text().replace("2026-11-01T08:00:00", created))
    return id_


def ask(vault: Vault, query: str, n: int, **options) -> list[Found]:
    return vault.ask(Request(query, n, min_relevance=0.0, **options)).results


def order(vault: Vault, query: str, n: int = 5, **options) -> list[int]:
    return [int(found.memory.id[4:], 16) for found in ask(vault, query, n, **options)]


def scores(vault: Vault, query: str, **options) -> dict[int, float]:
    return {int(found.memory.id[4:], 16): found.score for found in ask(vault, query, 50, **options)}


# ---- the moment around a memory


@pytest.fixture
def talk(root: Path) -> Path:
    """A conversation in which the answer has no word of the question, and notes of other days."""
    turns = ["Where did you leave the canoe?", "Behind the old mill.", "Good, then it is dry.", "See you."]
    for number, text in enumerate(turns):
        write(root, number, text, f"2026-10-05T10:0{number}:00")
    for number in range(10, 22):
        write(root, number, f"Paid the bill number {number} at the counter.", f"2026-09-{number:02d}T09:00:00")
    return root


def test_neighbours_of_a_hit_are_called_up(vault: Vault, talk: Path) -> None:
    # spreading to memories of the same moment
    alone = scores(vault, "where is the canoe", switches=Switches(frozenset({"moment"})))
    together = scores(vault, "where is the canoe")
    assert together[1] > alone[1] + 1
    assert together[12] == pytest.approx(alone[12], abs=0.5)  # of another day
    assert set(order(vault, "where is the canoe", 3)) == {0, 1, 2}


def test_what_replies_to_a_question_like_the_query_comes_first(vault: Vault, root: Path) -> None:
    # spreading to memories of the same moment
    for day, asked in ((5, "Where did you leave the canoe?"), (9, "You were going to leave the canoe.")):
        for number, text in enumerate(("Hello there.", asked, "Behind the old mill.", "Behind the new mill.")):
            write(root, 10 * day + number, text, f"2026-10-0{day}T10:0{number}:00")
    found = scores(vault, "where is the canoe")
    assert found[52] - found[53] > found[92] - found[93] + 1
    alone = scores(vault, "where is the canoe", switches=Switches(frozenset({"moment"})))
    assert alone[52] == pytest.approx(alone[92], abs=0.1)


def test_what_was_imported_in_one_second_is_no_moment(vault: Vault, root: Path) -> None:
    # a shared timestamp says nothing
    for number in range(12):
        text = "The canoe is in the boathouse" if number == 5 else f"Entry {number} on prices of grain and salt"
        write(root, number, text, "2026-10-05T10:00:00")
    terms = vault.recall("canoe", 12).results
    alone = {found.memory.id: found.score for found in terms}
    off = vault.ask(Request("canoe", 12, switches=Switches(frozenset({"moment"})))).results
    assert {found.memory.id: found.score for found in off} == alone


# ---- people, by any name


@pytest.mark.parametrize("query", ["What does Ana Lindqvist drink?", "what does ana drink", "What does Nana drink?"])
def test_a_person_is_found_by_any_alias(vault: Vault, root: Path, query: str) -> None:
    # `people`, and the aliases of a note
    write(root, 1, "Drinks rye coffee, black, before nine.", "2026-10-01T08:00:00", "people: [Ana Lindqvist]")
    write(root, 2, "Drinks rye coffee, black, before ten.", "2026-10-02T08:00:00", "people: [Bo Ek]")
    write(root, 3, "A friend from the choir.", "2026-10-03T08:00:00", "title: Ana Lindqvist", "aliases: [Nana]")
    found = order(vault, query)
    assert found.index(1) < found.index(2)


def test_an_alias_that_was_taken_away_means_nobody(vault: Vault, root: Path, env: dict[str, str]) -> None:
    # a vault that is kept open answers like one just opened
    write(root, 1, "Drinks rye coffee, black, before nine.", "2026-10-01T08:00:00", "people: [Ana Lindqvist]")
    write(root, 2, "Drinks rye coffee, black, before ten.", "2026-10-02T08:00:00", "people: [Bo Ek]")
    write(root, 3, "A friend from the choir.", "2026-10-03T08:00:00", "title: Ana Lindqvist", "aliases: [Nana, Bo]")
    asked = ["What does Nana drink?", "what does bo drink"]
    meant = [scores(vault, query) for query in asked]
    write(root, 3, "A friend from the choir.", "2026-10-03T08:00:00", "title: Ana Lindqvist")
    left = [scores(vault, query) for query in asked]
    assert left == [scores(Vault(root, env=env), query) for query in asked]
    assert all(now[1] < before[1] for before, now in zip(meant, left, strict=True))


def test_the_filter_for_a_person_takes_aliases_and_nothing_more(cli: Command, root: Path) -> None:
    #
    write(root, 1, "Plums", "2026-10-01T08:00:00", "people: [Ana Lindqvist]")
    write(root, 2, "Plums too", "2026-10-02T08:00:00", "people: [Ana Bo]")
    write(root, 3, "A friend.", "2026-10-03T08:00:00", "title: Ana Lindqvist", "aliases: [Nana]")
    for name, expected in [("Nana", [1]), ("ana lindqvist", [1]), ("Ana", []), ("Ana Bo", [2]), ("' OR 1=1 --", [])]:
        for key, *command in (["results", "recall", "plums"], ["memories", "list"]):
            found = cli.json(*command, "--person", name)[key]
            assert [int(each["id"][4:], 16) for each in found] == expected, (command, name)


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("Marcus", "マーカスは何を買った？"),
        ("Leila", "レイラが買ったもの"),
        ("Oscar", "オスカー 買い物"),
        ("さくら", "What did Sakura buy?"),
    ],
)
def test_a_person_is_found_by_the_sound_of_the_name(vault: Vault, root: Path, name: str, query: str) -> None:
    # English queries find Japanese memories, and the other way round
    for number, person in enumerate(("Nora", "Theo", "たろう", name, "Bastian")):
        write(root, number, f"{person}: 昨日は紐を買った。", f"2026-10-0{number + 1}T10:00:00")
    assert order(vault, query)[0] == 3
    without = scores(vault, query, switches=Switches(frozenset({"names"})))
    found = scores(vault, query)
    assert found[3] > without[3] + 1
    assert found[4] == pytest.approx(without[4], abs=1)


def test_a_name_in_the_same_script_is_not_guessed(vault: Vault, root: Path) -> None:
    # Marcus and Marks sound alike, and are two people
    write(root, 1, "Marcus: the rope is dry.", "2026-10-01T10:00:00")
    write(root, 2, "Theo: the rope is dry.", "2026-10-02T10:00:00")
    assert vault.recall("What did Marcus say of the rope?").results[0].terms["names"] > 0
    assert all("names" not in found.terms for found in vault.recall("What did Marks say of the rope?").results)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("When do we deploy?", 2),  # a label is a word like any other
        ("Error: cannot find the key of the tap", 4),  # a message, and nobody speaks
        ("How high is Mount Aso?", 5),  # what a label names is looked for in the text
    ],
)
def test_what_comes_before_a_colon_need_not_be_a_speaker(vault: Vault, root: Path, query: str, found: int) -> None:
    #
    write(root, 1, "Deploy: tag, push, wait for CI.", "2026-10-01T10:00:00")
    write(root, 2, "We deploy only before noon since the outage.", "2026-10-02T10:00:00")
    write(root, 3, "An error is shown in red.", "2026-10-03T10:00:00")
    write(root, 4, "The tap is turned off with the key under the sink.", "2026-10-04T10:00:00")
    write(root, 5, "Mount Aso hike: 1,592 metres at the summit.", "2026-10-05T10:00:00")
    write(root, 6, "The wardrobe is two metres high.", "2026-10-06T10:00:00")
    assert order(vault, query)[0] == found


# ---- words


def test_chinese_characters_count_one_by_one(vault: Vault, root: Path) -> None:
    # 勝った and 勝利 share a character and no pair of two; a search for words wants the word
    write(root, 1, "県大会で勝利を収めた。", "2026-10-01T10:00:00")
    write(root, 2, "県庁まで歩いていった。", "2026-10-02T10:00:00")
    terms = {found.memory.id[-1]: found.terms for found in vault.recall("いつ勝ったの", 5, min_relevance=0).results}
    assert terms["1"].get("words", 0) > terms["2"].get("words", 0)
    assert "1" not in [found.memory.id[-1] for found in vault.search("勝った").results]


# ---- time


def test_a_time_in_the_query_lifts_what_was_saved_then(root: Path, env: dict[str, str]) -> None:
    # dates, months, last week, 先週, yesterday
    now = datetime.fromisoformat("2026-11-18T12:00:00+09:00")  # a Wednesday
    vault = Vault(root, env=env, clock=lambda: now)
    days = {1: "2026-11-17", 2: "2026-11-11", 3: "2026-10-14", 4: "2026-03-09", 5: "2025-06-02"}
    for number, day in days.items():
        write(root, number, "Repaired the pump in the cellar", f"{day}T10:00:00")
    for query, expected in {
        "what did I repair yesterday": 1, "昨日の修理": 1, "which pump did I repair last week?": 2, "先週の修理": 2,
        "pump repairs last month": 3, "pump 2026-03": 4, "pump in March 2026": 4, "2026年3月のポンプ": 4,
        "pump 2025": 5, "2026年春夏のポンプ": 4, "the pump on 2 June 2025": 5, "pump 5 weeks ago": 3,
        "3月9日のポンプ": 4,
    }.items():  # fmt: skip
        assert order(vault, query)[0] == expected, query


@pytest.mark.parametrize("query", ["pump 30 February", "pump 2026-99-99", "13月40日", "0 days ago pump", "99999-01-01"])
def test_a_time_that_is_none_is_just_words(vault: Vault, root: Path, query: str) -> None:
    write(root, 1, "Repaired the pump", "2026-10-01T10:00:00")
    assert order(vault, query) == [1]


@pytest.mark.parametrize(
    "query",
    [
        "Was steht hier an der Pumpe?",
        "June's pump",
        "What does April say of the pump?",
        "the APR of the pump",
        "pump INV-2026-10",
        "PumpCharm 2026.2",
        "2026年の秋田のポンプ",
    ],
)
def test_what_only_looks_like_a_time_is_none(root: Path, env: dict[str, str], query: str) -> None:
    # "here" in German, people, an interest rate, an invoice, a version, a town
    now = datetime.fromisoformat("2026-11-18T12:00:00+09:00")
    vault = Vault(root, env=env, clock=lambda: now)
    for number, day in enumerate(["2026-11-17", "2026-10-14", "2026-06-09", "2026-04-09", "2026-02-10"]):
        write(root, number, "Repaired the pump in the cellar", f"{day}T10:00:00", "people: [June]")
    assert len({found.terms.get("time") for found in ask(vault, query, 5)}) == 1


def test_the_newest_counts_when_the_query_is_about_now(vault: Vault, root: Path) -> None:
    # decay only breaks near-ties unless the query is about now
    write(root, 1, "Anneli's desk is by the window, next to the printer.", "2025-02-01T10:00:00")
    write(root, 2, "Anneli's desk is in the annex.", "2026-01-01T10:00:00")
    write(root, 3, "The ferry leaves at noon.", "2026-11-01T10:00:00")
    assert order(vault, "Where is Anneli's desk now?")[0] == 2
    assert order(vault, "Anneliの今の desk")[0] == 2
    assert order(vault, "desk by the window next to the printer")[0] == 1


def test_the_newest_counts_only_if_it_has_the_words_of_the_query(vault: Vault, root: Path) -> None:
    # what is merely alike answers nothing about now
    write(root, 1, "The invoices are kept in a folder on the shared drive.", "2025-02-01T10:00:00")
    write(root, 2, "The photos are now kept on a USB disk.", "2026-01-01T10:00:00")
    assert order(vault, "Where do I currently keep the papers for the tax office on the drive?")[0] == 1


def test_a_quotation_is_found_over_the_end_of_a_line(vault: Vault, root: Path) -> None:
    # texts are wrapped, quotations are not
    write(root, 1, "Ruth told the neighbours that the gate of\nthe old mill is never shut.", "2026-10-01T10:00:00")
    write(root, 2, "Ruth told the neighbours that the old mill has a gate which is never shut.", "2026-10-02T10:00:00")
    assert order(vault, '"gate of the old mill"')[0] == 1


# ---- what a memory is


@pytest.mark.parametrize(
    ("mark", "query"),
    [
        ("importance: 5", "the boiler"),
        ("importance: 5", "what is important about the boiler"),
        ("emotion: sad", "when was I sad about the boiler"),
        ("emotion: sad", "the boiler, 悲しかった"),
        ("kind: summary", "overview of the boiler"),
        ("tags: [gaskets]", "gaskets boiler"),
    ],
)
def test_what_a_memory_is_marked_with_breaks_ties(vault: Vault, root: Path, mark: str, query: str) -> None:
    # importance, emotion, summaries
    for number in range(4):
        front = [mark] if number == 2 else []
        write(root, number, "Called the fitter about the boiler.", f"2026-10-0{number + 1}T10:00:00", *front)
    assert order(vault, query)[0] == 2


def test_links_call_up_what_shares_no_word(vault: Vault, root: Path) -> None:
    # spreading along links, and further with strength
    write(root, 1, "Chiyo plays in the band called Cobalt Heron.", "2026-10-01T10:00:00")
    write(root, 2, "Rehearsals: Wednesdays, hall 7.", "2026-10-20T10:00:00", 'links: ["[[1]]"]')
    write(root, 3, "The hall key is under the pot.", "2026-10-25T10:00:00")
    query = "what band is Chiyo in"
    unlinked = scores(vault, query, switches=Switches(frozenset({"links"})))
    linked = scores(vault, query)
    assert linked[2] > unlinked[2] + 1
    assert (linked[1], linked[3]) == (unlinked[1], unlinked[3])
    used_together = {("mem_000000000001", "mem_000000000003"): 0.9}
    assert scores(vault, query, strengths=used_together)[3] > linked[3] + 1


def test_a_memory_that_stands_alone_calls_up_what_is_like_it(vault: Vault, root: Path) -> None:
    # association lifts the nearest up to the second best, and nothing else
    write(root, 1, "Bakes sourdough bread every Sunday.", "2026-03-01T10:00:00", "people: [Emeka]")
    write(root, 2, "The oven runs cold: the loaves come out with a pale crust.", "2026-05-01T10:00:00")
    for number in range(10, 30):
        write(root, number, f"What the office needs for bill {number}: a stamp.", f"2026-07-{number}T09:00:00")
    query = "What does Emeka need?"
    off = Switches(frozenset({"association"}))
    without, found = scores(vault, query, switches=off), scores(vault, query)
    assert found[2] > without[2] + 0.5
    first, second = sorted(without.values(), reverse=True)[:2]
    assert found[1] == first
    assert found[2] < second
    assert sum(found[number] != without[number] for number in found) <= 2


# ---- diversity


def test_near_identical_memories_do_not_fill_the_list(vault: Vault, root: Path) -> None:
    # per cluster of near-identical memories; no id twice
    for number in range(8):
        write(root, number, f"Gustav is on duty for the orchard again{'!' * number}", f"2026-10-0{number + 1}T10:00:00")
    write(root, 20, "Gustav would rather hand the orchard over to somebody.", "2026-10-10T10:00:00")
    write(root, 21, "The ferry timetable has changed.", "2026-10-11T10:00:00")
    query = "how is it with Gustav and his duty in the orchard these years?"
    found = order(vault, query)
    assert 20 in found
    assert len(set(found)) == 5
    assert 20 not in order(vault, query, switches=Switches(frozenset({"diversity"})))


def test_kinds_share_the_list(vault: Vault, root: Path) -> None:
    # per kind; who looks up a part number gets all there is
    said = (
        "was checked in the cellar by Anna",
        "leaks, and every room was checked for it",
        "got a new seal after the checks",
        "is the valve that was left open",
        "passed all checks of the insurance",
        "was checked twice, rooms and all",
    )
    for number, text in enumerate(said):
        write(root, number, f"The valve KX-1204 {text}", f"2026-10-0{number + 1}T10:00:00")
    write(root, 9, "The valve KX-1204 is checked in room 9 as well", "2026-10-08T10:00:00", "kind: task")
    asked = vault.recall("which rooms were checked, and what is left of the checks of every valve?", 5).results
    assert any("diversity" in found.terms for found in asked)
    assert all("diversity" not in found.terms for found in vault.recall("KX-1204", 4).results)


# ---- explain, and the same order every time


@pytest.mark.parametrize("query", ["lighthouse keeper", "灯台の人はいま", "important: what was said last week?", "?"])
def test_terms_add_up_to_the_score(sample: Vault, query: str) -> None:
    # R-5: --explain shows the terms of each score, adding up to it
    results = sample.recall(query, 10, min_relevance=0.0).results
    assert len(results) == 10
    for found in results:
        assert sum(found.terms.values()) == pytest.approx(found.score, abs=1e-9)
        assert set(found.terms) <= {*STAGES, "replaces"}  # D-10
    scores = [found.score for found in results]
    assert scores == sorted(scores, reverse=True)


def test_explain_in_text_and_json(sample_cli: Command) -> None:
    #
    text = sample_cli.run("recall", "loggers", "--explain", "-n", "2").out.splitlines()
    assert len(text) == 5
    shown = text[2].split(" = ")
    signs = shown[1].replace("- ", "+ -").split(" + ")
    assert sum(float(part.split()[-1]) * (-1 if part.startswith("-") else 1) for part in signs) == pytest.approx(
        float(shown[0].split()[-1]), abs=1e-6
    )
    for each in sample_cli.json("recall", "loggers", "--explain")["results"]:
        assert sum(each["explain"].values()) == pytest.approx(each["score"], abs=1e-9)
    assert "explain" not in sample_cli.json("recall", "loggers")["results"][0]


def test_a_grown_index_ranks_like_a_rebuilt_one(vault: Vault, env: dict[str, str]) -> None:
    # V-1: the same input, the same order, whatever the arrays in memory went through
    vault.recall("warm up")
    texts = [f"The {colour} boat sails at {hour}, pier {hour % 3}" for colour in ("red", "grey") for hour in range(9)]
    saved = [vault.remember(text, force=True, link_threshold=0.0).memory for text in texts]
    (vault.root / saved[4].path).unlink()
    path = vault.root / saved[7].path
    path.write_text(path.read_text().replace("boat", "canoe"))
    queries = ("when does the grey boat sail", "canoe", "pier 2", "boats now", "赤い船")
    grown = [[(found.memory.id, found.score) for found in vault.recall(query, 20).results] for query in queries]
    assert len(grown[0]) == 17
    other = Vault(vault.root, env=env)
    other.reindex()
    assert [[(found.memory.id, found.score) for found in other.recall(query, 20).results] for query in queries] == grown


def test_only_some_memories(vault: Vault, root: Path) -> None:
    # what an episode's members are given by
    for number in range(4):
        write(root, number, "Plums", f"2026-10-0{number + 1}T10:00:00")
    wanted = ["mem_000000000001", "mem_000000000003"]
    assert sorted(order(vault, "plums", filters=Filters(ids=wanted))) == [1, 3]
    assert order(vault, "plums", filters=Filters(ids=[])) == []


def test_as_of_looks_back(vault: Vault, root: Path) -> None:
    # what was true then, as fresh as it was then
    write(root, 1, "The keeper is Ana", "2026-01-01T10:00:00", "valid_to: 2026-06-01T00:00:00")
    write(root, 2, "The keeper is Bo", "2026-06-01T10:00:00")
    moment = datetime.now().astimezone().replace(year=2026, month=3, day=1)
    assert order(vault, "who is the keeper now", filters=Filters(as_of=moment)) == [1]
    assert order(vault, "who is the keeper") == [2]
    later = moment + timedelta(days=200)
    assert order(vault, "who is the keeper", filters=Filters(as_of=later)) == [2]
