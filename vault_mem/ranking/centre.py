"""Where the memories of a vault lie: their mean, and how far each is from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.embedder import Vectors
from vault_mem.index.catalogue import Catalogue

# The mean is what all have in common: that much of it stays the same when one memory comes or goes.
DIGITS = 3


class Centre:
    """The mean of whole memories, kept up as they come and go."""

    def __init__(self, catalogue: Catalogue) -> None:
        whole = catalogue.alive & (catalogue.n == 0)
        self._sum: NDArray[np.float64] = np.einsum("ij,i->j", catalogue.vectors, whole.astype(np.float32), dtype=float)
        self._count = int(np.count_nonzero(whole))
        self._measure(catalogue)

    def learn(self, catalogue: Catalogue, places: list[int]) -> None:
        """These rows have come."""
        self._add(catalogue, places, 1)
        mean, room = self._mean(), len(catalogue.files) - len(self.distances)
        if room or not np.array_equal(mean, self.mean):
            self._measure(catalogue)
        elif places:
            self.distances[places] = _distances(catalogue.vectors[places], mean)

    def forget(self, catalogue: Catalogue, places: list[int]) -> None:
        """These rows are about to go."""
        self._add(catalogue, places, -1)

    def _add(self, catalogue: Catalogue, places: list[int], sign: int) -> None:
        whole = [place for place in places if catalogue.n[place] == 0]
        self._sum += sign * catalogue.vectors[whole].sum(axis=0, dtype=np.float64)
        self._count += sign * len(whole)

    def _mean(self) -> Vectors:
        return np.asarray(np.round(self._sum / max(self._count, 1), DIGITS), dtype=np.float32)

    def _measure(self, catalogue: Catalogue) -> None:
        self.mean = self._mean()
        self.distances = _distances(catalogue.vectors, self.mean)


def _distances(vectors: Vectors, mean: Vectors) -> NDArray[np.float32]:
    squares = 1 - 2 * np.einsum("ij,j->i", vectors, mean) + mean @ mean  # vectors have length one
    return np.asarray(np.sqrt(np.maximum(squares, 1e-6)), dtype=np.float32)


def centre(catalogue: Catalogue) -> Centre:
    """The centre of the memories at hand."""
    return catalogue.derived("centre", lambda: Centre(catalogue))
