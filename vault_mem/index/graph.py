"""The graph of links: which note a name means, and the reverse of every link."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from vault_mem.index.rows import EPISODE, MEMORY
from vault_mem.index.table import Table, quote
from vault_mem.model import INVERSE_LINK, Link
from vault_mem.notes.links import name_key
from vault_mem.vault.names import ID_AT_END


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


class Graph:
    """Every memory's id, name and links, and what the links mean.

    `renames` gives for names that files once had the ids of those files: links to an old name still lead home.
    """

    def __init__(self, table: Table, renames: Mapping[str, set[str]] | None = None) -> None:
        self.titles: dict[str, str] = {}
        self.places: dict[str, Place] = {}
        self._renames = renames or {}
        self._by_name: dict[str, list[str]] = {}
        self._by_hex: dict[str, list[str]] = {}
        self._links: dict[str, list[Link]] = {}
        rows = table.select(
            ["file", "id", "type", "memory"], f"n = 0 AND type IN ({quote(MEMORY)}, {quote(EPISODE)})"
        ).to_pylist()
        for row in sorted(rows, key=lambda row: str(row["file"])):
            self._add(row["file"], row["id"], row["type"] == EPISODE, json.loads(row["memory"]))

    def _add(self, key: str, id_: str, episode: bool, record: dict[str, Any]) -> None:
        path = name_key(key.removesuffix(".md"))
        stem = path.rsplit("/", 1)[-1]
        self.places[id_] = Place(
            id_, str(record["title"]), key, bool(record["private"]), episode, datetime.fromisoformat(record["created"])
        )
        self.titles[id_] = self.places[id_].title
        for name in {path, stem, name_key(id_)}:
            self._by_name.setdefault(name, []).append(id_)
        if not record["provisional"]:
            self._by_hex.setdefault(id_.partition("_")[2][:8], []).append(id_)
        self._links[id_] = [Link(**link) for link in record["links"]]

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
        owners = self._by_hex.get(by_id.group(1), []) if by_id else []
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


def _weight(link: Link) -> tuple[bool, bool]:
    """Of several links between two memories the one counts that says most."""
    return link.type != "related", link.confidence is not None
