"""How well a text answers the words of a query: BM25 over the terms of the whole vault.

LanceDB's own scores depend on how the index came about; these depend on the files alone, so
that an index grown edit by edit ranks exactly like one that was just rebuilt.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from vault_mem.index.table import Table

_K1 = 1.2
_B = 0.75


class Lexicon:
    """How many rows have each term, and how long rows are on average."""

    def __init__(self, table: Table) -> None:
        column = table.select(["terms"]).column("terms").combine_chunks()
        self.rows = len(column)
        self.mean_length = (pc.sum(pc.list_value_length(column)).as_py() or 0) / max(self.rows, 1)
        pairs = pa.table({"row": pc.list_parent_indices(column), "term": pc.list_flatten(column)})
        counted = pairs.group_by(["row", "term"]).aggregate([]).group_by("term").aggregate([([], "count_all")])
        frequency = zip(counted.column("term").to_pylist(), counted.column("count_all").to_pylist(), strict=True)
        self._frequency = Counter[str](dict(frequency))

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
