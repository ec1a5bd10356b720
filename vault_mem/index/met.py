"""Rows that queries have met: kept with what was found out about them, the longest unused go first."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterator, MutableMapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from vault_mem.index.changes import Changes, Rows
from vault_mem.index.lexicon import Counts, Lexicon, Places
from vault_mem.index.terms import STOP, stem, unspaced

if TYPE_CHECKING:
    from vault_mem.index.index import Index

# About 60 MB of memories of 60 words; a query looks at some hundred.
MOST_ROWS = 8_000

stem_of = lru_cache(maxsize=100_000)(stem)  # the same words come again and again


def letter(sign: str) -> str:
    """Under which a letter of a script without spaces is counted, in whatever pair it stands."""
    return f"*{sign}"


def counted(terms: Sequence[str]) -> Counter[str]:
    """How often a text has each stem, and each letter of a script without spaces."""
    found: Counter[str] = Counter()
    for term, count in Counter(terms).items():
        if term not in STOP:
            found[stem_of(term)] += count
            for sign in set(term) if unspaced(term) else ():
                found[letter(sign)] += count
    return found


class Held:
    """One row, its terms counted, and what was found out about it."""

    __slots__ = ("counts", "found_out", "length", "row")

    def __init__(self, row: dict[str, Any]) -> None:
        terms = row.pop("terms")
        self.counts = counted(terms)
        self.length = sum(term not in STOP for term in terms)
        self.row = row | {"vector": np.array(row["vector"], dtype=np.float32)}  # its own: a batch would stay with it
        self.found_out: dict[str, Any] = {}


class Met:
    """Rows by file, those of the version of the table that was last asked for."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._lock = threading.Lock()
        self._files: OrderedDict[str, list[Held]] = OrderedDict()
        self._rows = 0
        self._of = ("", -1)

    def follow(self, index: Index) -> None:
        """Let go of what was changed since."""
        now = (index.generation, index.table.version)
        with self._lock:
            if now == self._of:
                return
            changed = self._changes.between(now[0], self._of[1], now[1]) if now[0] == self._of[0] else None
            for file in list(self._files) if changed is None else changed:
                self._rows -= len(self._files.pop(file, ()))
            self._of = now

    def rows(self, files: Collection[str], read: Callable[[list[str]], Rows]) -> list[Held]:
        """The rows of these files by file and number; those that are not held are read."""
        with self._lock:
            held = {file: self._files[file] for file in files if file in self._files}
            for file in held:
                self._files.move_to_end(file)
            of = self._of
        missing = sorted(set(files) - held.keys())
        new: dict[str, list[Held]] = {file: [] for file in missing}
        for row in sorted(read(missing), key=lambda row: (row["file"], row["n"])) if missing else ():
            new[row["file"]].append(Held(dict(row)))
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


class TermsOfFew(Lexicon):
    """The terms of rows that were counted one by one; `forms` tells under which stems a term is counted."""

    def __init__(self, held: Sequence[Held], forms: Callable[[str], Collection[str]]) -> None:
        super().__init__()
        self._held, self._forms_of = held, forms
        self.lengths = np.array([each.length for each in held], dtype=np.float32)

    def _look_up(self, term: str) -> tuple[Places, Counts]:
        forms = self._forms_of(term)
        counts = np.zeros(len(self._held), dtype=np.float32)
        for form in forms:
            counts += np.fromiter((each.counts[form] for each in self._held), np.float32, len(self._held))
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
