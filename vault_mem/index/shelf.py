"""The memories of a vault at hand: their vectors and texts in memory, kept in step with the table row by row."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from vault_mem.embedding.embedder import Vectors
from vault_mem.index.rows import MEMORY
from vault_mem.index.table import Table, quote, release_memory
from vault_mem.model import Memory, from_record

_COLUMNS = ("file", "id", "valid_to", "memory", "content", "vector")
_FOREVER = float("inf")


class Shelf:
    """Every memory's whole vector, id and time of validity, with what is needed to show it."""

    def __init__(self, table: Table) -> None:
        self._dim = table.dim
        self._places: dict[str, int] = {}
        self._free: list[int] = []
        self._vectors: Vectors = np.zeros((0, table.dim), dtype=np.float32)
        self._valid_to = np.zeros(0)
        self._rows: list[tuple[str, str, str, str]] = []  # key, id, memory as JSON, content
        self._sample: list[int] | None = None
        self._sampled: Vectors = self._vectors
        self._put(table, f"n = 0 AND type = {quote(MEMORY)}")
        release_memory()

    def __len__(self) -> int:
        return len(self._places)

    def update(self, table: Table, keys: Iterable[str]) -> None:
        """Take over what the table says of these files now."""
        keys = list(keys)
        for key in keys:
            place = self._places.pop(key, None)
            if place is not None:
                self._free.append(place)
                if self._sample is not None and place in self._sample:
                    self._sample = None
                self._valid_to[place] = -_FOREVER  # closed for ever: never found
        if keys:
            self._put(table, f"n = 0 AND type = {quote(MEMORY)} AND file IN ({', '.join(map(quote, keys))})")

    def nearest(self, vector: Vectors, count: int, now: float) -> list[tuple[str, float]]:
        """The files of the nearest memories that are not closed, with their cosines, nearest first."""
        # not `@`: for one vector that is threads waiting for each other, ten times slower where cores are busy
        cosines = np.einsum("ij,j->i", self._vectors, vector)
        cosines[self._valid_to <= now] = -1.0
        count = min(count, len(cosines))
        best = [int(place) for place in np.argpartition(-cosines, count - 1)[:count]] if count else []
        found = [(self._rows[place][0], float(cosines[place])) for place in best if cosines[place] > -1.0]
        return sorted(found, key=lambda each: (-each[1], each[0]))

    def open_at(self, now: float) -> list[tuple[str, str, int]]:
        """Id, file and the place of the vector of every memory that is not closed, by id."""
        return sorted(
            (self._rows[place][1], key, place) for key, place in self._places.items() if self._valid_to[place] > now
        )

    @property
    def vectors(self) -> Vectors:
        """Every vector by its place; some places are empty."""
        return self._vectors

    def memory(self, key: str) -> Memory:
        """The memory of a file."""
        _, _, record, content = self._rows[self._places[key]]
        return from_record({**json.loads(record), "content": content})

    def sample(self, size: int) -> Vectors:
        """The vectors of some memories, the same ones however the vault came about: ids are random, so the lowest.

        The very same array as before where nothing in it has changed.
        """
        if self._sample is None or len(self._sample) != min(size, len(self)):
            self._sample = heapq.nsmallest(size, self._places.values(), key=lambda place: self._rows[place][1])
            self._sampled = self._vectors[self._sample]
        return self._sampled

    def sample_texts(self, size: int) -> list[str]:
        """The texts of the same memories."""
        self.sample(size)
        return [self._rows[place][3] for place in self._sample or ()]

    def _put(self, table: Table, where: str) -> None:
        found = table.select(_COLUMNS, where)
        count = found.num_rows
        if not count:
            return
        flat = found.column("vector").combine_chunks().flatten().to_numpy(zero_copy_only=False)
        vectors = flat.reshape(count, self._dim).astype(np.float32, copy=False)
        columns = [found.column(name).to_pylist() for name in ("file", "id", "memory", "content", "valid_to")]
        self._reserve(count)
        for number, (key, id_, record, content, valid_to) in enumerate(zip(*columns, strict=True)):
            place = self._free.pop()
            self._places[key] = place
            self._rows[place] = (key, id_, record, content)
            if self._sample and id_ < self._rows[self._sample[-1]][1]:
                self._sample = None
            self._vectors[place] = vectors[number]
            self._valid_to[place] = _FOREVER if valid_to is None else valid_to

    def _reserve(self, count: int) -> None:
        missing = count - len(self._free)
        if missing <= 0:
            return
        size = len(self._rows)
        grown = size + max(missing, size // 2 if size else 0)
        vectors = np.zeros((grown, self._dim), dtype=np.float32)
        vectors[:size] = self._vectors
        valid_to = np.full(grown, -_FOREVER)
        valid_to[:size] = self._valid_to
        empty: Any = ("", "", "", "")
        self._rows += [empty] * (grown - size)
        self._free += range(size, grown)
        self._vectors, self._valid_to = vectors, valid_to
