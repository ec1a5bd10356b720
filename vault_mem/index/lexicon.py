"""How well a text answers the words of a query: BM25 over the terms of the whole vault.

LanceDB's own scores depend on how the index came about; these depend on the files alone, so
that an index grown edit by edit ranks exactly like one that was just rebuilt.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import pyarrow.compute as pc

from vault_mem.index.table import Table

_K1 = 1.2
_B = 0.75


class Lexicon:
    """How many rows have each term, and how long rows are on average."""

    def __init__(self, table: Table) -> None:
        column = table.select(["terms"]).column("terms")
        self.rows = len(column)
        lengths = pc.list_value_length(column)
        self.mean_length = (pc.sum(lengths).as_py() or 0) / max(self.rows, 1)
        self._frequency = Counter[str]()
        for batch in column.chunks:
            self._frequency.update(term for terms in batch.to_pylist() for term in set(terms or ()))

    def score(self, query: Sequence[str], text: Sequence[str]) -> float:
        """BM25 of one row's terms for the terms of a query."""
        counts = Counter(text)
        stretch = _K1 * (1 - _B + _B * len(text) / max(self.mean_length, 1))
        return sum(
            self._weight(term) * counts[term] * (_K1 + 1) / (counts[term] + stretch)
            for term in sorted(set(query))
            if counts[term]
        )

    def _weight(self, term: str) -> float:
        having = self._frequency[term]
        return math.log(1 + (self.rows - having + 0.5) / (having + 0.5))
