"""The nearest pairs among many vectors: none is missed, but few pairs are compared in full.

Vectors are rotated so that a few leading coordinates hold most of what tells them apart; of the rest, only the length
is kept. The product of two such short vectors is the highest that their cosine can be, since at best the rests point
the same way. Only pairs for which it reaches the level asked for are compared in full.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from vault_mem.embedding.embedder import Vectors

Places = NDArray[np.int64]

LEADING_COORDINATES = 32
# A block of products fits into a processor's cache.
_BLOCK = 1024
# Enough vectors to find the directions that matter.
_SAMPLE = 4096
# Single precision may be off by less than this in a sum of a few hundred products.
_ROUNDING_ERROR = 1e-4
# Beyond this share of a block, multiplying the whole block is faster than picking rows.
_WHOLE_BLOCK_SHARE = 0.05
_ROWS_AT_ONCE = 8192


def nearest_pairs(
    vectors: Vectors,
    first: Places,
    others: Places,
    lowest: float,
    limit: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[tuple[float, int, int]]:
    """The pairs of highest cosine, at least `lowest`: within `first`, and between `first` and `others`.

    At most `limit` of them, highest first, as (cosine, one, other): numbers in `first` followed by `others`, in whose
    order ties are broken. Vectors have length 1 or 0. Cosines are rounded, so that the order of summation does not
    show.
    """
    if limit <= 0 or not len(first):
        return []
    with threadpool_limits(1, "blas"):  # for such short products, coordinating threads costs more than it gains
        return _nearest_pairs(vectors, first, others, _Best(limit, lowest), progress)


def _nearest_pairs(
    vectors: Vectors, first: Places, others: Places, best: _Best, progress: Callable[[int, int], None] | None
) -> list[tuple[float, int, int]]:
    places = np.concatenate([first, others])
    short = _shortened(vectors, places)
    products, reached = np.empty((_BLOCK, _BLOCK), np.float32), np.empty((_BLOCK, _BLOCK), np.bool_)
    starts = range(0, len(first), _BLOCK)
    for number, row in enumerate(starts):
        rows = slice(row, min(row + _BLOCK, len(first)))
        for column in range(row, len(places), _BLOCK):
            columns = slice(column, min(column + _BLOCK, len(places)))
            shape = (rows.stop - rows.start, columns.stop - columns.start)
            most = np.matmul(short[rows], short[columns].T, out=products[: shape[0], : shape[1]])
            mask = np.greater_equal(most, best.level - _ROUNDING_ERROR, out=reached[: shape[0], : shape[1]])
            one, other = np.divmod(np.flatnonzero(mask), shape[1])
            one, other = one + rows.start, other + columns.start
            later = other > one
            _compare(vectors, places, one[later], other[later], mask.size, best)
        if progress is not None:
            progress(number + 1, len(starts))
    return best.found()


class _Best:
    """The best pairs so far, and the cosine that another must reach to be among them."""

    def __init__(self, limit: int, lowest: float) -> None:
        self.limit = limit
        self.level = lowest
        self._cosines = np.zeros(0)
        self._pairs = np.zeros((0, 2), dtype=np.int64)

    def take(self, cosines: NDArray[np.float64], pairs: Places) -> None:
        cosines, pairs = np.concatenate([self._cosines, cosines]), np.concatenate([self._pairs, pairs])
        order = np.lexsort((pairs[:, 1], pairs[:, 0], -cosines))[: self.limit]
        self._cosines, self._pairs = cosines[order], pairs[order]
        if len(order) == self.limit:
            self.level = float(self._cosines[-1])

    def found(self) -> list[tuple[float, int, int]]:
        pairs = zip(self._cosines.tolist(), self._pairs.tolist(), strict=True)
        return [(cosine, one, other) for cosine, (one, other) in pairs]


def _shortened(vectors: Vectors, places: Places) -> Vectors:
    """The leading coordinates of each vector, and the length of what they leave out."""
    sample = vectors[places[:: max(1, len(places) // _SAMPLE)]]
    _, directions = np.linalg.eigh((sample.T @ sample).astype(np.float64))
    turn = np.ascontiguousarray(directions[:, ::-1][:, :LEADING_COORDINATES], dtype=np.float32)
    short = np.empty((len(places), turn.shape[1] + 1), dtype=np.float32)
    for start in range(0, len(places), _ROWS_AT_ONCE):
        part = vectors[places[start : start + _ROWS_AT_ONCE]]
        leading = part @ turn
        rest = np.einsum("ij,ij->i", part, part) - np.einsum("ij,ij->i", leading, leading)
        short[start : start + len(part), :-1] = leading
        short[start : start + len(part), -1] = np.sqrt(np.maximum(rest, 0))
    return short


def _compare(vectors: Vectors, places: Places, one: Places, other: Places, size: int, best: _Best) -> None:
    """Compare these in full, and keep those that are among the best."""
    if not len(one):
        return
    if len(one) > _WHOLE_BLOCK_SHARE * size:
        rows, columns = slice(one.min(), one.max() + 1), slice(other.min(), other.max() + 1)
        whole = vectors[places[rows]] @ vectors[places[columns]].T
        cosines = whole[one - rows.start, other - columns.start]
    else:
        cosines = np.empty(len(one), dtype=np.float32)
        for start in range(0, len(one), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            cosines[part] = np.einsum("ij,ij->i", vectors[places[one[part]]], vectors[places[other[part]]])
    rounded = np.round(cosines.astype(np.float64), 6)
    near = rounded >= best.level
    if near.any():
        best.take(rounded[near], np.stack([one[near], other[near]], axis=1))
