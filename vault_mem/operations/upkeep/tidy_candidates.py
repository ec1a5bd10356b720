"""tidy candidates: clusters of near states of one kind for a language model to decide about (SPEC T-4, T-6).

Their ids and digests are saved under a token, so that a plan made from them can be checked against the files later.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import numpy as np

from vault_mem.embedding.calibration import size_of
from vault_mem.errors import InvalidInput
from vault_mem.index.filters import Filters
from vault_mem.index.pairs import nearest_pairs
from vault_mem.index.sync import Progress
from vault_mem.model import STATE_KINDS, Memory
from vault_mem.notes.tokens import count_tokens
from vault_mem.operations.memory.pairs import CHANGED, REPETITION, judge_pair
from vault_mem.operations.upkeep.summaries import as_state
from vault_mem.operations.upkeep.tidy import normalised
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking.times import spans
from vault_mem.result import Result, as_record
from vault_mem.vault import files, machine_folder
from vault_mem.vault.folder import OWN, Folder
from vault_mem.vault.steps import read
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE

# The distance within which states are candidates: generous, since the language model has the last word.
NEAR = 0.25
# With something else in common, states may be a little further apart.
NEAR_WITH_SIGNS = 0.35
# The times that two states are about count as near if no more than this lies between them.
NEAR_TIMES = timedelta(days=31)
MOST_PAIRS = 20_000
MOST_IN_CLUSTER = 12
BUDGET = 6000
KEPT = timedelta(days=30)
_FOLDER = f"{OWN}/candidates"


@dataclass(frozen=True)
class StateChange:
    """A state that changes what an older one says, and what differs."""

    newer: str
    older: str
    differs: list[str]


@dataclass(frozen=True)
class StateCluster:
    """States of one kind that may be about the same thing, and what else they share.

    `near` are its pairs: similarity, older, newer. The judge has read them: `repetitions` (newer, older) say the same,
    `changes` are facts that changed; pairs in neither are only related.
    """

    kind: str
    similarity: float
    states: list[Memory]
    shared_tags: list[str] = field(default_factory=list)
    shared_people: list[str] = field(default_factory=list)
    overlapping: bool = True
    near: list[tuple[float, Memory, Memory]] = field(default_factory=list)
    repetitions: list[tuple[str, str]] = field(default_factory=list)
    changes: list[StateChange] = field(default_factory=list)


@dataclass(frozen=True)
class TidyCandidates(Result):
    """What could be tidied, and the token that a plan must name; `left_out` clusters were over the budget."""

    token: str
    at: datetime
    clusters: list[StateCluster]
    left_out: int
    states: int

    def to_dict(self) -> dict[str, Any]:
        """As JSON; states are numbered across all clusters."""
        positions = count(1)
        clusters = [
            as_record(each, "near", states=[{"position": next(positions)} | as_state(memory) for memory in each.states])
            for each in self.clusters
        ]
        return as_record(self, "token", candidates=self.token, clusters=clusters)


def find(
    workspace: Workspace,
    *,
    kind: str | None = None,
    budget: int = BUDGET,
    public_only: bool = False,
    progress: Progress | None = None,
) -> TidyCandidates:
    """Clusters of near states, the nearest first, as many as fit the budget."""
    if kind is not None and kind not in STATE_KINDS:
        raise InvalidInput(f"{kind!r} is not a kind that tidy handles", f"one of {', '.join(STATE_KINDS)}")
    workspace.freshen()
    now = workspace.folder.now()
    filters = Filters(kind=kind or STATE_KINDS, private=False if public_only else None)
    states = {memory.path: memory for memory in workspace.index.memories(filters) if not memory.provisional}
    clusters = workspace.reading(lambda: _clusters(workspace, states, progress))
    chosen, left_out, room = [], 0, budget
    for cluster in clusters:
        cost = sum(count_tokens(memory.content) + 40 for memory in cluster.states)
        if cost > room:
            left_out += 1
            continue
        room -= cost
        chosen.append(_judged(workspace, cluster))
    return TidyCandidates(remember_states(workspace, chosen), now, chosen, left_out, len(states))


def _clusters(workspace: Workspace, states: dict[str, Memory], progress: Progress | None) -> list[StateCluster]:
    """Near pairs of one kind and one side, joined into clusters where they share a state."""
    calibration = workspace.calibration
    by_kind: dict[tuple[str, bool], list[tuple[str, int]]] = defaultdict(list)
    with workspace.candidates() as candidates:  # released before the comparison, which takes seconds
        catalogue = candidates.catalogue(states)
        wanted = [
            (file, place) for _, file, place in catalogue.open_at(workspace.folder.now().timestamp()) if file in states
        ]
        vectors = catalogue.vectors[[place for _, place in wanted]]
    for number, (file, _) in enumerate(wanted):
        by_kind[(states[file].kind, states[file].private)].append((file, number))
    lowest = calibration.cosine(1 - NEAR_WITH_SIGNS)
    found: list[StateCluster] = []
    for (kind, _), members in sorted(by_kind.items()):
        places = np.array([place for _, place in members], dtype=np.int64)
        nobody = np.zeros(0, dtype=np.int64)
        pairs = nearest_pairs(vectors, places, nobody, lowest, MOST_PAIRS, progress)
        near: list[tuple[float, Memory, Memory]] = []
        for cosine, one, other in pairs:
            a, b = states[members[one][0]], states[members[other][0]]
            similarity = round(calibration.similarity(cosine, size_of(a.content, b.content)), 4)
            if similarity > 1 - NEAR or _belong_together(a, b):
                near.append((similarity, a, b))
        found += _joined(kind, near)
    return sorted(found, key=lambda each: (-each.similarity, each.states[0].id))


def _judged(workspace: Workspace, cluster: StateCluster) -> StateCluster:
    """The cluster with the judge's verdict on each pair."""
    repetitions, changes = [], []
    for similarity, older, newer in cluster.near:
        verdict = judge_pair(workspace, older, newer, round(1 - similarity, 4))
        if verdict.kind == REPETITION:
            repetitions.append((newer.id, older.id))
        elif verdict.kind == CHANGED:
            changes.append(StateChange(newer.id, older.id, verdict.differs))
    return replace(cluster, repetitions=repetitions, changes=changes)


def _belong_together(one: Memory, other: Memory) -> bool:
    """Whether two states hold at the same time and share a tag, a person or the time that they are about."""
    shared = set(one.tags) & set(other.tags) or set(one.people) & set(other.people) or _about_one_time(one, other)
    return bool(shared) and _overlap(one, other)


def _about_one_time(one: Memory, other: Memory) -> bool:
    """Whether two states are about the same time, or times that are not far apart."""
    if not one.about_time or not other.about_time:
        return False
    if normalised(one.about_time) == normalised(other.about_time):
        return True
    apart = NEAR_TIMES.total_seconds()
    return any(
        start <= other_end + apart and other_start <= end + apart
        for start, end in spans(one.about_time, one.created, [one.created.year])
        for other_start, other_end in spans(other.about_time, other.created, [other.created.year])
    )


def _overlap(one: Memory, other: Memory) -> bool:
    later = max(one.valid_from or one.created, other.valid_from or other.created)
    ends = [each.valid_to for each in (one, other) if each.valid_to is not None]
    return all(later <= end for end in ends)


def _joined(kind: str, near: list[tuple[float, Memory, Memory]]) -> list[StateCluster]:
    """Join pairs that share a state, nearest first, up to the largest cluster that one can look through."""
    home: dict[str, list[Memory]] = {}
    best: dict[int, float] = {}
    for similarity, one, other in near:
        a, b = home.get(one.id), home.get(other.id)
        if a is not None and a is b:
            continue
        merged = [*(a or [one]), *(b or [other])]
        if len(merged) > MOST_IN_CLUSTER:
            continue
        best[id(merged)] = max(similarity, best.get(id(a), 0.0), best.get(id(b), 0.0))
        for memory in merged:
            home[memory.id] = merged
    clusters = {id(group): group for group in home.values()}
    pairs: dict[int, list[tuple[float, Memory, Memory]]] = defaultdict(list)
    for similarity, *both in near:
        older, newer = sorted(both, key=lambda memory: (memory.created, memory.id))
        if home.get(older.id) is not None and home.get(older.id) is home.get(newer.id):
            pairs[id(home[older.id])].append((similarity, older, newer))
    return [_cluster(kind, best[number], group, pairs[number]) for number, group in clusters.items()]


def _cluster(
    kind: str, similarity: float, group: list[Memory], near: list[tuple[float, Memory, Memory]]
) -> StateCluster:
    ordered = sorted(group, key=lambda memory: (memory.created, memory.id), reverse=True)
    tags = set.intersection(*(set(memory.tags) for memory in group))
    people = set.intersection(*(set(memory.people) for memory in group))
    overlapping = all(_overlap(one, other) for one in group for other in group)
    return StateCluster(kind, similarity, ordered, sorted(tags), sorted(people), overlapping, near)


def remember_states(workspace: Workspace, clusters: list[StateCluster]) -> str:
    """Save what was handed out; returns its token."""
    folder = workspace.folder
    states = {memory.id: digest(folder, memory) for cluster in clusters for memory in cluster.states}
    if not states:
        return ""
    text = json.dumps(states)  # in the order they are shown: a plan may name them by their position
    token = "tc_" + hashlib.sha256(text.encode()).hexdigest()[:12]
    tree, key = folder.tree, f"{_FOLDER}/{token}.json"
    files.make_folder(tree, _FOLDER, PRIVATE_FOLDER_MODE)
    oldest = (folder.now() - KEPT).timestamp()
    for old in tree.names(_FOLDER, ".json"):
        found = tree.stat(f"{_FOLDER}/{old}")
        if found is not None and found.st_mtime < oldest:
            tree.drop(f"{_FOLDER}/{old}")
    tree.drop(key)  # writing it again makes it the latest
    files.create(tree, key, text.encode(), PRIVATE_MODE)
    return token


def latest(folder: Folder) -> str:
    """The token of what was handed out last; empty if there is none."""
    names = folder.tree.names(_FOLDER, ".json")
    found = [(state.st_mtime_ns, name) for name in names if (state := folder.tree.stat(f"{_FOLDER}/{name}"))]
    return max(found)[1].removesuffix(".json") if found else ""


def known_states(folder: Folder, token: str) -> dict[str, str]:
    """The states that were handed out under a token, with their digests, in the order they were shown."""
    known = token.startswith("tc_") and token[3:].isalnum()
    raw = machine_folder.read(folder.tree, f"{_FOLDER}/{token}.json") if known else None
    try:
        record: dict[str, Any] = json.loads(raw or b"")
        return {str(id_): str(value) for id_, value in record.items()}
    except (ValueError, AttributeError) as error:
        raise InvalidInput(
            f"unknown candidates {token[:40]!r}",
            "run `vault-mem tidy candidates --json` and put its token into the plan",
        ) from error


def digest(folder: Folder, memory: Memory) -> str:
    """A digest of a memory's file as it is now."""
    return hashlib.sha256(read(folder, memory.path) or b"").hexdigest()[:16]
