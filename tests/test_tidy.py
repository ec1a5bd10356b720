"""tidy: exact duplicates of states are closed; candidates and plans for the rest."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, memory, note

from vault_mem import Vault
from vault_mem.operations.upkeep.tidy import run_due
from vault_mem.vault import turns

NOW = {"VAULT_MEM_NOW": "2026-11-16T09:00:00+09:00"}


def state(root: Path, number: int, text: str, *front: str, kind: str = "fact", top: str = "memories") -> str:
    id_ = f"mem_{number:012x}"
    memory(root, f"{top}/n{number}.md", id_, text, f"kind: {kind}", *front)
    return id_


def closed(root: Path) -> list[str]:
    return sorted(path.stem for path in root.rglob("n*.md") if "valid_to:" in path.read_text())


def test_exact_duplicates_are_closed(cli: Command, root: Path) -> None:
    # T-2: kind + normalised body + the rest that carries meaning; the newest last_confirmed stays
    state(root, 1, "Kaya drinks tea.", "tags: [a, b]")
    state(root, 2, "kaya  drinks\nＴea", "tags: [b, a]", "last_confirmed: 2026-11-10")
    state(root, 3, "Kaya drinks tea", "tags: [a]")
    state(root, 4, "Kaya drinks tea", "tags: [a, b]", kind="relation")
    state(root, 5, "Kaya drinks tea", "tags: [a, b]", "mine: 7")
    state(root, 6, "Kaya drinks tea", "tags: [a, b]", "valid_to: 2026-11-02")
    before = contents(root)
    shown = cli.json("tidy", "--dry-run", env=NOW)
    assert [(each["id"][-1], each["keep"][-1]) for each in shown["duplicates"]] == [("1", "2")]
    assert contents(root) == before
    answer = cli.json("tidy", env=NOW)
    assert answer["closed"] == 1
    assert answer["states"] == {"fact": 4, "relation": 1}
    assert closed(root) == ["n1", "n6"]
    assert "valid_to: 2026-11-16T09:00:00" in (root / "memories/n1.md").read_text()
    (revision,) = cli.json("history", "mem_000000000001")["revisions"]
    assert revision["reason"] == "tidy: exact duplicates"
    assert revision["evidence"] == ["mem_000000000002"]
    assert cli.json("tidy", env=NOW)["closed"] == 0
    assert cli.run("undo").code == 0
    assert closed(root) == ["n6"]


def test_what_is_never_tidied(cli: Command, root: Path) -> None:
    # T-1: events and the mood; P-3: never across the border of privacy
    for number, kind in ((1, "event"), (2, "event"), (3, "mood"), (4, "mood")):
        state(root, number, "The same words", kind=kind)
    state(root, 5, "Also the same")
    state(root, 6, "Also the same", top="private")
    assert cli.json("tidy")["duplicates"] == []
    assert closed(root) == []


def test_an_empty_text_is_no_duplicate(cli: Command, root: Path) -> None:
    # S-8: tasks made from a template are all in their names
    for number, name in enumerate(("Call Anna", "Fix the gate", "Order glass")):
        for letter, text in (("a", ""), ("b", "- [ ] \n\n## Notes")):
            key, id_ = f"memories/{name} {letter * 2}.md", f"mem_00000000000{letter}"[:-2] + f"{number}{letter}"
            memory(root, key, id_, text, "kind: task", "status: open")
    assert cli.json("tidy")["states"] == {"task": 6}
    assert cli.json("tidy")["closed"] == 0
    assert "valid_to" not in "".join(path.read_text() for path in root.rglob("*.md"))


def test_a_title_of_its_own_makes_another_memory(cli: Command, root: Path) -> None:
    # S-8: a title in the front matter, or a name that a person chose
    state(root, 1, "Ask for the price.", "title: The boat")
    state(root, 2, "Ask for the price.", "title: The house")
    assert cli.json("tidy")["closed"] == 0
    state(root, 3, "Ask for the price.", "title: The house")
    assert cli.json("tidy")["closed"] == 1


def test_bounds(cli: Command, root: Path) -> None:
    # T-2: at most 200 closes a run
    for number in range(230):
        state(root, number + 1, "The same words")
    assert cli.json("tidy")["closed"] == 200
    assert cli.json("tidy")["closed"] == 29
    runs = cli.json("tidy", "log")["runs"]
    assert [(each["closed"], each["states"]) for each in runs] == [(29, {"fact": 30}), (200, {"fact": 230})]
    assert all(each["seconds"] > 0 for each in runs)


def test_when_it_is_due(root: Path, env: dict[str, str]) -> None:
    # T-3: after 10 turns the first time, then every 200; never twice for the same turns
    from vault_mem.operations.upkeep.tidy import run_due
    from vault_mem.vault import turns

    vault = Vault(root, env=env)
    folder = vault.workspace.folder
    for number in (1, 2):
        state(root, number, "The same words")
    with (root / "vault-mem.toml").open("a") as settings:
        settings.write("quiet_seconds = 0\n")
    vault = Vault(root, env=env)
    folder = vault.workspace.folder
    for _ in range(9):
        turns.count_turn(folder)
        assert run_due(vault.workspace) is None
    turns.count_turn(folder)
    report = run_due(vault.workspace)
    assert report is not None
    assert report.closed == 1
    assert run_due(vault.workspace) is None
    for _ in range(199):
        turns.count_turn(folder)
    assert run_due(vault.workspace) is None
    turns.count_turn(folder)
    assert run_due(vault.workspace) is not None
    (op,) = [each for each in vault.operations() if each.command == "tidy"]
    assert op.unasked
    vault.undo(op.op)
    for _ in range(200):
        turns.count_turn(folder)
    again = run_due(vault.workspace)
    assert again is not None
    assert again.closed == 0  # V-4: what its owner took back is not done again by itself
    assert vault.tidy().closed == 1


def test_not_before_the_file_is_quiet(root: Path, env: dict[str, str]) -> None:
    # V-4: what nobody asked for waits until a file has been left alone
    from vault_mem.operations.upkeep.tidy import tidy

    for number in (1, 2):
        path = root / f"memories/n{number}.md"
        state(root, number, "The same words")
        path.write_bytes(path.read_bytes())
    vault = Vault(root, env=env)
    assert tidy(vault.workspace, unasked=True).closed == 0
    assert vault.tidy().closed == 1


def plan(*updates: dict[str, object], token: str = "") -> str:
    return json.dumps({"candidates": token, "state_updates": list(updates)})


@pytest.fixture
def near(cli: Command, root: Path) -> dict[str, object]:
    """Three facts about one thing, one about another, and the candidates made from them."""
    state(root, 1, "Kaya likes green tea in the morning", "tags: [tea]", "people: [Kaya]")
    state(root, 2, "Kaya likes green tea in the mornings", "tags: [tea]", "people: [Kaya]")
    state(root, 3, "In the morning Kaya likes green tea", "tags: [tea]", "people: [Kaya]")
    state(root, 4, "The ferry to the island leaves at eight")
    state(root, 5, "Kaya likes green tea in the morning", kind="event")
    return cli.json("tidy", "candidates")


def test_candidates(near: dict[str, object], cli: Command, root: Path) -> None:
    # T-4: near states of one kind, with what speaks for them, within a budget
    (cluster,) = near["clusters"]
    assert {each["state_id"][-1] for each in cluster["states"]} == {"1", "2", "3"}
    assert cluster["shared_tags"] == ["tea"]
    assert cluster["shared_people"] == ["Kaya"]
    assert near["candidates"].startswith("tc_")
    small = cli.json("tidy", "candidates", "--budget", "100")
    assert (small["clusters"], small["left_out"]) == ([], 1)
    assert cli.run("tidy", "candidates", "--kind", "event").code == 2


def test_apply(near: dict[str, object], cli: Command, root: Path) -> None:
    # T-4: upsert, close and mark_done, as one undoable operation
    task = state(root, 7, "Print the papers", kind="task")
    token = cli.json("tidy", "candidates")["candidates"] or near["candidates"]
    before = contents(root)
    text = plan(
        {
            "op": "upsert",
            "state_id": "mem_000000000001",
            "body_text": "Kaya drinks green tea every morning.",
            "confidence": 0.9,
            "last_confirmed_at": "2026-11-16T08:00:00+09:00",
            "payload": {"importance": 4},
            "reason": "one of three",
            "evidence_event_ids": ["mem_000000000005"],
        },
        {"op": "close", "state_id": "mem_000000000002", "reason": "said by the first"},
        {"op": "close", "state_id": "mem_000000000003", "valid_to_ts": "2026-11-10T00:00:00+00:00", "reason": "same"},
        {"op": "upsert", "state_id": None, "kind": "relation", "body_text": "Kaya knows Marit", "reason": "new"},
        token=token,
    )
    assert cli.json("tidy", "apply", "-", "--dry-run", stdin=text)["status"] == "checked"
    assert contents(root) == before
    answer = cli.json("tidy", "apply", "-", stdin=text, env=NOW)
    assert (len(answer["created"]), answer["updated"], len(answer["closed"])) == (1, ["mem_000000000001"], 2)
    first = (root / "memories/n1.md").read_text()
    assert "Kaya drinks green tea every morning." in first
    assert "confidence: 0.9" in first
    assert "last_confirmed: 2026-11-16T08:00:00" in first
    assert "valid_to: 2026-11-10T09:00:00" in (root / "memories/n3.md").read_text()
    assert cli.json("tidy", "log")["runs"][0]["merged"] == 2
    assert cli.json("history", "mem_000000000001")["revisions"][0]["evidence"] == ["mem_000000000005"]
    assert cli.run("undo").code == 0
    assert {name: data for name, data in contents(root).items() if "history" not in name} == before
    # a task that is no candidate, for there is none like it, can be ended all the same, but not be given a new text
    assert cli.json("tidy", "candidates", "--kind", "task")["candidates"] == ""
    new = {"op": "upsert", "state_id": task, "body_text": "Print all papers", "reason": "x"}
    assert cli.run("tidy", "apply", "-", stdin=plan(new)).code == 2
    done = {"op": "mark_done", "state_id": task, "reason": "printed"}
    assert cli.json("tidy", "apply", "-", stdin=plan(done), env=NOW)["closed"] == [task]
    assert cli.json("show", task)["status"] == "done"
    assert cli.run("tidy", "apply", "-", stdin=plan(done), env=NOW).code == 5


def test_mark_done(cli: Command, root: Path) -> None:
    # T-4: status: done and valid_to
    for number in (1, 2):
        state(root, number, "Print the customs papers", "status: open", kind="task")
    token = cli.json("tidy", "candidates")["candidates"]
    update = {"op": "mark_done", "state_id": "mem_000000000001", "reason": "printed"}
    assert cli.run("tidy", "apply", "-", stdin=plan(update, token=token), env=NOW).code == 0
    text = (root / "memories/n1.md").read_text()
    assert "status: done" in text
    assert "valid_to: 2026-11-16T09:00:00" in text


WRONG: list[tuple[str, dict[str, object]]] = [
    ("no op", {"state_id": "mem_000000000001", "reason": "x"}),
    ("unknown op", {"op": "delete", "state_id": "mem_000000000001", "reason": "x"}),
    ("no reason", {"op": "close", "state_id": "mem_000000000001"}),
    ("no id", {"op": "close", "reason": "x"}),
    ("unknown id", {"op": "close", "state_id": "mem_ffffffffffff", "reason": "x"}),
    ("short id", {"op": "close", "state_id": "mem_00000000000", "reason": "x"}),
    ("an event", {"op": "close", "state_id": "mem_000000000005", "reason": "x"}),
    ("another kind", {"op": "upsert", "state_id": "mem_000000000001", "kind": "task", "body_text": "x", "reason": "x"}),
    ("unknown kind", {"op": "upsert", "kind": "event", "body_text": "x", "reason": "x"}),
    ("no text", {"op": "upsert", "kind": "fact", "reason": "x"}),
    ("long text", {"op": "upsert", "kind": "fact", "body_text": "x" * 10_001, "reason": "x"}),
    ("no offset", {"op": "close", "state_id": "mem_000000000001", "valid_to_ts": "2026-11-10", "reason": "x"}),
    ("not a share", {"op": "upsert", "state_id": "mem_000000000001", "confidence": 1.5, "reason": "x"}),
    ("a foreign key", {"op": "close", "state_id": "mem_000000000001", "reason": "x", "path": "/etc"}),
    ("not a payload", {"op": "upsert", "kind": "fact", "body_text": "x", "reason": "x", "payload": [1]}),
    ("a position that is not there", {"op": "close", "state_id": 99, "reason": "x"}),
    ("no position", {"op": "close", "state_id": "#first", "reason": "x"}),
    ("two lines", {"op": "upsert", "kind": "fact", "body_text": "x", "reason": "x", "payload": {"tags": ["a\nb"]}}),
    (
        "a scope that is none",
        {"op": "upsert", "kind": "summary", "body_text": "x", "reason": "x", "payload": {"scope": "x"}},
    ),
    ("not text", {"op": "upsert", "kind": "fact", "body_text": "a\ud800b", "reason": "x"}),
    (
        "ends before it begins",
        {
            "op": "upsert",
            "kind": "fact",
            "body_text": "x",
            "reason": "x",
            "valid_from_ts": "2026-11-10T00:00:00Z",
            "valid_to_ts": "2026-11-09T00:00:00Z",
        },
    ),
    (
        "unknown evidence",
        {"op": "upsert", "kind": "fact", "body_text": "x", "reason": "x", "evidence_event_ids": ["1"]},
    ),
]


@pytest.mark.parametrize(("what", "update"), WRONG, ids=[name for name, _ in WRONG])
def test_a_plan_is_checked_whole(
    near: dict[str, object], cli: Command, root: Path, what: str, update: dict[str, object]
) -> None:
    # T-4: one wrong item, and nothing of the plan is applied
    before = contents(root, own=True)
    good = {"op": "close", "state_id": "mem_000000000002", "reason": "fine"}
    answer = cli.run("tidy", "apply", "-", stdin=plan(good, update, token=near["candidates"]))
    assert answer.code == 2, answer.err
    assert {
        name: data for name, data in contents(root, own=True).items() if not name.endswith(("turns.json", "/lock"))
    } == before


def test_changed_since(near: dict[str, object], cli: Command, root: Path) -> None:
    # T-4: ids are unchanged since the candidates were made
    path = root / "memories/n1.md"
    update = {"op": "close", "state_id": "mem_000000000001", "reason": "x"}
    path.write_text(path.read_text() + "More.\n")
    assert cli.run("tidy", "apply", "-", stdin=plan(update, token=near["candidates"])).code == 5
    assert cli.run("tidy", "apply", "-", stdin=plan(update, token="tc_000000000000")).code == 2
    change = update | {"op": "upsert", "body_text": "x"}
    assert cli.run("tidy", "apply", "-", stdin=plan(change)).code == 2
    assert closed(root) == []


def test_twice_in_one_plan(near: dict[str, object], cli: Command) -> None:
    update = {"op": "close", "state_id": "mem_000000000001", "reason": "x"}
    assert cli.run("tidy", "apply", "-", stdin=plan(update, update, token=near["candidates"])).code == 2


def test_private_states(cli: Command, root: Path) -> None:
    # P-6: what is made from a private memory is private
    for number in (1, 2):
        state(root, number, "Nobody knows about the lighthouse", top="private")
    public = state(root, 3, "The lighthouse is white")
    token = cli.json("tidy", "candidates")["candidates"]
    close = {"op": "close", "state_id": "mem_000000000001", "reason": "x"}
    new = {"op": "upsert", "kind": "fact", "body_text": "The lighthouse is a secret", "reason": "x"}
    answer = cli.json("tidy", "apply", "-", stdin=plan(close, new, token=token))
    assert cli.json("show", answer["created"][0])["private"]
    assert "secret" not in str(contents(root / "memories"))
    into_public = {"op": "upsert", "state_id": public, "body_text": "The lighthouse is a secret", "reason": "x"}
    other = {"op": "close", "state_id": "mem_000000000002", "reason": "x"}
    assert cli.run("tidy", "apply", "-", stdin=plan(other, into_public, token=token)).code == 2
    assert cli.json("tidy", "candidates", "--public-only")["clusters"] == []


def fuzzed(rng: random.Random, token: str) -> str:
    """A plan as a language model might get it wrong, or right."""

    def value() -> object:
        return rng.choice(
            [
                None,
                0,
                1.5,
                -1,
                True,
                "",
                "x",
                "mem_000000000001",
                [],
                ["x"],
                {},
                {"tags": 1},
                "2026-11-10T00:00:00+09:00",
            ]
        )

    ids = [f"mem_{number:012x}" for number in range(1, 7)]
    updates = []
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        update: dict[str, object] = {
            "op": rng.choice(["upsert", "close", "mark_done"]),
            "state_id": rng.choice([*ids, None]),
            "reason": "fuzz",
        }
        if update["op"] == "upsert":
            update["body_text"] = rng.choice(["A new text", "別の文", "x" * rng.choice([5, 10_001])])
            if update["state_id"] is None:
                update["kind"] = rng.choice(["fact", "task", "event"])
        for _ in range(rng.choice([0, 0, 0, 1, 2])):
            key = rng.choice(
                ["op", "state_id", "kind", "body_text", "payload", "confidence", "valid_to_ts", "reason", "z"]
            )
            update[key] = value()
        if rng.random() < 0.1:
            update.pop(rng.choice(list(update)))
        updates.append(update)
    record: object = {"candidates": token, "state_updates": updates}
    if rng.random() < 0.1:
        record = rng.choice([updates, {"state_updates": value()}, value(), {**record, "x": 1}])
    text = json.dumps(record, ensure_ascii=False)
    return text if rng.random() > 0.05 else text[: rng.randrange(len(text))]


def test_fuzzed_plans(root: Path, env: dict[str, str], soak: bool) -> None:
    # T-4: each is refused and changes no byte, or is valid and applies whole
    from vault_mem.errors import VaultMemError

    for number in range(1, 7):
        state(root, number, f"Kaya likes green tea, cup {['one', 'two', 'three', 'four', 'five', 'six'][number - 1]}")
    vault = Vault(root, env=env)
    token = vault.tidy_candidates().token
    first = contents(root)
    rng = random.Random(7)
    applied = 0
    for _ in range(1000 if soak else 120):
        text = fuzzed(rng, token)
        try:
            result = vault.tidy_apply(text)
        except VaultMemError as error:
            assert error.exit_code in (2, 5)
            assert {name: data for name, data in contents(root).items() if "history" not in name} == first
            continue
        applied += 1
        wanted = json.loads(text)["state_updates"]
        assert len(result.created) + len(result.updated) + len(result.closed) == len(wanted)
        vault.undo()
        assert {name: data for name, data in contents(root).items() if "history" not in name} == first
    assert applied > 5


def test_the_schema(cli: Command) -> None:
    # T-4: it ships, and says what the check says
    schema = json.loads(cli.run("tidy", "schema").out)
    item = schema["properties"]["state_updates"]["items"]
    assert item["properties"]["op"]["enum"] == ["upsert", "close", "mark_done"]
    assert schema["properties"]["state_updates"]["maxItems"] == 200


def test_the_schema_and_the_check_agree(root: Path, env: dict[str, str]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    from vault_mem.errors import InvalidInput
    from vault_mem.operations.upkeep.tidy_plan import read_plan, schema

    validator = jsonschema.Draft202012Validator(json.loads(schema()))
    rng = random.Random(11)
    for _ in range(500):
        text = fuzzed(rng, "tc_1")
        try:
            document = json.loads(text)
        except ValueError:
            continue
        try:
            read_plan(text)
        except InvalidInput:
            continue
        assert list(validator.iter_errors(document)) == [], text


def test_summaries(cli: Command, root: Path) -> None:
    # T-6: scopes that deserve one; one summary per scope that grows; sources, and whether they changed since
    ids = [state(root, number, f"Shipping note {number}", "tags: [shipping]", kind="event") for number in range(1, 8)]
    for number in range(20, 30):
        state(root, number, f"Something else {number}", kind="event")
    (scope,) = [
        each for each in cli.json("tidy", "candidates", "--summaries")["scopes"] if each["scope"] == "tag:shipping"
    ]
    assert (scope["total"], scope["summary"]) == (7, None)
    assert {each["state_id"] for each in scope["covers"]} == set(ids)
    options = [option for id_ in ids for option in ("--of", id_)]
    made = cli.json("remember", "Seven notes on shipping", "--kind", "summary", "--scope", "tag:shipping", *options)
    text = (root / made["memory"]["path"]).read_text()
    assert 'scope: "tag:shipping"' in text
    assert text.count('"[[n') >= 7
    assert not [
        each for each in cli.json("tidy", "candidates", "--summaries")["scopes"] if each["scope"] == "tag:shipping"
    ]
    grown = cli.json("remember", "Seven notes, all on shipping", "--kind", "summary", "--scope", "tag:shipping")
    assert grown["status"] == "updated"
    assert grown["memory"]["id"] == made["memory"]["id"]
    assert not [each for each in cli.json("doctor")["findings"] if each["check"] == "summaries"]
    path = root / "memories/n3.md"
    path.write_text(path.read_text().replace("Shipping note 3", "Shipping note 3, corrected"))
    (finding,) = [each for each in cli.json("doctor")["findings"] if each["check"] == "summaries"]
    assert finding["path"] == made["memory"]["path"]
    assert cli.run("remember", "x y z", "--kind", "fact", "--scope", "tag:a").code == 2
    assert cli.run("remember", "x y z", "--kind", "summary", "--scope", "nonsense").code == 2


def test_stats(cli: Command, root: Path) -> None:
    for number in (1, 2):
        state(root, number, "The same words", "category: tea")
    cli.run("remember", "Something new here")
    cli.run("remember", "Something new here")
    before = cli.json("stats")
    assert before["by_kind"] == {"fact": 2, "event": 1}
    assert before["duplicates_left"] == 1
    assert before["blocked"] == 1
    cli.run("tidy")
    after = cli.json("stats")
    assert (after["duplicates_left"], after["closes"], after["closed"]) == (0, 1, 1)
    assert "█" in cli.run("stats", "--plot").out


def test_candidates_say_what_the_judge_says(cli: Command, root: Path) -> None:
    # D-9, T-4: repetitions and changed facts apart; the rest is only related
    texts = {
        "mem_00000000000a": "The standup of the tools team is at 3pm.",
        "mem_00000000000b": "The standup of the tools team is at 4pm.",
        "mem_00000000000c": "The standup of the tools team is at 4 pm.",
    }
    for number, (id_, text) in enumerate(texts.items(), start=1):
        front = f"---\nid: {id_}\ncreated: 2026-11-0{number}\nkind: fact\n---\n"
        note(root, f"memories/n{number}.md", f"{front}{text}\n")
    (cluster,) = cli.json("tidy", "candidates")["clusters"]
    a, b, c = texts
    assert cluster["repetitions"] == [[c, b]]
    assert {(each["newer"], each["older"]) for each in cluster["changes"]} == {(b, a), (c, a)}
    assert "3pm" in cluster["changes"][0]["differs"][0]
    assert f"{c} repeats {b}" in cli.run("tidy", "candidates").out


def test_candidates_about_one_time(cli: Command, root: Path) -> None:
    # T-4: states a little further apart count where they are about one time
    one = "Book the ferry to Mihara."
    others = (
        "Book the ferry for Ewan.",
        "Book the boat to Mihara.",
        "Ask when the ferry to Mihara leaves.",
        "Book the ferry to Imabari and back.",
        "Book seats on the late ferry.",
        "Find out about the ferry.",
        "The ferry must be booked.",
    )
    two = next(each for each in others if 0.25 < cli.json("compare", one, each)["distance"] < 0.35)
    for about, expected in ((("2026-12-20", "2026-12-24"), 1), (("2026-12-20", "2027-06-01"), 0)):
        for number, (text, when) in enumerate(zip((one, two), about, strict=True), start=1):
            memory(root, f"memories/{number}.md", f"mem_00000000000{number}", text, "kind: task", f"about_time: {when}")
        assert len(cli.json("tidy", "candidates")["clusters"]) == expected


def test_each_change_keeps_its_own_reason(near: dict[str, object], cli: Command, root: Path) -> None:
    # T-4, T-5: reason, evidence and what else the payload said, state by state; merged counts merges
    task = state(root, 7, "Print the papers", kind="task")
    text = plan(
        {
            "op": "upsert",
            "state_id": "mem_000000000001",
            "body_text": "Kaya drinks green tea every morning.",
            "payload": {"cluster": 3, "thread_key": "tea"},
            "reason": "one of three",
            "evidence_event_ids": ["mem_000000000002"],
        },
        {"op": "close", "state_id": "mem_000000000002", "reason": "said by the first"},
        {"op": "close", "state_id": "mem_000000000003", "reason": "no longer true"},
        {"op": "mark_done", "state_id": task, "reason": "printed"},
        token=near["candidates"],
    )
    assert cli.json("tidy", "apply", "-", stdin=text, env=NOW)["report"]["merged"] == 1

    def last(id_: str) -> dict[str, object]:
        return cli.json("history", id_)["revisions"][-1]

    assert last("mem_000000000001")["reason"] == "tidy: one of three"
    assert last("mem_000000000001")["payload"] == {"cluster": 3, "thread_key": "tea"}
    assert "cluster" not in (root / "memories/n1.md").read_text()
    assert [last(f"mem_00000000000{number}")["reason"] for number in (2, 3, 7)] == [
        "tidy: said by the first",
        "tidy: no longer true",
        "tidy: printed",
    ]
    assert last("mem_000000000001")["evidence"] == ["mem_000000000002"]
    assert last("mem_000000000003")["evidence"] == []


def test_positions(near: dict[str, object], cli: Command, root: Path) -> None:
    # T-4: integers are positions in the last candidates, as the seed has them; 0 is none
    states = [each for cluster in near["clusters"] for each in cluster["states"]]  # type: ignore[attr-defined]
    assert [each["position"] for each in states] == list(range(1, len(states) + 1))
    first, second = (each["state_id"] for each in states[:2])
    text = plan(
        {"op": "upsert", "state_id": 1, "body_text": "Kaya drinks tea.", "reason": "x", "evidence_event_ids": [2]},
        {"op": "close", "state_id": 2, "reason": "said by the first"},
        {"op": "upsert", "state_id": 0, "kind": "relation", "body_text": "Kaya knows Marit", "reason": "new"},
    )
    answer = cli.json("tidy", "apply", "-", stdin=text, env=NOW)
    assert (answer["updated"], answer["closed"], len(answer["created"])) == ([first], [second], 1)
    twice = plan(
        {"op": "close", "state_id": 3, "reason": "x"}, {"op": "close", "state_id": states[2]["state_id"], "reason": "x"}
    )
    assert cli.run("tidy", "apply", "-", stdin=twice, env=NOW).code == 2


def test_what_was_too_fresh_is_tidied_once_it_is_quiet(cli: Command, root: Path) -> None:
    # T-3: not hundreds of turns later
    state(root, 1, "Kaya drinks tea.")
    state(root, 2, "Kaya drinks tea.")
    vault = Vault(root, env=cli.env)
    folder = vault.workspace.folder
    for _ in range(folder.settings.tidy_first_turns):
        turns.count_turn(folder)
    first = run_due(vault.workspace)
    assert first is not None
    assert (first.closed, first.waiting) == (0, 1)
    cli.run("config", "set", "quiet_seconds", "0")  # as if they had been left alone for long enough
    later = Vault(root, env=cli.env).workspace
    second = run_due(later)
    assert second is not None
    assert (second.closed, second.waiting) == (1, 0)
    assert run_due(later) is None


def test_a_summary_of_private_memories_is_private(cli: Command, root: Path) -> None:
    # P-6
    public = state(root, 1, "Kaya drinks tea.")
    secret = state(root, 2, "Kaya has debts.", top="private")
    answer = cli.run(
        "remember", "About Kaya: tea and debts", "--kind", "summary", "--of", public, "--of", secret, "--json"
    )
    assert answer.json["memory"]["private"] is True
    assert answer.json["memory"]["path"].startswith("private/")
    assert "saved as private" in answer.err
    assert cli.json("remember", "About Kaya: tea", "--kind", "summary", "--of", public)["memory"]["private"] is False
