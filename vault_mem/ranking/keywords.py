"""Plain keyword search: BM25 over the query's words, plus exact matches."""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vault_mem.index.catalogue import Catalogue
from vault_mem.ranking.names import NOBODY
from vault_mem.ranking.query import exact_parts, term_weights
from vault_mem.ranking.rank import SCORE_DIGITS, best_rows
from vault_mem.ranking.signals import as_written, everything_written, written_in
from vault_mem.ranking.weights import weights
from vault_mem.ranking.words import bm25, total_weight

# How many of the best BM25 hits are also searched for exact parts of the query, such as part numbers.
HITS_CHECKED_FOR_EXACT = 500


class Hit(NamedTuple):
    """A memory with words of the query: its place, its best row, its score and the terms that add up to it."""

    place: int
    row: int
    score: float
    terms: dict[str, float]


def by_keywords(catalogue: Catalogue, query: str, allowed: NDArray[np.bool_]) -> list[Hit]:
    """Every allowed memory that has a word of the query, best first."""
    wanted = term_weights(query, NOBODY, catalogue.corpus)
    found = bm25(catalogue, wanted).rows / np.float32(total_weight(wanted))
    best, row = best_rows(catalogue, {"words": found}, found)
    if not wanted:
        best["words"][as_written(catalogue, query)] = 1.0
    places = np.flatnonzero(allowed & (best["words"] > 0))
    files = catalogue.files
    ordered = sorted(
        places.tolist(), key=lambda place: (-best["words"][place], -catalogue.created[place], files[place])
    )
    exact = written_in(
        [everything_written(catalogue, place, int(row[place])) for place in ordered[:HITS_CHECKED_FOR_EXACT]],
        exact_parts(query),
    )
    hits: list[Hit] = []
    for place, exact_share in zip_longest(ordered, exact, fillvalue=0):
        terms = {
            "words": round(float(best["words"][place]), SCORE_DIGITS),
            "exact": round(weights()["exact"] * exact_share, SCORE_DIGITS),
        }
        terms = {name: value for name, value in terms.items() if value}
        hits.append(Hit(place, int(row[place]), round(sum(terms.values()), SCORE_DIGITS), terms))
    return sorted(hits, key=lambda hit: (-hit.score, -catalogue.created[hit.place], files[hit.place]))
