"""show, list, tags and people: memories as they are, what they are linked to, and what they can be filtered by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from vault_mem.errors import InvalidInput, NotFound
from vault_mem.index.graph import Graph
from vault_mem.model import Memory
from vault_mem.notes.links import body_links
from vault_mem.notes.origin import TRUST, UNKNOWN, trusted
from vault_mem.operations.memory.filters import Filters, resolved
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking.superseded import superseding_id
from vault_mem.result import Result, Results


@dataclass(frozen=True)
class Neighbour:
    """The other end of a link."""

    id: str
    title: str
    type: str
    confidence: float | None


@dataclass(frozen=True)
class ShowResult(Result, left_out=("memory",), if_any=("vault",)):
    """A memory with its links, in both directions; `vault` names its vault if several are asked."""

    memory: Memory
    links: list[Neighbour] = field(default_factory=list)
    stale: bool = False
    pending: int = 0
    vault: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return self.memory.to_dict() | super().to_dict()


@dataclass(frozen=True)
class ListResult(Results[Memory], items="memories", left_out=("superseded_by",)):
    """Memories, newest first; `total` counts those that met the filters.

    `superseded_by` maps the id of a closed memory to the id of what replaced it.
    """

    memories: list[Memory]
    total: int
    stale: bool = False
    pending: int = 0
    superseded_by: dict[str, str] = field(default_factory=dict)


def show(workspace: Workspace, id_: str) -> ShowResult:
    """One memory by its id, or by the beginning of it."""
    freshness = workspace.freshen()
    try:
        memory, graph = workspace.reading(lambda: (workspace.index.get(id_), workspace.graph))
    except NotFound as error:
        if freshness.stale:
            error.hint = f"the index is behind by {freshness.pending} changed file(s); try again in a moment"
        raise
    return ShowResult(memory, neighbours(workspace, graph, memory.id), freshness.stale, freshness.pending)


def neighbours(workspace: Workspace, graph: Graph, id_: str) -> list[Neighbour]:
    """What a memory is linked to, in both directions."""
    found = [(edge, graph.note(edge.target)) for edge in graph.edges(id_)]
    return [
        Neighbour(edge.target, note.title, edge.link.type, edge.link.confidence)
        for edge, note in found
        if workspace.folder.is_shown(note.path)
    ]


def list_memories(workspace: Workspace, filters: Filters | None = None, limit: int | None = None) -> ListResult:
    """The memories that meet the filters, newest first."""
    freshness = workspace.freshen()
    wanted = workspace.reading(lambda: resolved(workspace, filters or Filters()))
    if limit is None:
        found = workspace.reading(lambda: workspace.index.memories(wanted))
        total = len(found)
    else:
        found, total = workspace.reading(lambda: workspace.index.newest(wanted, limit))
    replaced = workspace.reading(lambda: superseded_by(workspace, found))
    return ListResult(found, total, freshness.stale, freshness.pending, replaced)


def superseded_by(workspace: Workspace, memories: list[Memory]) -> dict[str, str]:
    """For each closed memory that was superseded, the id of the memory that replaced it."""
    now = workspace.folder.now()
    closed = [memory for memory in memories if memory.closed_at(now)]
    if not closed:
        return {}
    with workspace.candidates() as candidates:
        files = [memory.path for memory in closed]
        catalogue = candidates.catalogue({*files, *candidates.files_around(files)})
        places = {memory.id: catalogue.place_of(memory.path) for memory in closed}
        found = {
            id_: superseding_id(catalogue, place, now.timestamp(), public=workspace.folder.public)
            for id_, place in places.items()
            if place is not None
        }
    return {id_: by for id_, by in found.items() if by}


@dataclass(frozen=True)
class Around(Result):
    """Maps the id of each closed memory to what replaced it, and all these ids to titles."""

    superseded_by: dict[str, str]
    titles: dict[str, str]


def replacements_and_titles(workspace: Workspace, memories: list[Memory], others: Iterable[str] = ()) -> Around:
    """What replaced these memories, and titles; `others` are more ids whose titles are wanted."""

    def look() -> Around:
        replaced = superseded_by(workspace, memories)
        wanted = {*(memory.id for memory in memories), *replaced.values(), *others}
        known = [each for each in workspace.index.known.with_ids(wanted) if workspace.folder.is_shown(each.key)]
        return Around(replaced, {each.id: each.title for each in known})

    return workspace.reading(look)


def links_of(workspace: Workspace, memories: list[Memory]) -> dict[str, list[Neighbour]]:
    """What each of these memories is linked to, by its id."""

    def look() -> dict[str, list[Neighbour]]:
        graph = workspace.graph
        return {memory.id: neighbours(workspace, graph, memory.id) for memory in memories}

    return workspace.reading(look)


def named_in(workspace: Workspace, memory: Memory) -> dict[str, str]:
    """The ids of the memories that a memory's text links to, by the names used in the links."""

    def look() -> dict[str, str]:
        found = {}
        for link in body_links(memory.content):
            key = workspace.names.note(link.target, memory.path)
            if key is not None and workspace.folder.is_shown(key) and (id_ := workspace.index.known.id_of(key)):
                found[link.target] = id_
        return found

    return workspace.reading(look)


def of_ids(workspace: Workspace, ids: Iterable[str]) -> dict[str, Memory]:
    """The memories with these ids; unknown ids are left out."""

    def look() -> dict[str, Memory]:
        found = workspace.index.known.with_ids(set(ids))
        keys = [known.key for known in found if workspace.folder.is_shown(known.key)]
        return {memory.id: memory for memory in workspace.index.by_files(keys).values()}

    workspace.freshen()
    return workspace.reading(look)


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


def count(workspace: Workspace, which: str, *, closed: bool = False) -> Counts:
    """The `tags` or the `people` of all memories, as they are written."""
    freshness = workspace.freshen()
    found = workspace.reading(
        lambda: most_frequent(
            name
            for record in workspace.index.records(Filters(closed=closed))
            for name in dict.fromkeys(record.get(which, ()))
        )
    )
    return Counts([Count(*each) for each in found.items()], freshness.stale, freshness.pending)


def most_frequent(values: Iterable[str]) -> dict[str, int]:
    """How often each occurs, the most frequent first."""
    return dict(sorted(Counter(values).items(), key=lambda each: (-each[1], each[0])))


def trusted_ids(workspace: Workspace, least: str) -> set[str]:
    """The ids of memories whose source is at least as trusted as `least` (SPEC K-6)."""
    if least not in (*TRUST, UNKNOWN):
        raise InvalidInput(f"a source is trusted as {', '.join(TRUST)} or none, not as {least!r}")
    workspace.freshen()
    return workspace.reading(
        lambda: {each["id"] for each in workspace.index.records() if trusted(each.get("source"), least)}
    )
