"""The associative step: the candidates are taken as the patterns of a Hopfield network, and the query settles on them.

What it settles on is a blend of the memories it reminds of; memories near that blend are called up with it.
"""

from __future__ import annotations

import numpy as np

from vault_mem.embedding.embedder import Vectors

# How decided the network is: at 20 a handful of memories make up the blend.
SHARPNESS = 20.0


def associated(patterns: Vectors, query: Vectors) -> Vectors:
    """How near each pattern is to what the query settles on, 0 to 1."""
    if not len(patterns):
        return np.zeros(0, dtype=np.float32)
    agreement = SHARPNESS * (patterns @ query)
    attention = np.exp(agreement - agreement.max())
    settled = (attention / attention.sum()) @ patterns
    norm = np.linalg.norm(settled)
    return np.asarray(np.clip(patterns @ settled / (norm or 1.0), 0, 1), dtype=np.float32)
