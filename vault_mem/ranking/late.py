"""Late interaction: each word of the query looks for the nearest word of a text; rare words count for more.

Token vectors of a static model are there already, so that this costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vault_mem.embedding.embedder import Vectors
from vault_mem.embedding.tokens import TokenVectors
from vault_mem.ranking.reading import Reading

# Words less alike than this have nothing to do with each other.
NEAR_WORDS = 0.3
RARITY = 1.5
MAX_QUERY_TOKENS = 64


def matches(query_tokens: Sequence[int], texts: Sequence[Reading], vectors: TokenVectors) -> Vectors:
    """How near the nearest token of each text is to each token of the query: texts × query tokens."""
    sizes = np.array([len(text.tokens) for text in texts])
    found = np.zeros((len(texts), len(query_tokens)), dtype=np.float32)
    held = np.flatnonzero(sizes)
    if not len(held) or not len(query_tokens):
        return found
    flat = np.concatenate([texts[number].tokens for number in held.tolist()])
    present = np.zeros(int(flat.max()) + 1, dtype=bool)
    present[flat] = True
    distinct, where = np.flatnonzero(present), (np.cumsum(present) - 1)[flat]
    near = vectors.directions(distinct) @ vectors.directions(np.asarray(query_tokens)).T
    near[near < NEAR_WORDS] = 0.0
    starts = np.concatenate([[0], np.cumsum(sizes[held])[:-1]])
    found[held] = np.maximum.reduceat(near[where], starts, axis=0)
    return np.round(found, 6)
