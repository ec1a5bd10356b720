"""Late interaction: each word of the query looks for the nearest word of a text; rare words count for more.

A static model has its token vectors ready, so this costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vault_mem.embedding.embedder import Vectors
from vault_mem.embedding.tokens import TokenVectors
from vault_mem.ranking.reading import Readings

# Words less alike than this have nothing to do with each other.
NEAR_WORDS_COSINE = 0.3
RARITY_POWER = 1.5
MAX_QUERY_TOKENS = 64


def matches(query_tokens: Sequence[int], texts: Readings, vectors: TokenVectors) -> Vectors:
    """How near the nearest token of each text is to each token of the query: texts × query tokens."""
    found, flat = np.zeros((len(texts.sizes), len(query_tokens)), dtype=np.float32), texts.tokens
    if not len(flat) or not len(query_tokens):
        return found
    present = np.zeros(int(flat.max()) + 1, dtype=bool)
    present[flat] = True
    distinct = np.flatnonzero(present)
    near = vectors.cosines(distinct, np.asarray(query_tokens))
    near[near < NEAR_WORDS_COSINE] = 0.0
    # most words are near none of the query's; only the others are searched for in the texts
    some = near.any(axis=1)
    number = np.full(len(present), -1, dtype=np.int32)
    number[distinct[some]] = np.arange(np.count_nonzero(some), dtype=np.int32)
    where = number[flat]
    hits = np.flatnonzero(where >= 0)
    text = np.searchsorted(np.cumsum(texts.sizes), hits, side="right")
    starts = np.flatnonzero(np.diff(text, prepend=-1))
    if len(starts):
        found[text[starts]] = np.maximum.reduceat(near[some][where[hits]], starts, axis=0)
    return np.round(found, 6)
