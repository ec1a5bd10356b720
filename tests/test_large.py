"""Large vaults: LanceDB finds the candidates, and the answers are those of a vault that is held in memory."""

from __future__ import annotations

import re
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from helpers import memory, note
from test_sync import Owner, answers

from vault_mem import Vault
from vault_mem.errors import InvalidInput, SettingsError
from vault_mem.operations.memory.filters import Filters

NOW = "2026-11-15T12:00:00+09:00"
# Two talks, facts that changed, people by several names, a long note, another script, and what was only saved together.
TALK = [
    ("Caroline: I went to the support group yesterday.", "mem_0000000000a1", "2026-05-07T13:56:00"),
    ("Melanie: How was it?", "mem_0000000000a2", "2026-05-07T13:57:00"),
    ("Caroline: Powerful. I want to study counselling now.", "mem_0000000000a3", "2026-05-07T13:59:00"),
    ("Melanie: The kids painted a sunrise over the lake.", "mem_0000000000a4", "2026-05-07T14:02:00"),
    ("Caroline: I passed the first exam in statistics!", "mem_0000000000a5", "2026-08-01T09:00:00"),
    ("Melanie: And I ran the charity race in 51 minutes.", "mem_0000000000a6", "2026-08-01T09:01:00"),
]
PLAIN = [
    ("The spare key is with Haruka at the bakery", "mem_0000000000b1", "people: [Haruka]", "tags: [keys]"),
    ("鍵はパン屋の遥さんに預けた", "mem_0000000000b2", "people: [遥さん]", "tags: [鍵]"),
    ("Haruka Sato runs the bakery on Mill Road", "mem_0000000000b3", "aliases: [Haruka, 遥さん]", "kind: relation"),
    ("The office is in Kobe", "mem_0000000000b4", "kind: fact", "valid_to: 2026-09-01T00:00:00"),
    (
        "The office moved to Osaka",
        "mem_0000000000b5",
        "kind: fact",
        'supersedes: ["[[b4]]"]',
        'links: ["[[b6|related 0.9]]"]',
    ),
    (
        "The lease in Osaka ends in 2029 and costs 410,000 yen",
        "mem_0000000000b6",
        "importance: 5",
        "category: decision",
    ),
    ("Part no. ZX-81/b was ordered for the tide logger", "mem_0000000000b7", "emotion: happy"),
    ("Renew the passport", "mem_0000000000b8", "kind: task"),
]
QUERIES = [
    "who has the spare key?",
    "鍵",
    "遥さん",
    "What did Caroline do in May 2026?",
    "how long did the race take",
    "where is the office now?",
    "ZX-81/b",
    "statistics exam",
    "the lihgthouse",
    "it",
    "chapter about tides",
    "母",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("large")
    env = {"HOME": str(base), "VAULT_MEM_NOW": NOW, "VAULT_MEM_DAEMON": "off", "VAULT_MEM_DEBUG": "raise"}
    Vault.init(base / "v", env=env, timezone="Asia/Tokyo")
    root = base / "v"
    for text, id_, created in TALK:
        note(root, f"memories/{id_[-2:]}.md", f"---\nid: {id_}\ncreated: {created}\n---\n{text}\n")
    for text, id_, *front in PLAIN:
        memory(root, f"memories/{id_[-2:]}.md", id_, text, *front)
    for number in range(12):
        memory(root, f"memories/f{number}.md", f"mem_0000000000c{number:x}", f"Filler {number} about rain and plums")
    parts = [f"Chapter {n}: " + f"The tide gauge number {n} was read at the lighthouse. " * 20 for n in range(4)]
    memory(root, "memories/long.md", "mem_0000000000d1", "\n\n".join(parts))
    memory(root, "private/mem_0000000000e1.md", "mem_0000000000e1", "The spare key has a secret twin", "private: true")
    return base


def opened(place: Path, way: str, index: str = "") -> Vault:
    env = {"HOME": str(place), "VAULT_MEM_NOW": NOW, "VAULT_MEM_DAEMON": "off", "VAULT_MEM_DEBUG": "raise"}
    return Vault(
        place / "v", env=env | {"VAULT_MEM_INDEX_DIR": str(place / (index or way)), "VAULT_MEM_SEARCH_WITH": way}
    )


@pytest.fixture(scope="module")
def exact(place: Path) -> Vault:
    return opened(place, "memory")


@pytest.fixture(scope="module")
def large(place: Path) -> Vault:
    return opened(place, "lancedb")


def ids(found: object) -> list[str]:
    return [each.memory.id for each in found.results]  # type: ignore[attr-defined]


def assert_alike(large: Vault, exact: Vault, query: str, filters: Filters | None = None) -> None:
    """The same results in the same order; how rare a word is among sessions is estimated where not all are at hand."""
    one, other = (vault.recall(query, 10, filters=filters or Filters()).results for vault in (large, exact))
    assert [(each.memory.id, each.passage, each.similarity, each.superseded_by) for each in one] == [
        (each.memory.id, each.passage, each.similarity, each.superseded_by) for each in other
    ]
    assert [each.score for each in one] == pytest.approx([each.score for each in other], rel=0.02)


@pytest.mark.parametrize("query", QUERIES)
def test_recall_and_search_answer_alike(exact: Vault, large: Vault, query: str) -> None:
    # L-1: the same scorer ranks what either way gathers; here everything is gathered
    assert_alike(large, exact, query)
    found, wanted = (vault.search(query).results for vault in (large, exact))
    assert [(each.memory.id, each.score) for each in found] == [(each.memory.id, each.score) for each in wanted]


@pytest.mark.parametrize(
    "filters",
    [
        Filters(kind="fact", closed=True),
        Filters(as_of=datetime(2026, 8, 15, tzinfo=UTC)),
        Filters(people=["haruka"]),
        Filters(tags=["鍵"]),
        Filters(private=True),
        Filters(private=False, importance=4),
        Filters(category="decision"),
        Filters(since=datetime(2026, 5, 7, tzinfo=UTC), until=datetime(2026, 5, 8, tzinfo=UTC)),
        Filters(ids=["mem_0000000000b1", "mem_0000000000e1"]),
    ],
    ids=str,
)
def test_filters_mean_the_same(exact: Vault, large: Vault, filters: Filters) -> None:
    #
    for query in ("where is the spare key?", "the office"):
        assert_alike(large, exact, query, filters)
        assert ids(large.search(query, filters=filters)) == ids(exact.search(query, filters=filters))


def test_other_questions_are_answered_alike(exact: Vault, large: Vault) -> None:
    # everything follows: list, similar, why-not, candidates of consolidate and tidy, status
    assert large.list(Filters(closed=True)).superseded_by == exact.list(Filters(closed=True)).superseded_by != {}
    assert ids(large.similar("memories/b1.md", 5)) == ids(exact.similar("memories/b1.md", 5))
    for id_ in ("mem_0000000000b4", "mem_0000000000c1", "mem_0000000000b1"):
        one, other = (vault.why_not(id_, "where is the spare key?") for vault in (large, exact))
        assert (one.stage, one.rank) == (other.stage, other.rank)
    assert large.status().to_dict()["calibration"] == exact.status().to_dict()["calibration"]


def test_a_day_of_changes(place: Path, tmp_path: Path) -> None:
    # guard and links as ever; what was saved, edited or deleted a moment ago is found, or not, without an index for it
    shutil.copytree(place / "v", tmp_path / "v")
    large = opened(tmp_path, "lancedb")
    large.recall("anything")
    saved = large.remember("The lighthouse keeper is called Bram", tags=["people"])
    assert saved.memory is not None
    assert large.remember("The lighthouse keeper is called Bram").duplicate_of.memory.id == saved.memory.id
    changed = large.remember("The lighthouse keeper is called Odette")
    assert changed.memory is not None and changed.links == 1 and changed.differs
    assert set(ids(large.recall("lighthouse keeper"))[:2]) == {changed.memory.id, saved.memory.id}
    large.forget(saved.memory.id)
    path = tmp_path / "v" / changed.memory.path
    path.write_text(path.read_text().replace("Odette", "Fenna"))
    assert ids(large.recall("keeper Fenna"))[0] == changed.memory.id
    assert saved.memory.id not in ids(large.recall("lighthouse keeper Bram"))
    assert "Fenna" in large.search("Fenna").results[0].memory.content
    exact = opened(tmp_path, "memory")
    for query in (*QUERIES, "lighthouse keeper"):
        assert_alike(large, exact, query)
    memory(tmp_path / "v", "memories/again.md", "mem_0000000000b9", "The office moved to Osaka.", "kind: fact")
    for options in ({"whole": True}, {"window": 40}):  # C-2: the same pairs
        one, other = (vault.consolidate(**options).to_dict()["merge_candidates"] for vault in (large, exact))
        assert one == other != []
    assert large.tidy_candidates().to_dict()["clusters"] == exact.tidy_candidates().to_dict()["clusters"] != []


def test_indexes_and_unindexed_rows_answer_alike(place: Path, tmp_path: Path) -> None:
    # L-1: what came after the indexes were built is searched too; folding brings them up to date
    from vault_mem.operations import standby

    shutil.copytree(place / "v", tmp_path / "v")
    large, exact = opened(tmp_path, "lancedb"), opened(tmp_path, "memory")
    large.recall("anything")
    standby.fold(large.workspace, 0)
    assert large.workspace.index.table.indexed
    memory(tmp_path / "v", "memories/new.md", "mem_0000000000f1", "The rain barrel has a new tap", "tags: [garden]")
    for query in (*QUERIES, "rain barrel"):
        assert_alike(large, exact, query)
    standby.fold(large.workspace, 0)
    for query in ("rain barrel", *QUERIES[:3]):
        assert_alike(large, exact, query)


def test_what_came_since_is_found_without_its_commits(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # L-2: each commit that LanceDB looks through takes milliseconds; a few new memories are candidates anyway
    from vault_mem.index import facts, table
    from vault_mem.operations import standby

    monkeypatch.setattr(table, "FEWEST_VECTORS", 10)
    monkeypatch.setattr(facts, "MOST_RECENT", 2)
    shutil.copytree(place / "v", tmp_path / "v")
    large, exact = opened(tmp_path, "lancedb"), opened(tmp_path, "memory")
    large.recall("anything")
    standby.fold(large.workspace, 0)
    kept = large.workspace.index.facts
    assert kept.recent() == [] and large.workspace.index.table.vectors_indexed
    asked: list[bool] = []
    find = table.Table.find
    monkeypatch.setattr(
        table.Table,
        "find",
        lambda own, all_, *, indexed_only: asked.append(indexed_only) or find(own, all_, indexed_only=indexed_only),
    )
    root = tmp_path / "v"
    memory(root, "memories/b8.md", "mem_0000000000b8", "Renew the visa", "kind: task")  # another text
    memory(root, "memories/new.md", "mem_0000000000f1", "The rain barrel has a new tap", "tags: [garden]")
    (root / "memories/b7.md").unlink()
    for query in (*QUERIES, "rain barrel", "visa", "passport"):
        assert_alike(large, exact, query)
    assert sorted(kept.recent() or ()) == ["memories/b8.md", "memories/new.md"] and all(asked)
    assert large.remember("The rain barrel has a new tap").duplicate_of.memory.id == "mem_0000000000f1"
    for number in range(3):
        memory(
            root, f"memories/more{number}.md", f"mem_00000000010{number}", f"Lantern {number} hangs in the boat house"
        )
    for query in ("rain barrel", "visa", "boat house", *QUERIES[:3]):
        assert_alike(large, exact, query)
    assert kept.recent() is None and not all(asked)
    standby.fold(large.workspace, 20)  # much has come, so it does not wait for as many commits
    assert kept.recent() == []
    for query in ("rain barrel", "visa", "boat house", *QUERIES):
        assert_alike(large, exact, query)


def test_texts_read_ahead_are_not_read_again(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # L-2: reading its candidates was half of the work of a recall; what changed since is read as ever
    from vault_mem.operations import standby
    from vault_mem.ranking import reading

    shutil.copytree(place / "v", tmp_path / "v")
    large, exact = opened(tmp_path, "lancedb"), opened(tmp_path, "memory")
    large.recall("anything")
    assert [standby.read_ahead(large.workspace, 0) for _ in range(2)] == [0, None]
    read: list[str] = []
    form = reading._form
    monkeypatch.setattr(reading, "_form", lambda text: (read.append(text), form(text))[1])
    again = opened(tmp_path, "lancedb")
    for query in QUERIES:
        again.recall(query)
    assert read == []
    memory(tmp_path / "v", "memories/b8.md", "mem_0000000000b8", "Renew the visa", "kind: task")
    assert ids(again.recall("visa"))[0] == "mem_0000000000b8" and set(read) == {"Renew the visa"}
    for query in ("visa", *QUERIES):
        assert_alike(again, exact, query)
    assert [standby.read_ahead(again.workspace, 0) for _ in range(2)] == [0, None]


@pytest.mark.parametrize("seed", [1, 2])
def test_grown_like_rebuilt(tmp_path: Path, seed: int) -> None:
    # V-1: figures that followed every change are those of a vault that was just read
    Vault.init(tmp_path / "v", env={"HOME": str(tmp_path)}, timezone="Asia/Tokyo")
    owner = Owner(tmp_path / "v", seed)
    for number in range(6):
        memory(tmp_path / "v", f"memories/base{number}.md", f"mem_ba5e0000000{number}", owner.text())
    grown = opened(tmp_path, "lancedb")
    for _ in range(12):
        owner.act()
        grown.recall("harbour")
    assert answers(grown) == answers(opened(tmp_path, "lancedb", "fresh"))


@pytest.mark.parametrize("damage", ["gone", "not a database", "cut short"])
def test_damaged_figures_are_counted_again(place: Path, tmp_path: Path, damage: str) -> None:
    # as with the rest of the index: it is made again, and the answer is right
    shutil.copytree(place / "v", tmp_path / "v")
    wanted = ids(opened(tmp_path, "lancedb").recall(QUERIES[0]))
    (facts,) = (tmp_path / "lancedb").rglob("facts.db")
    for beside in facts.parent.glob("facts.db-*"):
        beside.unlink()
    if damage == "gone":
        facts.unlink()
    else:
        facts.write_bytes(b"nothing of ours" * 400 if damage == "not a database" else facts.read_bytes()[:9000])
    assert ids(opened(tmp_path, "lancedb").recall(QUERIES[0])) == wanted


def test_an_empty_vault_and_odd_queries(tmp_path: Path) -> None:
    Vault.init(tmp_path / "v", env={"HOME": str(tmp_path)})
    large = opened(tmp_path, "lancedb")
    assert (ids(large.recall("anything")), ids(large.search("x y")), large.list().memories) == ([], [], [])
    smile = large.remember("🙂🙂").memory
    assert smile is not None and large.remember("🙂🙂").duplicate_of is not None  # no token that the model knows
    large.remember("'The' harbour: 100 % _of_ \"it\"")
    exact = opened(tmp_path, "memory")
    for query in ("🙂", "???", "the", "harbour OR NOT (", "%_' --", '"it"', "a" * 3000):
        assert ids(large.recall(query, 500)) == ids(exact.recall(query, 500))
        assert ids(large.search(query)) == ids(exact.search(query))


def test_no_recall_and_no_save_reads_all_rows(place: Path, tmp_path: Path) -> None:
    # L-2: at a million memories every table that is read from end to end takes a second
    shutil.copytree(place / "v", tmp_path / "v")
    large = opened(tmp_path, "lancedb")
    large.recall("anything")
    index = large.workspace.index
    asked: list[tuple[sqlite3.Connection, str]] = []
    for connection in (index.state._db, index.facts._db):
        connection.set_trace_callback(lambda said, of=connection: asked.append((of, said)))
    large.recall("who has the spare key?")
    large.remember("The harbour office opens at nine on Sundays now")
    for connection in (index.state._db, index.facts._db):
        connection.set_trace_callback(None)
    listing = "SELECT key, mtime_ns"  # without a watcher the files are compared with all that is known
    selects = {
        (of, said)
        for of, said in asked
        if said.startswith("SELECT") and not said.startswith(listing) and not said.endswith("LIMIT 1")
    }
    plans = {said: row[3] for connection, said in selects for row in connection.execute(f"EXPLAIN QUERY PLAN {said}")}
    assert len(plans) > 20
    few = re.compile(
        r"SCAN (?:renames|sample|gone|unhealed|outside)\b|INDEX (?:unsettled|problems|huge|unfollowed|flagged)$"
    )
    assert [said for said, plan in plans.items() if plan.startswith("SCAN") and not few.search(plan)] == []


def test_a_save_reads_nothing_of_what_a_checkout_changed(place: Path, tmp_path: Path) -> None:
    # L-2: views follow in a quiet moment; until then every save read what is known of 20,000 changed files
    shutil.copytree(place / "v", tmp_path / "v")
    large = opened(tmp_path, "lancedb")
    large.recall("anything")
    for path in (tmp_path / "v/memories").glob("f*.md"):
        path.write_text(path.read_text() + "\nLater words.\n")
    large.recall("later words")
    known = large.workspace.index.known
    assert len(known.unfollowed()) == 12
    asked: list[str] = []
    large.workspace.index.state._db.set_trace_callback(asked.append)
    large.workspace.sync_ours(["memories/f1.md"], ["memories/f1.md"])
    large.workspace.index.state._db.set_trace_callback(None)
    assert asked and not [each for each in asked if each.endswith("WHERE followed IS NOT hash")]
    assert "memories/f1.md" in {each.key for each in known.unfollowed()}  # a person's words are still to be followed


def test_an_unknown_way_is_an_error(place: Path) -> None:
    with pytest.raises((SettingsError, InvalidInput), match="search_with should be one of"):
        opened(place, "elsewhere").recall("anything")


def test_one_character_is_found_where_its_neighbours_in_the_question_are_not(
    root: Path, env: dict[str, str]
) -> None:  # L-1, R-1
    for number in range(150):
        note(root, f"memories/{number}.md", f"Paid bill number {number} of the garage by bank transfer, and filed it.")
    note(root, "memories/鍵の場所.md", "玄関の傘立ての下")
    found = {}
    for way in ("memory", "lancedb"):
        Vault(root, env=env).set_setting("search_with", way)
        found[way] = [each.memory.path for each in Vault(root, env=env).recall("鍵はどこ")]
    assert found["lancedb"][0] == found["memory"][0] == "memories/鍵の場所.md"
