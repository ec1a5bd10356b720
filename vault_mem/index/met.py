"""Rows that queries have met: kept with what was found out about them, the longest unused go first."""

from __future__ import annotations

import json
import math
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping, Sequence
from functools import lru_cache
from struct import Struct
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from vault_mem.index.changes import Changes
from vault_mem.index.known import MEMORY, NOTE
from vault_mem.index.lexicon import Counts, Places, TermLists
from vault_mem.index.terms import STOP, stem, unspaced

if TYPE_CHECKING:
    from vault_mem.index.index import Index

# About 30 MB of memories of 60 words; a query looks at a thousand.
MOST_ROWS = 8_000

stem_of = lru_cache(maxsize=100_000)(stem)  # the same words come again and again


def letter(sign: str) -> str:
    """The key under which a character of a script without spaces is counted, whatever pair it is in."""
    return f"*{sign}"


def counted(terms: Sequence[str]) -> dict[str, int]:
    """How often a text has each stem, and each letter of a script without spaces."""
    found: dict[str, int] = {}
    for term, count in Counter(terms).items():
        for each in _counted_as(term):
            found[each] = found.get(each, 0) + count
    return found


@lru_cache(maxsize=100_000)
def _counted_as(term: str) -> tuple[str, ...]:
    """What a term is counted under."""
    if term in STOP:
        return ()
    return (stem_of(term), *(letter(sign) for sign in set(term))) if unspaced(term) else (stem_of(term),)


# Of a row as it is kept: how many terms and how many bytes of text follow, then its numbers and times.
_HEAD = Struct("<IIiiiiddd")
# Its texts, told in this order.
SAID = ("id", "kind", "category", "emotion", "tags", "people", "content", "memory")
FIELDS = ("file", "n", "type", "importance", "private", "created", "valid_from", "valid_to", *SAID)
_PRIVATE, _NOTE = 1, 2
_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


class Held:
    """One row as it was packed, and what was found out about it: most rows are only compared, and never read."""

    __slots__ = ("_said", "counts", "file", "found_out", "numbers", "read", "terms", "vector")

    def __init__(self, file: str, numbers: tuple[Any, ...], *parts: bytes) -> None:
        self.file, self.numbers = file, numbers
        self.vector, self.terms, self.counts, said = parts
        self._said: bytes | list[Any] = said
        self.found_out: dict[str, Any] = {}
        self.read = b""  # what a quiet moment has found out about its text

    @property
    def said(self) -> list[Any]:
        """The texts of the row."""
        said = self._said
        if isinstance(said, bytes):
            said = self._said = list(json.loads(said))
        return said


class TextColumn(Sequence[Any]):
    """One of the texts of rows, by place."""

    def __init__(self, held: Sequence[Held], name: str) -> None:
        self._held, self._at = held, SAID.index(name)

    def __getitem__(self, place: Any) -> Any:
        return self._held[place].said[self._at]

    def __len__(self) -> int:
        return len(self._held)


def packed(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows of one file, counted, as they are kept on the disk: read in a tenth of the time that the table takes."""
    found: list[bytes] = []
    for row in rows:
        said = _to_json([row[name] for name in SAID]).encode()
        flags = _PRIVATE * bool(row["private"]) | _NOTE * (row["type"] == NOTE)
        times = (math.nan if row[name] is None else row[name] for name in ("created", "valid_from", "valid_to"))
        counts = row["counts"]
        numbers = (len(counts), len(said), row["n"], row["importance"], flags, row["length"], *times)
        vector = np.asarray(row["vector"], dtype=np.float32).tobytes()
        terms = np.fromiter(map(number_of, counts), np.uint32, len(counts)).tobytes()
        often = np.minimum(np.fromiter(counts.values(), np.int64, len(counts)), 65_535).astype(np.uint16).tobytes()
        found += (_HEAD.pack(*numbers), vector, terms, often, said)
    return b"".join(found)


def framed(parts: Sequence[bytes]) -> bytes:
    """Parts joined, each preceded by its length."""
    return b"".join(each for part in parts for each in (len(part).to_bytes(4, "little"), part))


def unpacked(file: str, data: bytes, dim: int, read: bytes | None = None) -> list[Held]:
    """The same rows, each with its part of what was read."""
    found, at = [], 0
    while at < len(data):
        numbers = _HEAD.unpack_from(data, at)
        vector = at + _HEAD.size
        terms = vector + 4 * dim
        counts = terms + 4 * numbers[0]
        said = counts + 2 * numbers[0]
        at = said + numbers[1]
        found.append(Held(file, numbers, data[vector:terms], data[terms:counts], data[counts:said], data[said:at]))
    if read:
        at = 0
        for row in found:
            end = at + 4 + int.from_bytes(read[at : at + 4], "little")
            row.read, at = read[at + 4 : end], end
    return found


def columns_of(held: Sequence[Held], dim: int) -> dict[str, Any]:
    """Rows as columns; their texts are read when they are asked for."""
    _, _, n, importance, flags, _, *times = zip(*(each.numbers for each in held), strict=True) if held else [()] * 9
    columns: dict[str, Any] = {name: TextColumn(held, name) for name in SAID}
    columns |= dict(zip(("created", "valid_from", "valid_to"), map(np.array, times), strict=True))
    columns |= {"file": [each.file for each in held], "n": np.array(n), "importance": np.array(importance)}
    columns["private"] = [each & _PRIVATE for each in flags]
    columns["type"] = [NOTE if each & _NOTE else MEMORY for each in flags]
    columns["vector"] = np.frombuffer(b"".join([each.vector for each in held]), np.float32).reshape(len(held), dim)
    return columns


@lru_cache(maxsize=100_000)
def number_of(stem: str) -> int:
    """A stem's number in packed rows; collisions are too rare to matter."""
    return crc32(stem.encode())


def length(terms: Sequence[str]) -> int:
    """How long a text is, in terms."""
    return sum(term not in STOP for term in terms)


class Met:
    """Rows by file, those of the version of the table that was last asked for."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._lock = threading.Lock()
        self._files: OrderedDict[str, list[Held]] = OrderedDict()
        self._rows = 0
        self._of = ("", -1)

    def follow(self, index: Index) -> None:
        """Drop what has changed since."""
        now = (index.generation, index.table.version)
        with self._lock:
            if now == self._of:
                return
            changed = self._changes.between(now[0], self._of[1], now[1]) if now[0] == self._of[0] else None
            for file in list(self._files) if changed is None else changed:
                self._rows -= len(self._files.pop(file, ()))
            self._of = now

    def rows(self, files: Collection[str], read: Callable[[list[str]], dict[str, list[Held]]]) -> list[Held]:
        """The rows of these files by file and number; those that are not held are read."""
        with self._lock:
            held = {file: self._files[file] for file in files if file in self._files}
            for file in held:
                self._files.move_to_end(file)
            of = self._of
        missing = [file for file in files if file not in held]
        if missing:
            new = read(missing)
            self._keep(new, of)
            held |= new
        return [row for file in sorted(held) for row in held[file]]

    def _keep(self, new: dict[str, list[Held]], of: tuple[str, int]) -> None:
        with self._lock:
            if of != self._of:  # somebody has written meanwhile: these may be old
                return
            for file, rows in new.items():
                self._rows += len(rows) - len(self._files.pop(file, ()))
                self._files[file] = rows
            while self._rows > MOST_ROWS and len(self._files) > 1:
                self._rows -= len(self._files.popitem(last=False)[1])


class TermsOfFew(TermLists):
    """The terms of rows that were counted one by one; `forms` tells under which stems a term is counted."""

    def __init__(self, held: Sequence[Held], forms: Callable[[str], Collection[str]]) -> None:
        super().__init__()
        self._forms_of = forms
        self.lengths = np.array([each.numbers[5] for each in held], dtype=np.float32)
        self._owners = np.repeat(np.arange(len(held), dtype=np.int32), [each.numbers[0] for each in held])
        self._flat = np.frombuffer(b"".join([each.terms for each in held]), np.uint32)
        self._often = np.frombuffer(b"".join([each.counts for each in held]), np.uint16)

    def _look_up(self, term: str) -> tuple[Places, Counts]:
        forms = [number_of(form) for form in self._forms_of(term)]
        at = np.flatnonzero(np.isin(self._flat, forms) if len(forms) > 1 else self._flat == sum(forms))
        counts = np.bincount(self._owners[at], self._often[at], len(self.lengths)).astype(np.float32)
        places = np.flatnonzero(counts).astype(np.int32)
        return places, counts[places]


class FoundOut(MutableMapping[int, Any]):
    """What was found out about rows, by place; it stays with the rows."""

    def __init__(self, name: str, held: Sequence[Held]) -> None:
        self._name, self._held = name, held

    def __getitem__(self, place: int) -> Any:
        return self._held[place].found_out[self._name]

    def __setitem__(self, place: int, value: Any) -> None:
        self._held[place].found_out[self._name] = value

    def __contains__(self, place: object) -> bool:
        return isinstance(place, int) and self._name in self._held[place].found_out

    def __delitem__(self, place: int) -> None:
        del self._held[place].found_out[self._name]

    def __iter__(self) -> Iterator[int]:
        return (place for place in range(len(self._held)) if place in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)
