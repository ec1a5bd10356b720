"""Where candidates come from: from all rows in memory, or from LanceDB's indexes where a vault is too large for that.

Either way ranking gets a catalogue and scores what is in it, with the figures of the whole vault. So only whether a
memory is among the candidates can differ.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from vault_mem.embedding.calibration import Calibration
from vault_mem.embedding.embedder import Vectors
from vault_mem.index.catalogue import COLUMNS, TYPES, Catalogue
from vault_mem.index.corpus import Corpus
from vault_mem.index.filters import Filters
from vault_mem.index.known import MEMORY, NOTE
from vault_mem.index.links import Names
from vault_mem.index.met import Held, Met
from vault_mem.index.people import WRITTEN
from vault_mem.index.sample import sample
from vault_mem.index.table import listed, quote, rows_in
from vault_mem.index.terms import unspaced

if TYPE_CHECKING:
    from vault_mem.index.index import Index

# How far around a candidate the memories of its moment are at hand, those aside that a filter leaves out.
REACH = 4
# Further searches, for a time or a person that a query names, bring this share of what the first one does.
FURTHER = 0.5
# Closed memories are left out by LanceDB only where there are more than a few.
MOSTLY = 0.7
# So many more of the nearest are compared in full: the vector index tells their order about right.
SPARE = 20
# So many of the nearest may be a pair with a memory.
PAIRED = 20
# Rows that are read at once where all are.
AT_ONCE = 10_000
# More of these a query does not name.
MOST_SPANS = 3
# Letters stand for many words: at most this many of a query are looked up.
MOST_WORDS = 300


@dataclass(frozen=True)
class Wanted:
    """What candidates are gathered for: a meaning, words, and whom and when they are about."""

    vector: Vectors | None
    words: Sequence[str] = ()
    people: Collection[str] = ()
    spans: Sequence[tuple[float, float]] = ()
    as_written: str = ""  # where a query has nothing but stop words and signs


class Candidates(Protocol):
    """The memories that may be what somebody looks for."""

    @property
    def corpus(self) -> Corpus:
        """The figures of the whole vault."""

    @property
    def complete(self) -> bool:
        """Whether every catalogue has all rows, so that there is nothing to gather."""

    def gather(self, wanted: Wanted, filters: Filters, now: datetime, count: int) -> set[str]:
        """The files that answer best, about that many by each way of searching."""

    def around(self, files: Collection[str]) -> set[str]:
        """The files linked to these, in either direction, and those of the same moments."""

    def catalogue(self, files: Collection[str]) -> Catalogue:
        """The rows of these files."""

    def in_time(self, files: Collection[str], filters: Filters, now: datetime) -> Catalogue:
        """The rows of these files and of those just before and after, with the sessions that they are part of."""

    def pairing(self, files: Collection[str] | None) -> Catalogue:
        """The rows of these files and of those that are most like one of them; None stands for all files."""

    def near(self, vector: Vectors, filters: Filters, now: datetime, count: int, *, ours: bool = False) -> Catalogue:
        """The rows of at least that many whole memories nearest to a vector; `ours` are no included notes."""

    def saying(self, text: str) -> Catalogue:
        """The rows of memories of this very text."""

    def last_of_second(self, second: float) -> float | None:
        """When the last memory of one second was made, in the table's count; None where there is none."""

    def sample(self) -> tuple[list[str], Vectors]:
        """Texts and vectors of memories that stand for all."""

    def calibration(self, base: Calibration) -> Calibration:
        """What a cosine means in this vault."""


class AtHand:
    """Every row is in memory: searching is exact, and there is nothing to keep fresh but the rows."""

    complete = True

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    @property
    def corpus(self) -> Corpus:
        """The figures of the whole vault."""
        return self._catalogue.corpus

    def gather(self, wanted: Wanted, filters: Filters, now: datetime, count: int) -> set[str]:
        """Nothing need be gathered."""
        return set()

    def around(self, files: Collection[str]) -> set[str]:
        """Nothing need be gathered."""
        return set()

    def catalogue(self, files: Collection[str]) -> Catalogue:
        """All rows."""
        return self._catalogue

    def in_time(self, files: Collection[str], filters: Filters, now: datetime) -> Catalogue:
        """All rows."""
        return self._catalogue

    def pairing(self, files: Collection[str] | None) -> Catalogue:
        """All rows."""
        return self._catalogue

    def near(self, vector: Vectors, filters: Filters, now: datetime, count: int, *, ours: bool = False) -> Catalogue:
        """All rows."""
        return self._catalogue

    def saying(self, text: str) -> Catalogue:
        """All rows."""
        return self._catalogue

    def last_of_second(self, second: float) -> float | None:
        """When the last memory of one second was made, in the table's count."""
        created = self._catalogue.created[self._catalogue.alive]
        same = created[(created >= second) & (created < second + 0.9)]
        return float(same.max()) if len(same) else None

    def sample(self) -> tuple[list[str], Vectors]:
        """Texts and vectors of memories that stand for all."""
        found = sample(self._catalogue)
        return found.texts, found.vectors

    def calibration(self, base: Calibration) -> Calibration:
        """What a cosine means in this vault."""
        return sample(self._catalogue).calibration(base)


class InTable:
    """LanceDB finds the candidates; what is in memory does not grow with the vault."""

    complete = False

    def __init__(self, index: Index, met: Met) -> None:
        self._table, self._names, self._facts, self._met = index.table, Names(index.state), index.facts, met
        self._with_notes = bool(index.folder.settings.include)
        self._numbers: dict[str, int] = {}  # of the rows that were found, by file

    @property
    def corpus(self) -> Corpus:
        """The figures of the whole vault."""
        return self._facts

    def gather(self, wanted: Wanted, filters: Filters, now: datetime, count: int) -> set[str]:
        """The files that answer best, about that many by each way of searching."""
        where, more = self._where(filters, now)
        words = self._spelled(wanted.words)
        self._search(wanted.vector, words, where, more * count)
        further = round(more * count * FURTHER)
        for first, last in wanted.spans[:MOST_SPANS]:
            self._search(wanted.vector, words, _all(where, f"created >= {first!r} AND created < {last!r}"), further)
        written = sorted({form for name in wanted.people for form in self._facts.values(WRITTEN, name)})
        if written:
            having = " OR ".join(f"array_has(people, {quote(form)})" for form in written)
            self._search(wanted.vector, words, _all(where, f"({having})"), further)
        if wanted.people and words:
            self._matching([*words, *(part for name in wanted.people for part in name.split())], where, further)
        if wanted.as_written:
            asked = _all(where, f"contains(lower(content), {quote(wanted.as_written)})")
            return {*self._numbers, *self._files(asked, count)}
        return set(self._numbers)

    def _where(self, filters: Filters, now: datetime) -> tuple[str, float]:
        """What LanceDB is asked for, and how many times more of it than is wanted.

        Nearly all memories are open, so it is faster to leave out closed ones afterwards than to look at each first.
        """
        open_ = self._facts.open_share(now.timestamp())
        if filters.closed or filters.as_of is not None or open_ < MOSTLY:
            return filters.where(now, (MEMORY, NOTE), whole=False), 1.0
        return replace(filters, closed=True).where(now, (), whole=False), 1 / open_

    def _spelled(self, terms: Sequence[str]) -> list[str]:
        """The words to look up. A letter stands for all pairs it is in: only where nothing else is asked for."""
        letters = [term for term in terms if len(term) == 1 and unspaced(term)]
        asked = [term for term in terms if term not in letters] or letters
        return list(dict.fromkeys(word for term in asked for word in sorted(self._facts.spelled(term))))[:MOST_WORDS]

    def _search(self, vector: Vectors | None, words: Sequence[str], where: str, count: float) -> None:
        self._matching(words, where, count)
        if vector is not None and vector.any():
            self._numbers |= self._table.nearest(vector, where, round(count))

    def _matching(self, words: Sequence[str], where: str, count: float) -> None:
        if words:
            self._numbers |= self._table.matching(" ".join(words), where, round(count))

    def around(self, files: Collection[str]) -> set[str]:
        """The files linked to these, in either direction, and whatever else names them: it may have replaced them."""
        linked = {each for file in files for source, target, _ in self._names.around(file) for each in (source, target)}
        return linked | {each.file for file in files for each in self._names.written_to(file)}

    def catalogue(self, files: Collection[str]) -> Catalogue:
        """The rows of these files."""
        return self._of(self._met.rows(files, self._read))

    def _read(self, files: list[str]) -> list[dict[str, Any]]:
        """Rows by their numbers where those are known and a memory has but one; else by their files."""
        numbers = [] if self._facts.parted else [self._numbers[file] for file in files if file in self._numbers]
        others = [file for file in files if self._facts.parted or file not in self._numbers]
        found = rows_in(self._table.take(COLUMNS, numbers)) if numbers else []
        if others:
            found += rows_in(self._table.select(COLUMNS, f"file IN ({listed(others)})"))
        return [row for row in found if row["type"] in (MEMORY, NOTE)]

    def _of(self, held: list[Held]) -> Catalogue:
        found = Catalogue.of_few(held, self._table.dim, self._facts, self._facts.forms)
        found.names = self._names
        return found

    def in_time(self, files: Collection[str], filters: Filters, now: datetime) -> Catalogue:
        """The rows of these files and of those just before and after, with the sessions that they are part of."""
        closed_by = None if filters.closed and filters.as_of is None else (filters.as_of or now).timestamp()
        timeline = self._facts.timeline(files, closed_by=closed_by, public=filters.private is False)
        found = self.catalogue({*files, *self._facts.neighbours(timeline, files, REACH)})
        found.timeline = timeline
        return found

    def pairing(self, files: Collection[str] | None) -> Catalogue:
        """The rows of these files and of those that are most like one of them. All are held while they are used."""
        if files is None:
            batches = self._table.batches(COLUMNS, f"n = 0 AND {TYPES}", AT_ONCE)
            return self._of([Held(row) for rows in batches for row in rows])
        own, found = self.catalogue(files), set(files)
        for place in (own.n == 0).nonzero()[0].tolist():
            found |= self._table.nearest(own.vectors[place], self._whole, PAIRED).keys()
        return self.catalogue(found)

    @property
    def _whole(self) -> str:
        return "n = 0" if self._facts.parted else ""

    def near(self, vector: Vectors, filters: Filters, now: datetime, count: int, *, ours: bool = False) -> Catalogue:
        """The rows of at least that many whole memories nearest to a vector; `ours` are no included notes."""
        where, more = self._where(filters, now)
        of_ours = f"type = {quote(MEMORY)}" if ours and self._with_notes else ""
        found = self._table.nearest(vector, _all(where, self._whole, of_ours), round(more * count) + SPARE)
        self._numbers |= found
        return self.catalogue(found)

    def saying(self, text: str) -> Catalogue:
        """The rows of memories of this very text."""
        return self.catalogue(self._files(f"n = 0 AND {TYPES} AND content = {quote(text)}"))

    def _files(self, where: str, count: int | None = None) -> list[str]:
        found: list[str] = self._table.select(["file"], where, count).column("file").to_pylist()
        return found

    def last_of_second(self, second: float) -> float | None:
        """When the last memory of one second was made, in the table's count."""
        return self._facts.last_of_second(second)

    def sample(self) -> tuple[list[str], Vectors]:
        """Texts and vectors of memories that stand for all."""
        return self._facts.sample()

    def calibration(self, base: Calibration) -> Calibration:
        """What a cosine means in this vault."""
        return self._facts.calibration(base)


def _all(*conditions: str) -> str:
    return " AND ".join(each for each in conditions if each)
