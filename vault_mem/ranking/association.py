"""The associative step: memories are the patterns of a Hopfield network, and the query settles on them.

It starts from the ranking so far and settles on a blend of the memories that answer best. The few that are nearest to
that blend are called up with them, even if the query itself does not mention them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.embedder import Vectors

# How decided the network is. Scores are fitted as logits: at 1 the blend would be as sure as the ranking, which is
# never very sure among hundreds of candidates.
SHARPNESS = 2.0
# An undecided network calls up less: the highest attention to this power.
DECISION_POWER = 2
# How many are called up. A second one is right no more often than chance, and takes a place in a short list.
CALLED_UP = 1
# Above the first cosine a pattern is what the network settled on; below the second it is not near.
SETTLED_COSINE, NEAR_COSINE = 0.9, 0.3


def associated(patterns: Vectors, mean: Vectors, scores: NDArray[np.float64]) -> Vectors:
    """How strongly each pattern is called up by what the query settles on, 0 to 1.

    What all memories of a vault have in common (their `mean`) is left out: it would associate everything with
    everything.
    """
    called = np.zeros(len(patterns), dtype=np.float32)
    if not len(patterns):
        return called
    attention = np.exp(SHARPNESS * (scores - scores.max()))
    attention /= attention.sum()
    centred = directions(patterns, mean)
    settled = attention.astype(np.float32) @ centred
    near = np.round(centred @ settled / (np.linalg.norm(settled) or 1.0), 6)
    others = np.flatnonzero((near < SETTLED_COSINE) & (near > NEAR_COSINE))
    nearest = others[np.argsort(-near[others], kind="stable")[:CALLED_UP]]
    called[nearest] = round(float(attention.max()) ** DECISION_POWER, 6)
    return called


def directions(patterns: Vectors, mean: Vectors) -> Vectors:
    """The direction of each pattern as seen from the mean, as a unit vector."""
    centred = patterns - mean
    norms = np.linalg.norm(centred, axis=-1, keepdims=True)
    return np.asarray(centred / np.where(norms > 0, norms, 1), dtype=np.float32)
