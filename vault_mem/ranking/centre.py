"""The mean of all memories' vectors, and how far each row at hand is from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.embedder import Vectors
from vault_mem.index.catalogue import Catalogue


class Centre:
    """The mean of all whole memories, and how far each row at hand is from it, updated as rows come and go."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._measure(catalogue)

    def learn(self, catalogue: Catalogue, places: list[int]) -> None:
        """Rows were added."""
        mean, room = catalogue.corpus.mean, len(catalogue.files) - len(self.distances)
        if room or not np.array_equal(mean, self.mean):
            self._measure(catalogue)
        elif places:
            self.distances[places] = _distances(catalogue.vectors[places], mean)

    def forget(self, catalogue: Catalogue, places: list[int]) -> None:
        """Rows are about to be removed."""

    def _measure(self, catalogue: Catalogue) -> None:
        self.mean = catalogue.corpus.mean
        self.distances = _distances(catalogue.vectors, self.mean)


def _distances(vectors: Vectors, mean: Vectors) -> NDArray[np.float32]:
    squares = 1 - 2 * np.einsum("ij,j->i", vectors, mean) + mean @ mean  # vectors have length one
    return np.asarray(np.sqrt(np.maximum(squares, 1e-6)), dtype=np.float32)


def centre(catalogue: Catalogue) -> Centre:
    """The centre for the memories at hand, kept until they change."""
    return catalogue.derived("centre", lambda: Centre(catalogue))
