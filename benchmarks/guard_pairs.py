"""The guard's decision on labelled pairs of texts, as shipped or with other fitted weights, and folds of such pairs."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from benchmarks.vaults import FIRST_DAY, write_vault
from vault_mem import Memory
from vault_mem.judge import judge as judging
from vault_mem.judge.text import respelled
from vault_mem.notes.parse import title_of
from vault_mem.operations.memory.guard import repeats, similarity_between
from vault_mem.operations.workspace import Workspace

Pair = dict[str, str]


@dataclass(frozen=True)
class Decided:
    """What the guard makes of one pair."""

    pair: Pair
    distance: float
    near: bool
    blocked: bool
    probability: float
    rules: bool


class Decider:
    """Decides on pairs as `remember` and `compare` do, calibrated for a vault with these texts."""

    def __init__(self, root: Path, texts: Sequence[str] = ()) -> None:
        vault = write_vault(root, map(_memory, texts))
        vault.reindex()
        self.workspace: Workspace = vault.workspace
        self._distances: dict[tuple[str, str], float] = {}

    def decide(self, pair: Pair) -> Decided:
        """Calibrated similarity first, then the judge; thresholds are the settings' defaults."""
        settings = self.workspace.folder.settings
        distance = self._distance(pair["a"], pair["b"])
        judgement = judging.judge(pair["a"], pair["b"], self.workspace.tokens)
        if judgement.aligned:  # as `remember` and `compare` do
            distance = min(distance, 1.0 - similarity_between(self.workspace, *respelled(pair["a"], pair["b"])))
        near = distance < max(settings.merge_threshold, settings.dedup_threshold)
        blocked = near and repeats(judgement, distance, settings.dedup_threshold)
        rules = any(each.kind != "words" for each in judgement.differs)
        return Decided(pair, distance, near, blocked, judgement.probability, rules)

    def _distance(self, a: str, b: str) -> float:
        if (a, b) not in self._distances:
            self._distances[a, b] = 1.0 - similarity_between(self.workspace, a, b)
        return self._distances[a, b]


def _memory(text: str) -> Memory:
    id_ = f"mem_{hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}"
    return Memory(id_, text, FIRST_DAY, title=title_of(text))


@contextmanager
def fitted(weights: dict[str, Any]) -> Iterator[None]:
    """Use these weights per language in the judge instead of those that ship."""
    with patch.object(judging, "_weights", lambda: weights):
        yield


def folds(pairs: Sequence[Pair], count: int, seed: int = 0) -> list[list[int]]:
    """The positions of the pairs in `count` folds of about equal size; pairs that share a sentence stay together."""
    groups = _groups(pairs)
    Random(seed).shuffle(groups)
    found: list[list[int]] = [[] for _ in range(count)]
    for group in sorted(groups, key=len, reverse=True):
        min(found, key=len).extend(group)
    return found


def _groups(pairs: Sequence[Pair]) -> list[list[int]]:
    """The positions of pairs that are connected by shared sentences (union-find)."""
    parents: dict[str, str] = {}

    def root(text: str) -> str:
        parents.setdefault(text, text)
        while parents[text] != text:
            parents[text] = parents[parents[text]]
            text = parents[text]
        return text

    for pair in pairs:
        parents[root(pair["a"])] = root(pair["b"])
    groups: dict[str, list[int]] = defaultdict(list)
    for place, pair in enumerate(pairs):
        groups[root(pair["a"])].append(place)
    return list(groups.values())


def recall_and_precision(decided: Sequence[Decided], repetition: str = "duplicate") -> tuple[float, float]:
    """The share of repetitions that were blocked, and the share of blocked pairs that are repetitions."""
    wanted = sum(each.pair["label"] == repetition for each in decided)
    blocked = [each.pair["label"] == repetition for each in decided if each.blocked]
    return sum(blocked) / max(wanted, 1), sum(blocked) / max(len(blocked), 1)


def best_recall(decided: Sequence[Decided], precision: float) -> float:
    """The highest recall at this precision if the fitted probability alone decided about every pair in reach."""
    wanted = sum(each.pair["label"] == "duplicate" for each in decided)
    right = best = 0
    in_reach = sorted((each for each in decided if each.near), key=lambda each: -each.probability)
    for seen, each in enumerate(in_reach, start=1):
        right += each.pair["label"] == "duplicate"
        if right >= precision * seen:
            best = right
    return best / max(wanted, 1)
