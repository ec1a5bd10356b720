"""The graph of links: the memories at both ends of every link, and the reverse of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from vault_mem.index.known import EPISODE, MEMORY, WrittenLink
from vault_mem.index.links import Names
from vault_mem.index.state import StateStore
from vault_mem.model import INVERSE_LINK, Link

_TYPES = (MEMORY, EPISODE)


class Edge(NamedTuple):
    """A link between two memories as seen from `source`, whichever of the two it is written in."""

    source: str
    target: str
    link: Link


class GraphNote(NamedTuple):
    """What the graph knows of one note besides its links."""

    id: str
    title: str
    path: str
    private: bool
    episode: bool
    created: float


class Graph:
    """Memories, episodes and their links, as of the last sync. Asking about one memory reads only its own links."""

    def __init__(self, state: StateStore, names: Names | None = None) -> None:
        self._state = state
        self._seen_notes: dict[str, GraphNote] = {}  # by id: another process may remove them from the index meanwhile
        self.names = names or Names(state)

    @cached_property
    def notes(self) -> dict[str, GraphNote]:
        """Every memory and episode by its id."""
        return {note.id: note for note in self._by_key.values()}

    @cached_property
    def _by_key(self) -> dict[str, GraphNote]:
        rows = self._state.notes(_TYPES)
        return {
            key: GraphNote(id_, title, key, bool(private), type_ == EPISODE, created)
            for key, id_, title, private, type_, created in rows
        }

    def note(self, id_: str) -> GraphNote:
        """A memory or episode that this graph has, by its id."""
        return self._seen_notes[id_] if id_ in self._seen_notes else self.notes[id_]

    def title(self, id_: str) -> str:
        """What a memory is called."""
        return self.note(id_).title

    def has(self, id_: str) -> bool:
        """Whether a memory or episode goes by this id."""
        key = self._state.key_of(id_)
        return key is not None and self._id(key) == id_

    def resolve(self, target: str, source: str = "") -> str | None:
        """The id of the memory or episode that a link's target means."""
        key = self.names.note(target, source)
        return None if key is None else self._id(key)

    def edges(self, id_: str) -> list[Edge]:
        """All links of a memory, one for each neighbour: those it writes, then those others write to it."""
        if "_edges" in self.__dict__:
            return self._edges.get(id_, [])
        key = self._state.key_of(id_)
        if key is None or not self.has(id_):
            return []
        found = sorted(self.names.around(key), key=lambda each: each[0])
        return _edges((self._id(source), self._id(target), each) for source, target, each in found).get(id_, [])

    def whole(self) -> Graph:
        """This graph, after reading all links at once."""
        self._edges  # noqa: B018
        return self

    @cached_property
    def _edges(self) -> dict[str, list[Edge]]:
        ids = {key: note.id for key, note in self._by_key.items()}
        return _edges((ids.get(file), ids.get(target or ""), each) for file, target, each in self.names.all_links())

    def _id(self, key: str) -> str | None:
        """The id of a file that the graph has: a memory or an episode."""
        known = self._state.files([key]).get(key)
        if known is None or known.type not in _TYPES:
            return None
        note = GraphNote(known.id, known.title, key, bool(known.private), known.type == EPISODE, known.created)
        self._seen_notes[note.id] = note
        return note.id

    def dangling(self) -> list[tuple[str, Link]]:
        """Links of memories that lead to no file of the vault."""
        return [
            (self._by_key[file].id, each.link)
            for file, target, each in self.names.all_links()
            if target is None and file in self._by_key and self.names.find(each.target, file) is None
        ]


def _edges(links: Iterable[tuple[str | None, str | None, WrittenLink]]) -> dict[str, list[Edge]]:
    """One edge for each pair, and its reverse, by the memory it starts at."""
    best: dict[tuple[str, str], Edge] = {}
    for source, target, each in links:
        if source is None or target is None or target == source:
            continue
        pair = (source, target) if source < target else (target, source)
        if pair not in best or _weight(each.link) > _weight(best[pair].link):
            best[pair] = Edge(source, target, each.link)
    edges: dict[str, list[Edge]] = {}
    reverse: dict[str, list[Edge]] = {}
    for edge in best.values():
        edges.setdefault(edge.source, []).append(edge)
        inverse = INVERSE_LINK.get(edge.link.type)
        link = replace(edge.link, type=inverse) if inverse else edge.link
        reverse.setdefault(edge.target, []).append(Edge(edge.target, edge.source, link))
    for id_, others in reverse.items():
        edges.setdefault(id_, []).extend(others)
    return edges


def _weight(link: Link) -> tuple[bool, bool]:
    """Of several links between two memories, the one that says most counts."""
    return link.type != "related", link.confidence is not None
