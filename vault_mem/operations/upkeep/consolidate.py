"""consolidate: replay recent memories, and find those that repeat or change an older one. It never merges texts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise

import numpy as np

from vault_mem.embedding.calibration import size_of
from vault_mem.errors import InvalidInput, NotFound, VaultMemError
from vault_mem.index.filters import Filters
from vault_mem.index.pairs import nearest_pairs
from vault_mem.index.sync import Progress
from vault_mem.model import STATE_KINDS, Memory
from vault_mem.operations.changing import changing, commit, freshen_to_change
from vault_mem.operations.memory.pairs import CHANGED, REPETITION, judge_pair
from vault_mem.operations.upkeep import review
from vault_mem.operations.upkeep.backlinks import write_link_between
from vault_mem.operations.upkeep.replayed import Relatedness
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result
from vault_mem.vault import activity
from vault_mem.vault.journal import Transaction

WINDOW_HOURS = 24
MAX_REPLAY_EVENTS = 100
MAX_MERGE_CANDIDATES = 5
SNIPPET = 100
# A text longer by this factor says more than the other, so it must not be the one that is removed.
FULLER = 1.2
# How many of the nearest pairs the judge reads: a few seconds' work in a vault full of near-duplicates.
MOST_JUDGED = 500


@dataclass(frozen=True)
class MergeCandidate:
    """Two memories, one of which repeats the other; `memory_a` is the newer one."""

    memory_a_id: str
    memory_b_id: str
    distance: float
    snippet_a: str
    snippet_b: str


@dataclass(frozen=True)
class SupersedeCandidate(MergeCandidate):
    """A newer memory, `memory_a`, that changes what an older one says; `differs` lists the changes."""

    differs: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ConsolidationStats(Result):
    """What a consolidation did and found."""

    replay_events: int
    coactivation_updates: int
    link_updates: int
    refreshed_memories: int
    merge_candidates: list[MergeCandidate] = field(default_factory=list)
    supersede_candidates: list[SupersedeCandidate] = field(default_factory=list)


def consolidate(
    workspace: Workspace,
    *,
    whole: bool = False,
    window: int | None = None,
    window_hours: float = WINDOW_HOURS,
    max_replay_events: int = MAX_REPLAY_EVENTS,
    merge_threshold: float | None = None,
    limit: int = MAX_MERGE_CANDIDATES,
    progress: Progress | None = None,
) -> ConsolidationStats:
    """Replay the memories of the last hours, then compare them with the vault; with `whole`, compare all memories.

    With `window`, that many of the newest memories are replayed, whatever their age, instead of `window_hours`.
    """
    threshold = workspace.folder.settings.merge_threshold if merge_threshold is None else merge_threshold
    if not 0 <= threshold <= 1:
        raise InvalidInput(f"merge_threshold must be from 0 to 1, not {threshold}")
    if not 0 < window_hours <= 24 * 3650:
        raise InvalidInput(f"window_hours must be a number of hours above 0, not {window_hours}")
    for name, value in (("limit", limit), ("max_replay_events", max_replay_events), ("window", window or 0)):
        if value < 0:
            raise InvalidInput(f"{name} must be 0 or more, not {value}")
    freshen_to_change(workspace)
    recent = _recent(workspace, window, window_hours)
    merges, changes = workspace.reading(
        lambda: _candidates(workspace, None if whole else recent, threshold, limit, progress)
    )

    def act() -> ConsolidationStats:
        freshen_to_change(workspace)
        transaction = Transaction(workspace.folder, "consolidate", "they followed one another")
        lasting = (memory for memory in _recent(workspace, window, window_hours) if not memory.provisional)
        pairs = list(pairwise(lasting))  # memories that followed one another (SPEC C-1)
        pairs = pairs[max(len(pairs) - max_replay_events, 0) :]
        links = _link(workspace, transaction, pairs) if pairs else 0
        review.propose_in(transaction, workspace, [*_suggestions(workspace, merges, changes)])
        if transaction.steps:
            commit(workspace, transaction)
        _strengthen(workspace, pairs)
        refreshed = {memory.id for pair in pairs for memory in pair}
        return ConsolidationStats(len(pairs), len(pairs), links, len(refreshed), merges, changes)

    return changing(workspace, act)


def _suggestions(
    workspace: Workspace, merges: list[MergeCandidate], changes: list[SupersedeCandidate]
) -> Iterator[review.Suggestion]:
    """What to propose; candidates that were forgotten during the comparison are left out."""
    for each in merges:
        with contextlib.suppress(NotFound):
            yield _merge(workspace, each)
    for change in changes:
        with contextlib.suppress(NotFound):
            old = workspace.index.get(change.memory_b_id)
            if old.kind in STATE_KINDS:  # events are a log: with other figures, it simply happened twice
                ids = (change.memory_a_id, change.memory_b_id)
                yield review.Suggestion("supersede", ids, "; ".join(change.differs))


def _merge(workspace: Workspace, candidate: MergeCandidate) -> review.Suggestion:
    """Keep the private one of the two, else the fuller, the more important, or the newer one."""
    a, b = workspace.index.get(candidate.memory_a_id), workspace.index.get(candidate.memory_b_id)

    def worth(memory: Memory, other: Memory) -> tuple[bool, bool, int]:
        return memory.private, len(memory.content) > FULLER * len(other.content), memory.importance

    keep, remove = (b, a) if worth(b, a) > worth(a, b) else (a, b)
    return review.Suggestion("merge", (keep.id, remove.id), f"similarity {1 - candidate.distance:.2f}")


def _recent(workspace: Workspace, window: int | None, window_hours: float) -> list[Memory]:
    """The memories that count as new, oldest first."""
    now = workspace.folder.now()
    since = now - timedelta(hours=window_hours) if window is None else None
    recent = [memory for memory in workspace.index.memories(Filters(since=since)) if memory.created <= now]
    recent.sort(key=lambda memory: memory.order)
    return recent if window is None else recent[max(len(recent) - window, 0) :]


def _strengthen(workspace: Workspace, pairs: list[tuple[Memory, Memory]]) -> None:
    """Record that they were active together. The links are already written, so a failure is only a notice."""
    try:
        activity.strengthen(workspace.folder, [(earlier.id, later.id) for earlier, later in pairs])
    except (VaultMemError, OSError) as error:
        workspace.notices.append(f"the activity log could not be written: {error}")


def _link(workspace: Workspace, transaction: Transaction, pairs: list[tuple[Memory, Memory]]) -> int:
    graph = workspace.graph
    names = workspace.names
    belong_together, known = Relatedness(workspace), activity.strengths(workspace.folder)
    made = 0
    for earlier, later in pairs:
        if any(
            graph.resolve(link.target) == other.id
            for memory, other in ((earlier, later), (later, earlier))
            for link in memory.links
        ):
            continue
        if not belong_together(earlier, later):
            made += activity.pair_of(earlier.id, later.id) not in known  # linked by time only: in the activity log
        elif write_link_between(workspace, transaction, names, later, earlier):
            transaction.ids += [memory.id for memory in (earlier, later) if memory.id not in transaction.ids]
            made += 1
    return made


def _candidates(
    workspace: Workspace, recent: list[Memory] | None, threshold: float, limit: int, progress: Progress | None
) -> tuple[list[MergeCandidate], list[SupersedeCandidate]]:
    """The repetitions and the changed facts among pairs nearer than the threshold (SPEC C-2), nearest first."""
    merges: list[MergeCandidate] = []
    changes: list[SupersedeCandidate] = []
    if limit == 0:
        return merges, changes
    for distance, older, newer in _near(workspace, recent, threshold, progress):
        verdict = judge_pair(workspace, older, newer, distance)
        facts = (newer.id, older.id, verdict.distance, newer.content[:SNIPPET], older.content[:SNIPPET])
        if verdict.kind == REPETITION and len(merges) < limit:
            merges.append(MergeCandidate(*facts))
        elif verdict.kind == CHANGED and len(changes) < limit:
            changes.append(SupersedeCandidate(*facts, verdict.differs))
        if len(merges) == len(changes) == limit:
            break
    return sorted(merges, key=_by_distance), sorted(changes, key=_by_distance)


def _by_distance(candidate: MergeCandidate) -> tuple[float, str, str]:
    return candidate.distance, candidate.memory_a_id, candidate.memory_b_id


def _near(
    workspace: Workspace, recent: list[Memory] | None, threshold: float, progress: Progress | None
) -> list[tuple[float, Memory, Memory]]:
    """The pairs nearer than the threshold: distance, older and newer memory."""
    new = None if recent is None else {memory.path for memory in recent}
    with workspace.candidates() as candidates:  # released before the comparison, which takes seconds
        catalogue = candidates.with_similar(new)
        memories = catalogue.open_at(workspace.folder.now().timestamp(), public=workspace.folder.public)
        if new is not None:  # new memories first
            memories.sort(key=lambda each: each[1] not in new)
        vectors = catalogue.vectors[[place for _, _, place in memories]]
        texts = [catalogue.texts[place] for _, _, place in memories]
    count = len(memories) if new is None else sum(key in new for _, key, _ in memories)
    numbers = np.arange(len(memories))
    calibration = workspace.calibration
    lowest = calibration.cosine(1 - threshold) - 1e-6
    found = nearest_pairs(vectors, numbers[:count], numbers[count:], lowest, MOST_JUDGED, progress)
    pairs = [
        (distance, memories[one][1], memories[other][1])
        for cosine, one, other in found
        if (distance := round(1 - round(calibration.similarity(cosine, size_of(texts[one], texts[other])), 4), 4))
        < threshold
    ]
    files = sorted({file for _, *both in pairs for file in both})
    copies = workspace.index.known.originals(files)  # doctor and review report those
    pairs = [each for each in pairs if not copies.keys() & set(each[1:])]
    by_file = workspace.index.by_files(files)
    ordered = []
    for distance, one, other in pairs:
        older, newer = sorted((by_file[one], by_file[other]), key=lambda memory: memory.order)
        ordered.append((distance, older, newer))
    return sorted(ordered, key=lambda each: (each[0], each[2].id, each[1].id))
