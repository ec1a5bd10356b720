"""The terms of every row at hand: which rows have a term, how often, and what a match is worth (BM25).

LanceDB's own scores depend on how the index grew; these depend on the files alone, so that an index grown edit by edit
ranks exactly like one that was just rebuilt.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vault_mem.index.languages import SHARED_BEGINNING, spoken, stem_in
from vault_mem.index.terms import STOP, stem, unspaced

_BM25_K1 = 1.2
_BM25_B = 0.75
MOST_CACHED_TERMS = 256
_NO_PLACES = np.zeros(0, dtype=np.int32)

Places = NDArray[np.int32]
TermCounts = NDArray[np.float32]


class TermLists:
    """Terms by place. Rows that were there at the start are in arrays; later ones are in dictionaries beside them."""

    def __init__(self) -> None:
        self.lengths: TermCounts = np.zeros(0, dtype=np.float32)
        self.at_first = 0  # rows that the arrays were filled from
        self._numbers: dict[str, int] = {}  # of raw terms; the forms of one word share a number, stop words have -1
        self._by_stem: dict[str, int] = {}
        self._by_letter: dict[str, set[int]] = {}  # of scripts without spaces: the terms that a letter is in
        self._starts = np.zeros(1, dtype=np.int64)
        self._places: Places = _NO_PLACES
        self._counts: NDArray[np.uint16] = np.zeros(0, dtype=np.uint16)
        self._in_arrays = np.zeros(0, dtype=bool)
        self._later: dict[int, dict[int, int]] = {}
        self._later_terms: dict[int, list[int]] = {}
        self._looked_up: dict[str, tuple[Places, TermCounts]] = {}  # a query asks for each of its terms several times
        self._languages: tuple[str, ...] | None = None
        self._by_start: dict[str, list[str]] = {}  # raw terms by their first letters, once a language needs them

    def fill(self, column: pa.Array) -> None:
        """Take over the terms of all rows, a list for each place."""
        rows = len(column)
        encoded = pc.list_flatten(column).dictionary_encode()
        numbers = np.array([self._number(term) for term in encoded.dictionary.to_pylist()], dtype=np.int64)
        owners = pc.list_parent_indices(column).to_numpy(zero_copy_only=False)
        found = numbers[encoded.indices.to_numpy(zero_copy_only=False)] if len(numbers) else np.zeros(0, dtype=np.int64)
        owners, found = owners[found >= 0], found[found >= 0]
        self.lengths = np.bincount(owners, minlength=rows).astype(np.float32)
        pairs, counts = np.unique(found * max(rows, 1) + owners, return_counts=True)
        self._places = (pairs % max(rows, 1)).astype(np.int32)
        self._counts = np.minimum(counts, 65_535).astype(np.uint16)
        self._starts = np.searchsorted(pairs // max(rows, 1), np.arange(len(self._by_stem) + 1))
        self._in_arrays = np.ones(rows, dtype=bool)
        self.at_first = rows

    def reserve(self, rows: int) -> None:
        """Make room for that many places."""
        more = rows - len(self.lengths)
        if more > 0:
            self.lengths = np.concatenate([self.lengths, np.zeros(more, dtype=np.float32)])
            self._in_arrays = np.concatenate([self._in_arrays, np.zeros(more, dtype=bool)])

    def put(self, place: int, terms: Iterable[str]) -> None:
        """Add a row at a free place."""
        counts = Counter(number for term in terms if (number := self._number(term)) >= 0)
        self._changed()
        self.lengths[place] = counts.total()
        self._later_terms[place] = list(counts)
        for number, count in counts.items():
            self._later.setdefault(number, {})[place] = count

    def remove(self, place: int) -> None:
        """Forget the row at a place."""
        self._changed()
        self.lengths[place] = 0
        self._in_arrays[place] = False
        for number in self._later_terms.pop(place, ()):
            del self._later[number][place]

    @property
    def later(self) -> int:
        """How many rows came after the arrays were filled."""
        return len(self._later_terms)

    def words(self) -> list[str]:
        """Every word that some row has or had, as it was written."""
        return list(self._numbers)

    def postings(self, term: str) -> tuple[Places, TermCounts]:
        """The places that have a term, and how often. One character of Japanese stands for every pair it is in."""
        found = self._looked_up.get(term)
        if found is None:
            if len(self._looked_up) >= MOST_CACHED_TERMS:
                self._looked_up.clear()
            found = self._looked_up[term] = self._look_up(term)
        return found

    def _look_up(self, term: str) -> tuple[Places, TermCounts]:
        if len(term) == 1 and unspaced(term):
            return self._together(sorted(self._by_letter.get(term, ())))
        number = self._numbers.get(term, self._by_stem.get(stem(term), -1))
        forms = self._forms(term) | ({number} if number >= 0 else set())
        if len(forms) > 1:
            return self._together(sorted(forms))
        return self._postings_of(forms.pop()) if forms else (_NO_PLACES, np.zeros(0, dtype=np.float32))

    def _forms(self, term: str) -> set[int]:
        """The numbers of a word's other forms, if the vault is written in a language other than English."""
        if len(term) < SHARED_BEGINNING or not term.isalpha() or unspaced(term):
            return set()
        if self._languages is None:
            self._languages = spoken(self._having, int(np.count_nonzero(self.lengths)))
        if not self._languages:
            return set()
        if not self._by_start:
            for raw in self._numbers:
                self._by_start.setdefault(raw[:SHARED_BEGINNING], []).append(raw)
        found: set[int] = set()
        for language in self._languages:
            wanted = stem_in(language, term)
            alike = (raw for raw in self._by_start.get(term[:SHARED_BEGINNING], ()) if stem_in(language, raw) == wanted)
            found |= {self._numbers[raw] for raw in alike if self._numbers[raw] >= 0}
        return found

    def _having(self, word: str) -> int:
        number = self._numbers.get(word, -1)
        return len(self._postings_of(number)[0]) if number >= 0 else 0

    def _changed(self) -> None:
        self._looked_up.clear()
        self._languages = None

    def _together(self, numbers: list[int]) -> tuple[Places, TermCounts]:
        if not numbers:
            return _NO_PLACES, np.zeros(0, dtype=np.float32)
        found = [self._postings_of(number) for number in numbers]
        places, inverse = np.unique(np.concatenate([each[0] for each in found]), return_inverse=True)
        counts = np.bincount(inverse, np.concatenate([each[1] for each in found]), len(places))
        return places.astype(np.int32), counts.astype(np.float32)

    def _postings_of(self, number: int) -> tuple[Places, TermCounts]:
        places, counts = _NO_PLACES, np.zeros(0, dtype=np.float32)
        if number + 1 < len(self._starts):
            part = slice(self._starts[number], self._starts[number + 1])
            places, counts = self._places[part], self._counts[part].astype(np.float32)
            held = self._in_arrays[places]
            if not held.all():
                places, counts = places[held], counts[held]
        later = self._later.get(number)
        if later:
            places = np.concatenate([places, np.fromiter(later, np.int32, len(later))])
            counts = np.concatenate([counts, np.fromiter(later.values(), np.float32, len(later))])
        return places, counts

    def _number(self, raw: str) -> int:
        number = self._numbers.get(raw)
        if number is None:
            number = -1 if raw in STOP else self._by_stem.setdefault(stem(raw), len(self._by_stem))
            self._numbers[raw] = number
            if self._by_start:
                self._by_start.setdefault(raw[:SHARED_BEGINNING], []).append(raw)
            if unspaced(raw):
                for letter in raw:
                    self._by_letter.setdefault(letter, set()).add(number)
        return number


def weight(having: float, rows: float) -> float:
    """What matching a term is worth if `having` rows have it (BM25's inverse document frequency)."""
    return math.log(1 + (rows - having + 0.5) / (having + 0.5))


def saturation(counts: TermCounts, lengths: TermCounts, mean_length: float) -> TermCounts:
    """What these counts of a term are worth in texts of these lengths, 0 to 1: the first occurrence counts most."""
    stretch = _BM25_K1 * (1 - _BM25_B + _BM25_B * lengths / max(mean_length, 1.0))
    return np.asarray(counts / (counts + stretch), dtype=np.float32)
