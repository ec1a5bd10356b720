"""Columns of texts, stored compactly: one object for each text would take several times as much memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

T = TypeVar("T")


class Texts:
    """A column as it was read, all texts in one string of bytes; later ones are in a dictionary beside it."""

    def __init__(self, column: pa.StringArray) -> None:
        self._size = len(column)
        self._later: dict[int, str] = {}
        self._bytes, self._starts = b"", array("i")
        if self._size:
            _, places, data = column.buffers()
            starts = np.frombuffer(places, np.int32)[column.offset : column.offset + self._size + 1]
            self._starts.frombytes((starts - starts[0]).tobytes())
            self._bytes = data.slice(starts[0], self._starts[-1]).to_pybytes() if data is not None else b""

    def __getitem__(self, place: int) -> str:
        later = self._later.get(place)
        return later if later is not None else self._bytes[self._starts[place] : self._starts[place + 1]].decode()

    def __setitem__(self, place: int, text: str) -> None:
        self._later[place] = text

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(self._size))

    def extend(self, texts: Sequence[str]) -> None:
        """Add texts at the end."""
        self._later.update(enumerate(texts, self._size))
        self._size += len(texts)


def shared(values: Iterable[T]) -> list[T]:
    """The values, with equal ones as one object: there are few kinds, and many memories have the same tags or none."""
    known: dict[Any, T] = {}
    return [known.setdefault(tuple(each) if isinstance(each, list) else each, each) for each in values]
