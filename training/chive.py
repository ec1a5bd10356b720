"""chiVe, word vectors of Japanese web text, from the vocabulary folder of ja-ginza, which is used for nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgpack
import numpy as np

from training.static import Matrix, unit

_MASK = (1 << 64) - 1
_MULTIPLIER = 0xC6A4A7935BD1E995
_SHIFT = 47


def read(folder: Path, words: Iterable[str]) -> dict[str, Matrix]:
    """Return the unit vectors of those of the words that chiVe knows."""
    vectors = unit(np.load(folder / "vectors"))
    rows = msgpack.unpackb((folder / "key2row").read_bytes(), strict_map_key=False)
    found = ((word, rows.get(_murmur(word.encode()), -1)) for word in words)
    return {word: vectors[row] for word, row in found if row >= 0}


def _murmur(key: bytes) -> int:
    """Return the 64-bit MurmurHash (variant A, seed 1) that spaCy names strings by."""
    value = 1 ^ (len(key) * _MULTIPLIER & _MASK)
    whole = len(key) // 8 * 8
    for start in range(0, whole, 8):
        block = int.from_bytes(key[start : start + 8], "little") * _MULTIPLIER & _MASK
        block = (block ^ block >> _SHIFT) * _MULTIPLIER & _MASK
        value = (value ^ block) * _MULTIPLIER & _MASK
    if len(key) > whole:
        value = (value ^ int.from_bytes(key[whole:], "little")) * _MULTIPLIER & _MASK
    value = (value ^ value >> _SHIFT) * _MULTIPLIER & _MASK
    return value ^ value >> _SHIFT
