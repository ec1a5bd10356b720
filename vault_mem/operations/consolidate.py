"""consolidate: replay what happened lately, and find pairs that say nearly the same. It never merges texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from itertools import pairwise
from typing import Any

import numpy as np

from vault_mem.errors import InvalidInput
from vault_mem.index.pairs import nearest_pairs
from vault_mem.model import Memory
from vault_mem.operations import review
from vault_mem.operations.linking import add_link
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import activity
from vault_mem.vault.journal import Transaction

WINDOW_HOURS = 24
MAX_REPLAY_EVENTS = 100
MAX_MERGE_CANDIDATES = 5
SNIPPET = 100

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class MergeCandidate:
    """Two memories that say nearly the same; `memory_a` is the newer one."""

    memory_a_id: str
    memory_b_id: str
    distance: float
    snippet_a: str
    snippet_b: str


@dataclass(frozen=True)
class ConsolidationStats:
    """What a consolidation did and found."""

    replay_events: int
    coactivation_updates: int
    link_updates: int
    refreshed_memories: int
    merge_candidates: list[MergeCandidate] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def consolidate(
    workspace: Workspace,
    *,
    whole: bool = False,
    window_hours: float = WINDOW_HOURS,
    merge_threshold: float | None = None,
    limit: int = MAX_MERGE_CANDIDATES,
    progress: Progress | None = None,
) -> ConsolidationStats:
    """Replay the last hours, then look for near-duplicates of what is new; `whole`: in the whole vault."""
    threshold = workspace.folder.settings.merge_threshold if merge_threshold is None else merge_threshold
    if not 0 <= threshold <= 1:
        raise InvalidInput(f"merge_threshold is from 0 to 1, not {threshold}")
    if not 0 < window_hours <= 24 * 3650:
        raise InvalidInput(f"window_hours is a number of hours above 0, not {window_hours}")
    if limit < 0:
        raise InvalidInput(f"limit is 0 or more, not {limit}")
    recent, pairs, links = workspace.changing(lambda: _replay(workspace, window_hours))
    candidates = workspace.reading(
        lambda: _candidates(workspace, None if whole else recent, threshold, limit, progress)
    )
    review.propose(workspace, [_suggestion(workspace, each) for each in candidates])
    refreshed = {memory.id for pair in pairs for memory in pair}
    return ConsolidationStats(len(pairs), len(pairs), links, len(refreshed), candidates)


def _suggestion(workspace: Workspace, candidate: MergeCandidate) -> review.Suggestion:
    """Keep the more important of two, or the newer one; what is made of a private one stays private."""
    a, b = workspace.index.get(candidate.memory_a_id), workspace.index.get(candidate.memory_b_id)
    keep, remove = (b, a) if (b.private, b.importance) > (a.private, a.importance) else (a, b)
    return review.Suggestion("merge", (keep.id, remove.id), f"similarity {1 - candidate.distance:.2f}")


def _replay(workspace: Workspace, window_hours: float) -> tuple[list[Memory], list[tuple[Memory, Memory]], int]:
    """Link memories that followed one another and strengthen their connections (SPEC C-1)."""
    workspace.freshen_to_change()
    now = workspace.folder.now()
    oldest = now - timedelta(hours=window_hours)
    where = f"created >= {oldest.timestamp()!r} AND created <= {now.timestamp()!r}"
    recent = [memory for memory in workspace.index.memories(where) if not memory.closed_at(now)]
    recent.sort(key=lambda memory: memory.order)
    pairs = list(pairwise(memory for memory in recent if not memory.provisional))[-MAX_REPLAY_EVENTS:]
    links = _link(workspace, pairs) if pairs else 0
    activity.strengthen(workspace.folder, [(earlier.id, later.id) for earlier, later in pairs])
    return recent, pairs, links


def _link(workspace: Workspace, pairs: list[tuple[Memory, Memory]]) -> int:
    graph = workspace.graph
    names = workspace.names
    transaction = Transaction(workspace.folder, "consolidate", "they followed one another")
    made = 0
    for earlier, later in pairs:
        if any(
            graph.resolve(link.target) == other.id
            for memory, other in ((earlier, later), (later, earlier))
            for link in memory.links
        ):
            continue
        if add_link(workspace, transaction, names, later, earlier, "related"):
            transaction.ids += [memory.id for memory in (earlier, later) if memory.id not in transaction.ids]
            made += 1
    if transaction.steps:
        transaction.commit()
        workspace.done(transaction)
    return made


def _candidates(
    workspace: Workspace, recent: list[Memory] | None, threshold: float, limit: int, progress: Progress | None
) -> list[MergeCandidate]:
    """The pairs nearer than the threshold (SPEC C-2), nearest first."""
    new = None if recent is None else {memory.path for memory in recent}
    with workspace.at_hand() as catalogue:  # but not for the seconds that comparing takes
        memories = catalogue.open_at(workspace.folder.now().timestamp())
        if new is not None:  # what is new comes first, whatever its id
            memories.sort(key=lambda each: each[1] not in new)
        vectors = catalogue.vectors[[place for _, _, place in memories]]
    count = len(memories) if new is None else sum(key in new for _, key, _ in memories)
    places = np.arange(len(memories))
    calibration = workspace.calibration
    lowest = calibration.cosine(1 - threshold) - 1e-6
    found = nearest_pairs(vectors, places[:count], places[count:], lowest, limit, progress)
    pairs = [
        (distance, memories[one][1], memories[other][1])
        for cosine, one, other in found
        if (distance := round(1 - round(calibration.similarity(cosine), 4), 4)) < threshold
    ]
    by_file = workspace.index.by_files(sorted({file for _, *both in pairs for file in both}))
    candidates = [_candidate(by_file[one], by_file[other], distance) for distance, one, other in pairs]
    return sorted(candidates, key=lambda each: (each.distance, each.memory_a_id, each.memory_b_id))


def _candidate(one: Memory, other: Memory, distance: float) -> MergeCandidate:
    b, a = sorted((one, other), key=lambda memory: memory.order)
    return MergeCandidate(a.id, b.id, distance, a.content[:SNIPPET], b.content[:SNIPPET])
