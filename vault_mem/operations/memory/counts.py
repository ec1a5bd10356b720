"""tags and people: what there is to filter by, with how many memories have it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from vault_mem.index.filters import Filters
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Results


@dataclass(frozen=True)
class Count:
    """A tag or a person, and how many memories have it."""

    name: str
    memories: int


@dataclass(frozen=True)
class Counts(Results[Count], items="counts"):
    """The most frequent first. `stale` answers do not reflect `pending` changed files."""

    counts: list[Count]
    stale: bool = False
    pending: int = 0


def count(workspace: Workspace, field: str, *, closed: bool = False) -> Counts:
    """The `tags` or the `people` of all memories, as they are written."""
    freshness = workspace.freshen()
    memories = workspace.reading(lambda: workspace.index.memories(Filters(closed=closed)))
    found = Counter(name for memory in memories for name in dict.fromkeys(getattr(memory, field)))
    counts = [Count(name, number) for name, number in sorted(found.items(), key=lambda each: (-each[1], each[0]))]
    return Counts(counts, freshness.stale, freshness.pending)
