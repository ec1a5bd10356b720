"""What a cosine means: raw, it differs from model to model; calibrated, 0.70, 0.90, 0.95 mean the same with all."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.embedder import Embedder

PAIRS = Path(__file__).parent / "calibration_pairs.json"
BUILT_IN = Path(__file__).parent / "calibration.json"  # what `measure` finds for the built-in model

RELATED = 0.70  # at most one unrelated pair in a hundred reaches it
NEARLY_SAME = 0.90  # the same statement in other words
NEAR_IDENTICAL = 0.95  # the same statement with trivial differences
UNRELATED_QUANTILE = 0.99
# The share of pairs that may fall below their level; smaller for near-identical ones, which the guard must catch.
NEARLY_SAME_QUANTILE = 0.2
NEAR_IDENTICAL_QUANTILE = 0.1
SAMPLE_SIZE = 300  # memories of a vault that are looked at
SMALLEST_SAMPLE = 10  # fewer prove nothing
HALF_TRUSTED = 30  # memories that count as much as the model's own pairs
NEXT_LEVEL = 0.3  # 0.95 lies at least this far on the way from 0.90 to 1
_SMALLEST_STEP = 0.005  # keeps the curve rising where a model hardly tells two levels apart


# The longer two texts are, the more they have in common by chance, so texts of several sizes (bytes) are measured. The
# second number is how many shipped sentences make up such a text. They are fewer than in a real one, because they share
# no subject and so are more varied. Chosen on vaults of chats, manuals and notes, see docs/guard.md.
TEXT_LENGTHS = ((240.0, 3), (720.0, 6), (1920.0, 12), (6000.0, 24))
COMBINATIONS = 8  # how many ways the shipped sentences are combined
# A vault must have this many pairs of one length (those of ten memories) to change its level.
LEAST_PAIRS_OF_A_LENGTH = 45
MEASUREMENT_VERSION = b"2"  # version of what is measured; another number triggers a new measurement


@dataclass(frozen=True)
class Level:
    """The cosines that mean 0.70, 0.90 and 0.95 for texts of one size."""

    size: float
    related: float
    nearly_same: float
    near_identical: float


@dataclass(frozen=True)
class Calibration:
    """A rising curve from raw cosine to similarity: the cosines that mean 0.70, 0.90, 0.95, linear in between.

    `longer` has the levels of longer texts, by size. Without a size, texts are taken to be as short as a sentence.
    """

    related: float
    nearly_same: float
    near_identical: float
    longer: tuple[Level, ...] = ()

    def similarity(self, cosine: float, size: float = 0.0) -> float:
        """The calibrated similarity, 0 to 1."""
        return _between(round(cosine, 6), self._levels(size), _MEANINGS)

    def cosine(self, similarity: float) -> float:
        """The raw cosine of a calibrated similarity, for texts as short as a sentence."""
        return float(np.interp(similarity, _MEANINGS, self._levels(SENTENCE)))

    def _levels(self, size: float) -> tuple[float, ...]:
        """The curve for texts of a size, between those of the sizes that were measured."""
        own = (self.related, self.nearly_same, self.near_identical)
        if not self.longer or size <= SENTENCE:
            return (0.0, *own, 1.0)
        sizes = [math.log(SENTENCE), *(math.log(each.size) for each in self.longer)]
        every = [own, *((each.related, each.nearly_same, each.near_identical) for each in self.longer)]
        return (0.0, *(_between(math.log(size), sizes, level) for level in zip(*every, strict=True)), 1.0)


def _between(value: float, levels: Sequence[float], meanings: Sequence[float]) -> float:
    """Linear interpolation, like `np.interp` but faster for a single value."""
    if value <= levels[0]:
        return meanings[0]
    for low, high, from_, to in zip(levels, levels[1:], meanings, meanings[1:], strict=False):
        if value < high:
            return from_ + (to - from_) / (high - low) * (value - low)
    return meanings[-1]


SENTENCE = 60.0  # bytes; a sentence has about as many in English and in Japanese
_MEANINGS = (0.0, RELATED, NEARLY_SAME, NEAR_IDENTICAL, 1.0)


def size_of(one: str, other: str) -> float:
    """The size of a pair of texts: between the two, and nearer to the shorter one (the geometric mean)."""
    return float(np.sqrt(len(one.encode()) * len(other.encode())))


def loaded(kept: dict[str, Any]) -> Calibration:
    """A calibration that was kept as JSON."""
    longer = tuple(Level(**each) for each in kept.get("longer", ()))
    return Calibration(kept["related"], kept["nearly_same"], kept["near_identical"], longer)


def built_in(embedder: Embedder) -> Calibration | None:
    """The calibration that ships with the built-in model; none for another model, or if it is out of date."""
    kept = json.loads(BUILT_IN.read_text(encoding="ascii"))
    return loaded(kept) if kept["fingerprint"] == fingerprint(embedder) else None


def measure(embedder: Embedder) -> Calibration:
    """Calibrate a model on the pairs that ship with the package, English and Japanese alike."""
    shipped = json.loads(PAIRS.read_text(encoding="utf-8"))
    measured = [_Vectors(embedder, pairs) for pairs in shipped.values()]
    levels = [_rising(SENTENCE, *_levels_of(measured, 1))]
    for size, length in TEXT_LENGTHS:
        related, nearly_same, near_identical = _levels_of(measured, length)
        floor = max(levels[-1].related, related)  # longer texts never need a lower cosine
        levels.append(_rising(size, floor, nearly_same, near_identical))
    return _calibration(levels)


class _Vectors:
    """The vectors of the shipped texts of one language."""

    def __init__(self, embedder: Embedder, pairs: dict[str, Any]) -> None:
        self.unrelated = embedder.encode(pairs["unrelated"])
        self.nearly_same, self.near_identical = (
            [embedder.encode(side) for side in zip(*pairs[level], strict=True)]
            for level in ("nearly_same", "near_identical")
        )


def _levels_of(measured: list[_Vectors], length: int) -> tuple[float, float, float]:
    """The three levels for texts of `length` sentences."""
    return (
        max(_unrelated_level(each.unrelated, length) for each in measured),
        min(_level(each.nearly_same, NEARLY_SAME_QUANTILE, length) for each in measured),
        min(_level(each.near_identical, NEAR_IDENTICAL_QUANTILE, length) for each in measured),
    )


def _texts_of(count: int, length: int) -> list[NDArray[np.int64]]:
    """Which sentences make up each text: every sentence in one text, put together in several ways."""
    if length == 1:
        return [np.arange(count)[:, None]]
    shuffled = (np.random.default_rng(seed).permutation(count) for seed in range(COMBINATIONS))
    return [order[: count // length * length].reshape(-1, length) for order in shuffled]


def _joined(vectors: NDArray[np.float32], texts: NDArray[np.int64]) -> NDArray[np.float32]:
    """The vector of a text of several sentences: the direction of their sum."""
    sums = vectors[texts].sum(axis=1)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(sums / np.where(norms > 0, norms, 1.0), dtype=np.float32)


def _unrelated_level(vectors: NDArray[np.float32], length: int) -> float:
    cosines = []
    for texts in _texts_of(len(vectors), length):
        joined = vectors if length == 1 else _joined(vectors, texts)
        cosines.append((joined @ joined.T)[np.triu_indices(len(joined), 1)])
    return float(np.quantile(np.concatenate(cosines), UNRELATED_QUANTILE))


def _level(sides: list[NDArray[np.float32]], quantile: float, length: int) -> float:
    left, right = sides
    if length == 1:
        return float(np.quantile(np.sum(left * right, axis=1), quantile))
    cosines = [np.sum(_joined(left, texts) * _joined(right, texts), axis=1) for texts in _texts_of(len(left), length)]
    return float(np.quantile(np.concatenate(cosines), quantile))


def refined(base: Calibration, sample: NDArray[np.float32], texts: Sequence[str]) -> Calibration:
    """The calibration for one vault: memories of one life are more alike than sentences from anywhere.

    Most pairs of a random sample are unrelated, so at most one in a hundred may reach 0.70, of long texts as of short
    ones; 0.90 moves up in proportion, 0.95 only as far as it must. The fewer memories there are, the less they
    change the model's own levels.
    """
    if len(sample) < SMALLEST_SAMPLE:
        return base
    pairs = np.tri(len(sample), k=-1, dtype=bool)
    cosines = (sample @ sample.T)[pairs]
    halves = np.log([max(len(text.encode()), 1) for text in texts]) / 2
    ends = np.log([SENTENCE, *(each.size for each in base.longer)])
    nearest = np.searchsorted((ends[1:] + ends[:-1]) / 2, np.add.outer(halves, halves)[pairs])
    levels = [Level(SENTENCE, base.related, base.nearly_same, base.near_identical), *base.longer]
    found: list[Level] = []
    for number, level in enumerate(levels):
        own = cosines[nearest == number]
        level = _raised(level, own) if len(own) >= LEAST_PAIRS_OF_A_LENGTH else level
        if found and level.related < found[-1].related:
            level = _moved(level, found[-1].related)
        found.append(level)
    return _calibration(found)


def _calibration(levels: list[Level]) -> Calibration:
    short, *longer = levels
    return Calibration(short.related, short.nearly_same, short.near_identical, tuple(longer))


def _raised(level: Level, cosines: NDArray[np.float32]) -> Level:
    """Raise a level to fit the pairs of a vault: the more there are, the more they count."""
    memories = np.sqrt(2 * len(cosines))
    trust = float(memories / (memories + HALF_TRUSTED))
    measured = min(float(np.quantile(cosines, UNRELATED_QUANTILE)), 1 - 3 * _SMALLEST_STEP)
    return _moved(level, level.related + trust * max(measured - level.related, 0.0))


def _moved(level: Level, related: float) -> Level:
    """A level with 0.70 at a higher cosine: 0.90 moves up in proportion, 0.95 only as far as it must."""
    if related <= level.related:
        return level
    nearly_same = 1 - (1 - level.nearly_same) * (1 - related) / (1 - level.related)
    near_identical = max(level.near_identical, nearly_same + NEXT_LEVEL * (1 - nearly_same))
    return _rising(level.size, related, nearly_same, near_identical)


def _rising(size: float, related: float, nearly_same: float, near_identical: float) -> Level:
    """A curve that rises: the upper levels give way to the lowest, which must not let unrelated pairs through."""
    related = min(related, 1 - 3 * _SMALLEST_STEP)
    nearly_same = min(max(nearly_same, related + _SMALLEST_STEP), 1 - 2 * _SMALLEST_STEP)
    near_identical = min(max(near_identical, nearly_same + _SMALLEST_STEP), 1 - _SMALLEST_STEP)
    return Level(size, related, nearly_same, near_identical)


def fingerprint(embedder: Embedder) -> str:
    """What the calibration of a model depends on: the model, and the pairs that ship."""
    return hashlib.blake2b(
        embedder.fingerprint.encode() + PAIRS.read_bytes() + MEASUREMENT_VERSION, digest_size=12
    ).hexdigest()
