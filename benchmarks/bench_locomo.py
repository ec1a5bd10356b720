"""LoCoMo: does recall find what answers a question about a long conversation, and how fast.

A vault per conversation, a memory per turn. R@k is the share of a question's evidence among the first k results,
averaged over questions; MRR is one over the rank of the first evidence found.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from benchmarks.harness import DATA, Figure, Setting, percentile
from benchmarks.vaults import write_vault
from vault_mem import Memory
from vault_mem.notes.parse import title_of

NEEDS = ("locomo-dev.json",)
DEPTHS = (1, 5, 10, 20)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}


@dataclass(frozen=True)
class Answer:
    """One question asked: the ranks, from 1, at which its evidence came, out of so many pieces."""

    category: int
    ranks: list[int]
    evidence: int
    seconds: float

    def recall_at(self, depth: int) -> float:
        """The share of the evidence among the first results."""
        return sum(rank <= depth for rank in self.ranks) / self.evidence

    @property
    def reciprocal_rank(self) -> float:
        """One over the rank of the first evidence; nothing where none was found."""
        return 1 / min(self.ranks) if self.ranks else 0.0


def run(setting: Setting) -> Iterator[Figure]:
    """Ask every question through the library's own recall."""
    conversations = json.loads((DATA / NEEDS[0]).read_text(encoding="utf-8"))
    answers: list[Answer] = []
    for conversation in conversations[: 1 if setting.quick else None]:
        answers += _ask(conversation, setting)
        setting.progress(f"{conversation['name']} done")
    groups = {"all": answers}
    for number, name in sorted(CATEGORIES.items()):
        groups[name] = [answer for answer in answers if answer.category == number]
    for name, group in groups.items():
        for depth in DEPTHS:
            found = statistics.mean(answer.recall_at(depth) for answer in group)
            yield Figure(f"locomo: R@{depth}, {name} ({len(group)} questions)", found)
        yield Figure(f"locomo: MRR, {name}", statistics.mean(answer.reciprocal_rank for answer in group))
    seconds = [answer.seconds for answer in answers]
    yield Figure("locomo: recall, p50", percentile(seconds, 50) * 1000, "ms")
    yield Figure("locomo: recall, p95", percentile(seconds, 95) * 1000, "ms")


def _ask(conversation: dict[str, Any], setting: Setting) -> Iterator[Answer]:
    ids = {turn["key"]: _id(conversation["name"], turn["key"]) for turn in conversation["memories"]}
    vault = write_vault(setting.folder / conversation["name"], map(_memory, ids.values(), conversation["memories"]))
    vault.reindex()
    vault.recall("warm up")
    for question in conversation["questions"]:
        started = time.perf_counter()
        results = vault.recall(question["question"], n=max(DEPTHS)).results
        seconds = time.perf_counter() - started
        evidence = {ids[key] for key in question["evidence"]}
        ranks = [rank for rank, found in enumerate(results, start=1) if found.memory.id in evidence]
        yield Answer(question["category"], ranks, len(evidence), seconds)


def _memory(id_: str, turn: dict[str, str]) -> Memory:
    created = datetime.fromisoformat(turn["created"])
    return Memory(id_, turn["text"], created, title=title_of(turn["text"]), people=[turn["speaker"]])


def _id(conversation: str, key: str) -> str:
    """An id for a turn: the same in every run, so that ties come out the same."""
    return f"mem_{hashlib.blake2b(f'{conversation} {key}'.encode(), digest_size=6).hexdigest()}"
