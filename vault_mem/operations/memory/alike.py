"""Leaves out memories that say nearly the same as one already shown."""

from __future__ import annotations

from vault_mem.embedding.embedder import Vectors
from vault_mem.index.terms import terms
from vault_mem.model import Memory
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking.diversity import SAME_WORDS

# As much of a text as the model reads at once.
READ = 1200


class AlreadyShown:
    """The texts shown so far."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._told: list[tuple[Vectors, frozenset[str]]] = []

    def is_new(self, memory: Memory) -> bool:
        """Whether no text shown so far says nearly the same; from now on this one counts as shown."""
        text = memory.content[:READ]
        vector, words = self._workspace.embedder.encode([text])[0], frozenset(terms(text))
        least = self._workspace.calibration.near_identical
        new = not any(
            float(vector @ other) >= least and len(words & said) >= SAME_WORDS * len(words | said)
            for other, said in self._told
        )
        if new:
            self._told.append((vector, words))
        return new
