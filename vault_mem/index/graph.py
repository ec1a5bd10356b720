"""The graph of links: which note a name means, and the reverse of every link."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from vault_mem.index.rows import EPISODE, MEMORY
from vault_mem.index.table import Table, quote
from vault_mem.model import Link
from vault_mem.notes.links import name_key

_ID_AT_END = re.compile(r"(?:^|-)([0-9a-f]{8})$")


@dataclass(frozen=True)
class Edge:
    """A link between two memories, whichever of the two it is written in."""

    source: str
    target: str
    link: Link


class Graph:
    """Every memory's id, name and links, and what the links mean."""

    def __init__(self, table: Table) -> None:
        self.titles: dict[str, str] = {}
        self._by_name: dict[str, list[str]] = {}
        self._by_hex: dict[str, list[str]] = {}
        self._links: dict[str, list[Link]] = {}
        rows = table.select(
            ["file", "id", "memory"], f"n = 0 AND type IN ({quote(MEMORY)}, {quote(EPISODE)})"
        ).to_pylist()
        for row in sorted(rows, key=lambda row: row["file"]):
            self._add(row["file"], row["id"], json.loads(row["memory"]))

    def _add(self, key: str, id_: str, record: dict[str, object]) -> None:
        path = name_key(key.removesuffix(".md"))
        stem = path.rsplit("/", 1)[-1]
        self.titles[id_] = str(record["title"])
        for name in {path, stem, name_key(id_)}:
            self._by_name.setdefault(name, []).append(id_)
        if not record["provisional"]:
            self._by_hex.setdefault(id_.partition("_")[2][:8], []).append(id_)
        self._links[id_] = [Link(**link) for link in record["links"]]  # type: ignore[attr-defined]

    def resolve(self, target: str) -> str | None:
        """The id of the one memory a link's target means: by its name, or by the id that a name of ours ends in."""
        name = name_key(target)
        found = self._by_name.get(name) or self._by_name.get(name.rsplit("/", 1)[-1]) or []
        if len(found) == 1:
            return found[0]
        by_id = _ID_AT_END.search(name)
        owners = self._by_hex.get(by_id.group(1), []) if by_id else []
        return owners[0] if len(owners) == 1 else None

    def edges(self, id_: str) -> list[Edge]:
        """All links of a memory: those it writes, then those others write to it."""
        own: list[Edge] = []
        seen: set[str] = set()
        for link in self._links.get(id_, ()):
            other = self.resolve(link.target)
            if other is not None and other != id_ and other not in seen:
                seen.add(other)
                own.append(Edge(id_, other, link))
        reverse = [
            Edge(id_, source, link)
            for source, links in self._links.items()
            if source != id_ and source not in seen
            for link in links
            if self.resolve(link.target) == id_
        ]
        return [*own, *reverse]

    def dangling(self) -> list[tuple[str, Link]]:
        """Links that mean no memory, or more than one."""
        return [
            (id_, link) for id_, links in self._links.items() for link in links if self.resolve(link.target) is None
        ]
