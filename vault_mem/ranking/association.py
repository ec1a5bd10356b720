"""The associative step: memories are the patterns of a Hopfield network, and the query settles on them.

It starts where the ranking so far stands, and ends on a blend of the memories that answer best. What is near that
blend is called up with them, though the query itself may say nothing of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.embedder import Vectors

# How decided the network is. Scores are fitted as logits: at 1 the blend is as sure as the ranking is.
SHARPNESS = 1.0
# How much nearer the nearest are than the rest.
FOCUS = 2
# Nearer than this is what it settled on: the measure for the others is the nearest of them.
SAME = 0.9
# Where even the nearest is farther than this, it is not near.
LEAST = 0.3


def associated(patterns: Vectors, mean: Vectors, scores: NDArray[np.float64]) -> Vectors:
    """How strongly each pattern is called up by what the query settles on, 0 to 1.

    The less decided the network is, the less it calls up. What all memories of a vault have in common (their `mean`) is
    left out: it would associate everything with everything.
    """
    if not len(patterns):
        return np.zeros(0, dtype=np.float32)
    attention = np.exp(SHARPNESS * (scores - scores.max()))
    attention /= attention.sum()
    centred = directions(patterns, mean)
    settled = attention.astype(np.float32) @ centred
    near = np.clip(centred @ settled / (np.linalg.norm(settled) or 1.0), 0, 1)
    nearest = max(near[near < SAME].max(initial=0.0), LEAST)
    called = attention.max() * np.minimum(near / nearest, 1.0) ** FOCUS
    return np.asarray(np.round(called, 6), dtype=np.float32)


def directions(patterns: Vectors, mean: Vectors) -> Vectors:
    """Where each pattern lies as seen from the mean."""
    centred = patterns - mean
    norms = np.linalg.norm(centred, axis=-1, keepdims=True)
    return np.asarray(centred / np.where(norms > 0, norms, 1), dtype=np.float32)
