"""A glance at a vault: what a page shows first, counted without looking at every file again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from vault_mem.index.filters import Filters
from vault_mem.index.index import VaultCounts
from vault_mem.operations.memory.recall import asked
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
    """What memories can be chosen by, each with how many have it, the most frequent first; and the first and last."""

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
    """What the memories can be chosen by, closed ones too."""
    workspace.freshen()
    return workspace.reading(lambda: _facets(workspace))


def _facets(workspace: Workspace) -> Facets:
    zone = workspace.folder.zone
    with workspace.at_hand() as catalogue:
        met = asked(workspace, Filters(closed=True)).met(catalogue, workspace.folder.now()) & catalogue.ours
        places = np.flatnonzero(met).tolist()
        created = catalogue.created[met]

        def counted(texts: list[str]) -> list[tuple[str, int]]:
            return Counter(texts[place] for place in places).most_common()

        def counted_in(lists: list[list[str]]) -> list[tuple[str, int]]:
            return Counter(text for place in places for text in lists[place] or ()).most_common()

        ends = [datetime.fromtimestamp(end(created), zone) for end in (np.min, np.max)] if places else [None, None]
        return Facets(
            counted_in(catalogue.tags),
            counted_in(catalogue.people),
            counted(catalogue.kinds),
            counted(catalogue.categories),
            counted(catalogue.emotions),
            *ends,
        )
