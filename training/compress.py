"""From 384 floats per token to a small file: fewer dimensions, then one byte each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from model2vec import StaticModel
from numpy.typing import NDArray
from tokenizers import Tokenizer

from training.static import Matrix, unit

COMMON_SHARE = 0.4  # share of the common direction; see docs/model.md
TOKENS_WEIGHT = 0.5  # weight of single tokens, beside whole sentences at 1, in choosing the axes
CLIPPED_SHARE = 0.001  # share of the tokens whose largest component may be cut, for finer steps in all others
MOST_TOKENS = 8192  # tokens of a text that count; the vector of a whole memory must include its end


def reduce(vectors: Matrix, sentences: list[Matrix], dimensions: int) -> Matrix:
    """Return the vectors on fewer axes: first the common direction, then those that keep most of sentences and tokens.

    The common direction is the same for every token, and grows with the square of its weight. Without it, short texts
    win every search, because most of a longer text has nothing to do with the query.
    """
    moments = [unit(matrix).T @ unit(matrix) / len(matrix) for matrix in sentences]
    known = unit(vectors[np.linalg.norm(vectors, axis=1) > 0])
    _, axes = np.linalg.eigh(sum(moments) + TOKENS_WEIGHT * known.T @ known / len(known))
    kept = vectors @ axes[:, ::-1][:, : dimensions - 1]
    weights = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.concatenate([COMMON_SHARE * weights**2, kept], axis=1), dtype=np.float32)


def quantise(vectors: Matrix) -> NDArray[np.int8]:
    """Return the vectors in whole steps of one scale; a vector too short for one step keeps its largest component."""
    largest = np.quantile(np.abs(vectors).max(axis=1), 1 - CLIPPED_SHARE)
    steps: NDArray[np.int8] = np.clip(np.rint(vectors / largest * 127), -127, 127).astype(np.int8)
    lost = np.flatnonzero(vectors.any(axis=1) & ~steps.any(axis=1))
    longest = np.abs(vectors[lost]).argmax(axis=1)
    steps[lost, longest] = np.sign(vectors[lost, longest]).astype(np.int8)
    return steps


def save(vectors: NDArray[np.int8], tokenizer: Tokenizer, out: Path) -> None:
    """Write the model in model2vec's format."""
    out.mkdir(parents=True, exist_ok=True)
    config = {"model_type": "model2vec", "embedding_dtype": "int8"}
    model = StaticModel(vectors, tokenizer, config=config, normalize=True, max_length=MOST_TOKENS)
    model.save_pretrained(out)
    for file in out.iterdir():
        file.chmod(0o644)
