"""The graph of links: which note a name means, and the reverse of every link."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from vault_mem.index.changes import Rows
from vault_mem.index.rows import EPISODE, MEMORY
from vault_mem.index.table import Table, quote
from vault_mem.model import INVERSE_LINK, Link
from vault_mem.notes.links import name_key
from vault_mem.vault.names import ID_AT_END

_TYPES = (MEMORY, EPISODE)


@dataclass(frozen=True)
class Edge:
    """A link between two memories as seen from `source`, whichever of the two it is written in."""

    source: str
    target: str
    link: Link


@dataclass(frozen=True)
class Place:
    """What the graph knows of one note beside its links."""

    id: str
    title: str
    path: str
    private: bool
    episode: bool
    created: datetime


class Entry(NamedTuple):
    """A file as the graph reads it: its names as they compare, the digits of a lasting id, and its links."""

    place: Place
    names: tuple[str, ...]
    digits: str
    links: tuple[Link, ...]


class Graph:
    """Every memory's id, name and links, and what the links mean. It never changes: a later one is made `after` it.

    `renames` gives for names that files once had the ids of those files: links to an old name still lead home.
    """

    def __init__(self, entries: dict[str, Entry], renames: Mapping[str, set[str]]) -> None:
        self._entries = [entries[file] for file in sorted(entries)]
        self._renames = renames
        self.places = {entry.place.id: entry.place for entry in self._entries}

    @classmethod
    def of(cls, table: Table, renames: Mapping[str, set[str]]) -> Graph:
        """The graph of a whole table."""
        return cls({row["file"]: _entry(row) for row in _rows(table)}, renames)

    def after(self, table: Table, changed: Mapping[str, Rows | None], renames: Mapping[str, set[str]]) -> Graph:
        """The graph once the rows of these files are others; where they are not at hand, the table has them."""
        entries = {entry.place.path: entry for entry in self._entries if entry.place.path not in changed}
        elsewhere = [quote(file) for file, rows in changed.items() if rows is None]
        rows = [row for rows in changed.values() for row in rows or () if row["n"] == 0 and row["type"] in _TYPES]
        if elsewhere:
            rows += _rows(table, f" AND file IN ({', '.join(elsewhere)})")
        return Graph(entries | {row["file"]: _entry(row) for row in rows}, renames)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for entry in self._entries:
            for name in entry.names:
                found.setdefault(name, []).append(entry.place.id)
        return found

    @cached_property
    def _by_digits(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for entry in self._entries:
            if entry.digits:
                found.setdefault(entry.digits, []).append(entry.place.id)
        return found

    @cached_property
    def _links(self) -> dict[str, tuple[Link, ...]]:
        return {entry.place.id: entry.links for entry in self._entries}

    def resolve(self, target: str) -> str | None:
        """The id of the one memory a link's target means.

        By its name, by the id that a name of ours ends in, or by a name that only one memory once had.
        """
        name = name_key(target)
        stem = name.rsplit("/", 1)[-1]
        found = self._by_name.get(name) or self._by_name.get(stem) or []
        if len(found) == 1:
            return found[0]
        by_id = ID_AT_END.search(name)
        owners = self._by_digits.get(by_id.group(1), []) if by_id else []
        if not found and not owners and self._renames:
            owners = [id_ for id_ in self._renames.get(name, ()) if id_ in self.places]
        return owners[0] if len(owners) == 1 else None

    def edges(self, id_: str) -> list[Edge]:
        """All links of a memory, one for each neighbour: those it writes, then those others write to it."""
        return self._edges.get(id_, [])

    @cached_property
    def _edges(self) -> dict[str, list[Edge]]:
        best: dict[tuple[str, str], Edge] = {}
        for source, links in self._links.items():
            for link in links:
                target = self.resolve(link.target)
                if target is None or target == source:
                    continue
                pair = (source, target) if source < target else (target, source)
                if pair not in best or _weight(link) > _weight(best[pair].link):
                    best[pair] = Edge(source, target, link)
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

    def dangling(self) -> list[tuple[str, Link]]:
        """Links that mean no memory, or more than one."""
        return [
            (id_, link) for id_, links in self._links.items() for link in links if self.resolve(link.target) is None
        ]


def _rows(table: Table, where: str = "") -> list[dict[str, Any]]:
    types = ", ".join(map(quote, _TYPES))
    return list(table.select(["file", "id", "type", "memory"], f"n = 0 AND type IN ({types}){where}").to_pylist())


def _entry(row: Mapping[str, Any]) -> Entry:
    key, id_, record = row["file"], row["id"], json.loads(row["memory"])
    path = name_key(key.removesuffix(".md"))
    created = datetime.fromisoformat(record["created"])
    place = Place(id_, str(record["title"]), key, bool(record["private"]), row["type"] == EPISODE, created)
    names = {path, path.rsplit("/", 1)[-1], name_key(id_)}
    digits = "" if record["provisional"] else id_.partition("_")[2][:8]
    return Entry(place, tuple(names), digits, tuple(Link(**link) for link in record["links"]))


def _weight(link: Link) -> tuple[bool, bool]:
    """Of several links between two memories the one counts that says most."""
    return link.type != "related", link.confidence is not None
