"""Rows as they are kept beside the table: packed, so that they can be compared without decoding their texts."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from struct import Struct
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from vault_mem.index.known import MEMORY, NOTE
from vault_mem.index.people import PERSON, TAG, name_facts
from vault_mem.index.terms import STOP, naming_terms, stem, unspaced

TITLE = "title"  # the kind of name term for the words of titles

stem_of = lru_cache(maxsize=100_000)(stem)  # the same words come again and again


def letter(sign: str) -> str:
    """The name under which a letter of a script without spaces is counted, whatever pair it is in."""
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
    """The names under which a term is counted."""
    if term in STOP:
        return ()
    return (stem_of(term), *(letter(sign) for sign in set(term))) if unspaced(term) else (stem_of(term),)


# The head of a packed row: the number of its terms, the bytes of its three texts, then its numbers and times.
_SIZES = ("terms", "brief", "content", "memory")
_TIMES = ("created", "valid_from", "valid_to")
_SIZED, _HEAD = Struct("<IIII"), Struct("<IIIIiiiiddd")
_HEAD_TYPE = np.dtype(
    [(name, "<u4") for name in _SIZES]
    + [(name, "<i4") for name in ("n", "importance", "flags", "length")]
    + [(name, "<f8") for name in _TIMES]
)
Heads = NDArray[np.void]
# Short fields, kept together as one JSON list in this order.
BRIEF = ("id", "kind", "category", "emotion", "tags", "people")
FIELDS = ("file", "n", "type", "importance", "private", *_TIMES, *BRIEF, "content", "memory")
# Keys that few records have: parsing all records to look for them would take long.
RARE_KEYS = ('"aliases":', '"supersedes":', '"metadata":')
_PRIVATE, _NOTE, _HAS_RARE_KEYS = 1, 2, 4
_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
_from_json = json.JSONDecoder().raw_decode  # `loads` also looks for blanks around it, and we wrote none


class PackedRow:
    """One packed row, decoded as far as somebody asks, and the findings about it."""

    # few objects for each: a query makes hundreds of these, and garbage collection looks at every object
    __slots__ = ("_at", "_brief", "_counts", "_data", "_findings", "_terms", "_texts", "end", "file", "read")

    def __init__(self, file: str, data: bytes, at: int, dim: int) -> None:
        terms, *sizes = _SIZED.unpack_from(data, at)
        self.file, self._data, self._at = file, data, at
        self._terms = at + _HEAD.size + 4 * dim
        self._counts = self._terms + 4 * terms
        self._texts = self._counts + 2 * terms
        self.end: int = self._texts + sum(sizes)
        self._brief: list[Any] | None = None
        self._findings: dict[str, Any] | None = None
        self.read = b""  # what was read from its text in a quiet moment

    @property
    def findings(self) -> dict[str, Any]:
        """What queries found out about it, by the sort of finding."""
        if self._findings is None:
            self._findings = {}
        return self._findings

    @property
    def head(self) -> bytes:
        """Its sizes, numbers and times."""
        return self._data[self._at : self._at + _HEAD.size]

    @property
    def vector(self) -> bytes:
        """Its vector."""
        return self._data[self._at + _HEAD.size : self._terms]

    @property
    def terms(self) -> bytes:
        """The numbers of its terms."""
        return self._data[self._terms : self._counts]

    @property
    def counts(self) -> bytes:
        """How often it has each."""
        return self._data[self._counts : self._texts]

    @property
    def brief(self) -> list[Any]:
        """Its short fields, in the order of BRIEF."""
        if self._brief is None:
            self._brief = list(_from_json(self._text(0))[0])
        return self._brief

    @property
    def content(self) -> str:
        """Its text."""
        return self._text(1)

    @property
    def memory(self) -> str:
        """All its other fields as JSON."""
        return self._text(2)

    def _text(self, which: int) -> str:
        sizes = _SIZED.unpack_from(self._data, self._at)[1:]
        start = self._texts + sum(sizes[:which])
        return self._data[start : start + sizes[which]].decode()

    @property
    def has_rare_keys(self) -> bool:
        """Whether the record has one of RARE_KEYS."""
        return bool(_HEAD.unpack_from(self._data, self._at)[6] & _HAS_RARE_KEYS)


class Brief(Sequence[Any]):
    """One of the short fields of rows, by place."""

    def __init__(self, rows: Sequence[PackedRow], name: str) -> None:
        self._rows, self._at = rows, BRIEF.index(name)

    def __getitem__(self, place: Any) -> Any:
        return self._rows[place].brief[self._at]

    def __len__(self) -> int:
        return len(self._rows)


class TextColumn(Brief):
    """One of the texts of rows, by place: the memory's own, or all its other fields as JSON."""

    def __init__(self, rows: Sequence[PackedRow], name: str) -> None:
        self._rows, self._name = rows, name

    def __getitem__(self, place: Any) -> Any:
        return getattr(self._rows[place], self._name)


def packed(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows of one file, with their counts, as bytes: read in a tenth of the time that the table takes."""
    found: list[bytes] = []
    for row in rows:
        brief, content, record = _to_json([row[name] for name in BRIEF]), row["content"], row["memory"]
        texts = [text.encode() for text in (brief, content, record)]
        rare = any(key in record for key in RARE_KEYS)
        flags = _PRIVATE * bool(row["private"]) | _NOTE * (row["type"] == NOTE) | _HAS_RARE_KEYS * rare
        times = (math.nan if row[name] is None else row[name] for name in _TIMES)
        counts = row["counts"] | (dict.fromkeys(_name_terms(row), 1) if row["n"] == 0 else {})
        numbers = (len(counts), *map(len, texts), row["n"], row["importance"], flags, row["length"], *times)
        vector = np.asarray(row["vector"], dtype=np.float32).tobytes()
        terms = np.fromiter(map(number_of, counts), np.uint32, len(counts)).tobytes()
        often = np.minimum(np.fromiter(counts.values(), np.int64, len(counts)), 65_535).astype(np.uint16).tobytes()
        found += (_HEAD.pack(*numbers), vector, terms, often, *texts)
    return b"".join(found)


def name_term(kind: str, key: str) -> str:
    """A name looked up like a word of the text: for a word of the title, a person or a tag."""
    return f"{kind} {key}"


def _name_terms(row: Mapping[str, Any]) -> Iterator[str]:
    record = json.loads(row["memory"])
    title, aliases = str(record.get("title", "")), record.get("aliases") or ()
    yield from (name_term(TITLE, stem_of(term)) for term in naming_terms(title, row["file"], row["tags"], aliases))
    facts = name_facts(row["people"], row["tags"], row["content"], row["file"], title, aliases)
    yield from (name_term(fact.kind, fact.key) for fact in facts if fact.kind in (PERSON, TAG))


def framed(parts: Sequence[bytes]) -> bytes:
    """Parts joined, each preceded by its length."""
    return b"".join(each for part in parts for each in (len(part).to_bytes(4, "little"), part))


def unpacked(file: str, data: bytes, dim: int, read: bytes | None = None) -> list[PackedRow]:
    """The rows that `packed` packed, each with its part of `read`, what was read from their texts."""
    found, at = [], 0
    while at < len(data):
        found.append(PackedRow(file, data, at, dim))
        at = found[-1].end
    if read:
        at = 0
        for row in found:
            end = at + 4 + int.from_bytes(read[at : at + 4], "little")
            row.read, at = read[at + 4 : end], end
    return found


def heads_of(rows: Sequence[PackedRow]) -> Heads:
    """The heads of rows as one array with named fields."""
    return np.frombuffer(b"".join([each.head for each in rows]), _HEAD_TYPE)


def columns_of(rows: Sequence[PackedRow], heads: Heads, dim: int) -> dict[str, Any]:
    """Rows as columns; texts are decoded when asked for."""
    columns: dict[str, Any] = {name: Brief(rows, name) for name in BRIEF}
    columns |= {
        "content": TextColumn(rows, "content"),
        "memory": TextColumn(rows, "memory"),
        "file": [each.file for each in rows],
    }
    columns |= {name: heads[name] for name in ("n", "importance", *_TIMES)}
    columns["private"] = heads["flags"] & _PRIVATE
    columns["type"] = np.where(heads["flags"] & _NOTE, NOTE, MEMORY).astype(object)
    columns["vector"] = np.frombuffer(b"".join([each.vector for each in rows]), np.float32).reshape(len(rows), dim)
    return columns


@lru_cache(maxsize=100_000)
def number_of(stem: str) -> int:
    """The number that stands for a stem in packed rows. Two stems with the same number are too rare to matter."""
    return crc32(stem.encode())


def length(terms: Sequence[str]) -> int:
    """How long a text is, in terms."""
    return sum(term not in STOP for term in terms)
