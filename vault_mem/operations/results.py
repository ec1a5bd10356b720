"""What operations return when they found memories."""

from __future__ import annotations

from dataclasses import dataclass

from vault_mem.model import Memory


@dataclass(frozen=True)
class Found:
    """A memory with how near it is: `similarity` is calibrated, `score` orders the list, `passage` answered best."""

    memory: Memory
    similarity: float
    score: float = 0.0
    passage: str = ""

    @property
    def distance(self) -> float:
        """1 − similarity."""
        return 1.0 - self.similarity
