"""A cache of the rows that queries came across, with the findings about them; the longest unused go first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from vault_mem.index.changes import Changes
from vault_mem.index.lexicon import Places, TermCounts, TermLists
from vault_mem.index.packed import Heads, PackedRow, number_of

if TYPE_CHECKING:
    from vault_mem.index.index import Index

# About 60 MB if memories have 60 words; a query looks at a thousand rows.
MOST_ROWS = 16_000


class RowCache:
    """Rows by file, as of the table's version when `follow` was last called."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._lock = threading.Lock()
        self._files: OrderedDict[str, list[PackedRow]] = OrderedDict()
        self._count = 0
        self._of = ("", -1)

    def follow(self, index: Index) -> None:
        """Drop the rows that have changed since the last call."""
        now = (index.generation, index.table.version)
        with self._lock:
            if now == self._of:
                return
            changed = self._changes.between(now[0], self._of[1], now[1]) if now[0] == self._of[0] else None
            for file in list(self._files) if changed is None else changed:
                self._count -= len(self._files.pop(file, ()))
            self._of = now

    def rows(self, files: Collection[str], read: Callable[[list[str]], dict[str, list[PackedRow]]]) -> list[PackedRow]:
        """The rows of these files, by file and number; missing ones are read."""
        with self._lock:
            rows = {file: self._files[file] for file in files if file in self._files}
            for file in rows:
                self._files.move_to_end(file)
            of = self._of
        missing = [file for file in files if file not in rows]
        if missing:
            new = read(missing)
            self._keep(new, of)
            rows |= new
        return [row for file in sorted(rows) for row in rows[file]]

    def _keep(self, new: dict[str, list[PackedRow]], of: tuple[str, int]) -> None:
        with self._lock:
            if of != self._of:  # somebody has written meanwhile: these may be old
                return
            for file, rows in new.items():
                self._count += len(rows) - len(self._files.pop(file, ()))
                self._files[file] = rows
            while self._count > MOST_ROWS and len(self._files) > 1:
                self._count -= len(self._files.popitem(last=False)[1])


class TermsOfFew(TermLists):
    """The terms of a few packed rows; `forms` tells under which stems a term is counted."""

    def __init__(self, rows: Sequence[PackedRow], heads: Heads, forms: Callable[[str], Collection[str]]) -> None:
        super().__init__()
        self._forms_of = forms
        self.lengths = heads["length"].astype(np.float32)
        self._owners = np.repeat(np.arange(len(rows), dtype=np.int32), heads["terms"])
        self._flat = np.frombuffer(b"".join([each.terms for each in rows]), np.uint32)
        self._often = np.frombuffer(b"".join([each.counts for each in rows]), np.uint16)

    def _look_up(self, term: str) -> tuple[Places, TermCounts]:
        forms = [number_of(form) for form in self._forms_of(term)]
        at = np.flatnonzero(np.isin(self._flat, forms) if len(forms) > 1 else self._flat == sum(forms))
        counts = np.bincount(self._owners[at], self._often[at], len(self.lengths)).astype(np.float32)
        places = np.flatnonzero(counts).astype(np.int32)
        return places, counts[places]

    def places_of_term(self, wanted: str) -> Places:
        """The places of the memories that have a term (see `packed.name_term`)."""
        return np.asarray(self._owners[self._flat == number_of(wanted)], dtype=np.int32)


class RowFindings(MutableMapping[int, Any]):
    """One sort of finding about rows, by place; it is kept with the rows, so it lasts as long as they do."""

    def __init__(self, name: str, rows: Sequence[PackedRow]) -> None:
        self._name, self._rows = name, rows

    def __getitem__(self, place: int) -> Any:
        return self._rows[place].findings[self._name]

    def get(self, place: int, default: Any = None) -> Any:
        """The finding about a row, if any; not through `__getitem__`, since one query asks thousands of times."""
        return self._rows[place].findings.get(self._name, default)

    def __setitem__(self, place: int, value: Any) -> None:
        self._rows[place].findings[self._name] = value

    def __contains__(self, place: object) -> bool:
        return isinstance(place, int) and self._name in self._rows[place].findings

    def __delitem__(self, place: int) -> None:
        del self._rows[place].findings[self._name]

    def __iter__(self) -> Iterator[int]:
        return (place for place in range(len(self._rows)) if place in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)
