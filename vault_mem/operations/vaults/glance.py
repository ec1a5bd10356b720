"""A glance at a vault: the counts that the web page shows first, without looking at every file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from vault_mem.index.index import VaultCounts
from vault_mem.operations.memory.show import most_frequent
from vault_mem.operations.upkeep.review import open_proposals
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result


@dataclass(frozen=True)
class Glance(Result):
    """What there is, and how many proposals wait for an answer."""

    there: VaultCounts
    proposals: int
    stale: bool


@dataclass(frozen=True)
class Facets(Result):
    """What memories can be filtered by, with counts, most frequent first; and when the first and last were made."""

    tags: list[tuple[str, int]]
    people: list[tuple[str, int]]
    kinds: list[tuple[str, int]]
    categories: list[tuple[str, int]]
    emotions: list[tuple[str, int]]
    first: datetime | None = None
    last: datetime | None = None


def glance(workspace: Workspace) -> Glance:
    """Count what there is."""
    freshness = workspace.freshen()
    found, proposals = workspace.reading(lambda: (workspace.index.counts(), len(open_proposals(workspace))))
    return Glance(found, proposals, freshness.stale)


def index_bytes(workspace: Workspace) -> int:
    """How much the index takes on the disk."""
    return workspace.reading(lambda: workspace.index.size)


def facets(workspace: Workspace) -> Facets:
    """What the memories can be filtered by; closed ones count."""
    workspace.freshen()
    names = ("tags", "people", "kind", "category", "emotion", "created")
    columns = workspace.reading(lambda: workspace.index.columns(names)).to_pydict()
    created, zone = columns["created"], workspace.folder.zone
    ends = [datetime.fromtimestamp(end(created), zone) for end in (min, max)] if created else []

    def frequent(values: Iterable[str]) -> list[tuple[str, int]]:
        return [*most_frequent(values).items()]

    return Facets(
        frequent(chain.from_iterable(columns["tags"])),
        frequent(chain.from_iterable(columns["people"])),
        frequent(columns["kind"]),
        frequent(columns["category"]),
        frequent(columns["emotion"]),
        *ends,
    )
