"""A year with an agent: facts change, repeat and contradict, and the vault stays true."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from vault_mem import Vault
from vault_mem.operations.upkeep.tidy import run_due
from vault_mem.vault import turns as turns_of_vault

PEOPLE = ["Kaya", "Marit", "Ewan", "Haruka", "Onishi", "Jonas", "Wei", "Fumie", "Ibe", "Soma"]
WHAT = {
    "drinks {} in the morning": ["green tea", "coffee", "cocoa", "hot water", "orange juice", "milk"],
    "works at the {}": ["harbour office", "bakery", "library", "boat shed", "eye clinic", "post office"],
    "lives in {}": ["Bergen", "Matsue", "Lisbon", "Hamburg", "Kobe", "Aarhus"],
    "has a {} as a pet": ["cat", "parrot", "turtle", "rabbit", "hamster", "goldfish"],
    "drives a {} car": ["red", "white", "black", "silver", "yellow", "green"],
}
ASKED = {
    "drinks {} in the morning": "What does {} drink in the morning?",
    "works at the {}": "Where does {} work?",
    "lives in {}": "Where does {} live?",
    "has a {} as a pet": "Which pet does {} have?",
    "drives a {} car": "What colour is the car that {} drives?",
}
START = datetime(2026, 1, 1, 8, tzinfo=UTC)


def test_a_year(root: Path, env: dict[str, str], soak: bool) -> None:
    # T, R-6, D-6: the current value comes first, what was superseded never counts as current, nothing is deleted
    turns = 10_000 if soak else 260
    people = PEOPLE if soak else PEOPLE[:4]
    rng = random.Random(4)
    now = [START]
    vault = Vault(root, env=env, clock=lambda: now[0])
    facts = [(person, template) for person in people for template in WHAT]
    current: dict[tuple[str, str], str] = {}
    ids: dict[tuple[str, str], str] = {}
    former: dict[tuple[str, str], set[str]] = {fact: set() for fact in facts}
    saved: set[str] = set()
    blocked = changes = 0
    for turn in range(turns):
        now[0] = START + timedelta(days=365) * (turn / turns)
        fact = rng.choice(facts)
        person, template = fact
        known = current.get(fact)
        change = known is None or rng.random() < 0.15
        if rng.random() < 0.35 and known is not None:
            vault.recall(ASKED[template].format(person))
        else:
            value = rng.choice([each for each in WHAT[template] if each != known]) if change else str(known)
            text = f"{person} {template.format(value)}"
            result = vault.remember(text, kind="fact", people=[person])
            if result.memory is None:
                assert not change, f"{text!r} was taken for {result.duplicate_of.memory.content!r}"
                blocked += 1
            else:
                saved.add(result.memory.id)
                if change and known is not None:
                    # as the answer tells the agent to: the new one takes the old one's place
                    vault.remember(text, kind="fact", people=[person], supersedes=[ids[fact]])
                    former[fact].add(f"{person} {template.format(known)}")
                    changes += 1
                current[fact], ids[fact] = value, result.memory.id
        turns_of_vault.count_turn(vault.workspace.folder)
        run_due(vault.workspace)
    assert blocked > 0
    assert changes > 0
    right = 0
    for (person, template), value in current.items():
        results = vault.recall(ASKED[template].format(person), n=5).results
        texts = [found.memory.content for found in results]
        right += bool(texts) and texts[0] == f"{person} {template.format(value)}"
        stale = former[(person, template)] - {f"{person} {template.format(value)}"}
        shown = [found.memory for found in results if found.memory.content in stale]
        assert not [memory for memory in shown if not memory.closed_at(now[0]) and memory.id not in saved]
        assert not shown, "a superseded value is shown as current"
    print(f"{turns} turns, {changes} changes, {blocked} blocked: {right} of {len(current)} facts first")
    assert right >= 0.95 * len(current), f"{right} of {len(current)}"
    present = {memory.id for memory in vault.workspace.index.memories()}
    assert saved <= present, "something was deleted"
    told = {record.id for fact in ids for record in vault.history(ids[fact]).revisions}
    closed = [memory for memory in vault.workspace.index.memories() if memory.valid_to]
    assert len(closed) >= changes
    for memory in closed:
        assert vault.history(memory.id).revisions, f"{memory.id} was closed, and its history does not tell"
    assert told <= present
