"""What a cosine means: raw, it differs from model to model; calibrated, 0.70, 0.90, 0.95 mean the same with all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.embedder import Embedder

PAIRS = Path(__file__).parent / "calibration_pairs.json"

RELATED = 0.70  # at most one unrelated pair in a hundred reaches it
NEARLY_SAME = 0.90  # the same statement in other words
NEAR_IDENTICAL = 0.95  # the same statement but for trifles
UNRELATED_QUANTILE = 0.99
# Of pairs that deserve a level this share may fall below it: fewer of the near-identical, which the guard must see.
NEARLY_SAME_QUANTILE = 0.2
NEAR_IDENTICAL_QUANTILE = 0.1
SAMPLE = 300  # so many memories of a vault are looked at
SMALLEST_SAMPLE = 10  # fewer say nothing
HALF_TRUSTED = 30  # so many count as much as the model's own pairs
NEXT_LEVEL = 0.3  # of the way from 0.90 to 1, where 0.95 lies at the least
_SMALLEST_STEP = 0.005  # keeps the curve rising where a model hardly tells two levels apart


@dataclass(frozen=True)
class Calibration:
    """A rising curve from raw cosine to similarity: the cosines that mean 0.70, 0.90, 0.95, straight in between."""

    related: float
    nearly_same: float
    near_identical: float

    def similarity(self, cosine: float) -> float:
        """The calibrated similarity, 0 to 1."""
        return float(self.similarities(np.array([cosine]))[0])

    def similarities(self, cosines: NDArray[Any]) -> NDArray[np.float64]:
        """Calibrated similarities of many cosines."""
        raw = (0.0, self.related, self.nearly_same, self.near_identical, 1.0)
        return np.interp(np.round(cosines, 6), raw, (0.0, RELATED, NEARLY_SAME, NEAR_IDENTICAL, 1.0))

    def cosine(self, similarity: float) -> float:
        """The raw cosine that a calibrated similarity stands for."""
        raw = (0.0, self.related, self.nearly_same, self.near_identical, 1.0)
        return float(np.interp(similarity, (0.0, RELATED, NEARLY_SAME, NEAR_IDENTICAL, 1.0), raw))


def measure(embedder: Embedder) -> Calibration:
    """Calibrate a model on the pairs that ship with the package, English and Japanese alike."""
    shipped = json.loads(PAIRS.read_text(encoding="utf-8"))
    related, nearly_same, near_identical = [], [], []
    for pairs in shipped.values():
        related.append(_unrelated_level(embedder.encode(pairs["unrelated"])))
        nearly_same.append(_level(embedder, pairs["nearly_same"], NEARLY_SAME_QUANTILE))
        near_identical.append(_level(embedder, pairs["near_identical"], NEAR_IDENTICAL_QUANTILE))
    return _rising(max(related), min(nearly_same), min(near_identical))


def refined(base: Calibration, sample: NDArray[np.float32]) -> Calibration:
    """The calibration for one vault: memories of one life are more alike than sentences of anywhere.

    Most pairs of a random sample are unrelated, so at most one in a hundred may reach 0.70; 0.90 moves up in
    proportion, 0.95 only as far as it must. The fewer memories there are, the less they say against the model's own
    levels.
    """
    if len(sample) < SMALLEST_SAMPLE:
        return base
    trust = len(sample) / (len(sample) + HALF_TRUSTED)
    related = base.related + trust * (min(_unrelated_level(sample), 1 - 3 * _SMALLEST_STEP) - base.related)
    if related <= base.related:
        return base
    nearly_same = 1 - (1 - base.nearly_same) * (1 - related) / (1 - base.related)
    return _rising(related, nearly_same, max(base.near_identical, nearly_same + NEXT_LEVEL * (1 - nearly_same)))


def _unrelated_level(vectors: NDArray[np.float32]) -> float:
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    return float(np.quantile(cosines, UNRELATED_QUANTILE))


def _level(embedder: Embedder, pairs: Iterable[list[str]], quantile: float) -> float:
    left, right = zip(*pairs, strict=True)
    return float(np.quantile(np.sum(embedder.encode(left) * embedder.encode(right), axis=1), quantile))


def _rising(related: float, nearly_same: float, near_identical: float) -> Calibration:
    """A curve that rises: upper levels make way for the lowest, which must not let unrelated pairs through."""
    related = min(related, 1 - 3 * _SMALLEST_STEP)
    nearly_same = min(max(nearly_same, related + _SMALLEST_STEP), 1 - 2 * _SMALLEST_STEP)
    return Calibration(related, nearly_same, min(max(near_identical, nearly_same + _SMALLEST_STEP), 1 - _SMALLEST_STEP))


def fingerprint(embedder: Embedder) -> str:
    """What the calibration of a model depends on: the model, and the pairs that ship."""
    return hashlib.blake2b(embedder.fingerprint.encode() + PAIRS.read_bytes(), digest_size=12).hexdigest()
