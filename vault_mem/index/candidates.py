"""Where candidates come from: from all rows in memory, or from LanceDB's indexes where a vault is too large for that.

Either way ranking gets a catalogue and scores what is in it, with the figures of the whole vault. So only whether a
memory is among the candidates can differ.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from vault_mem.embedding.calibration import Calibration
from vault_mem.embedding.embedder import Vectors
from vault_mem.index.catalogue import Catalogue
from vault_mem.index.corpus import Corpus
from vault_mem.index.filters import Filters
from vault_mem.index.known import MEMORY, NOTE
from vault_mem.index.links import Names
from vault_mem.index.packed import PackedRow
from vault_mem.index.people import SPELLING
from vault_mem.index.row_cache import RowCache
from vault_mem.index.sample import sample
from vault_mem.index.table import SEARCHED, Search, quote
from vault_mem.index.terms import unspaced

if TYPE_CHECKING:
    from vault_mem.index.index import Index

# A further search, for a time or a person in the query, asks for this share of what the first one asks for.
FURTHER_SEARCH_SHARE = 0.5
# LanceDB leaves out closed memories only if fewer than this share are open.
MOSTLY_OPEN_SHARE = 0.7
# How many more of the nearest to ask for: the vector index orders them only roughly.
EXTRA_NEAREST = 20
# How many of the nearest memories each one is compared with when looking for pairs.
PAIR_CANDIDATES = 20
# How many searches LanceDB gets at once.
SEARCHES_AT_ONCE = 64
# Further times in a query are ignored.
MOST_SPANS = 3
# At most this many words are looked up for a query: a single Japanese character stands for many.
MOST_WORDS = 300


@dataclass(frozen=True)
class Wanted:
    """What to gather candidates for: a meaning, words, people and times."""

    vector: Vectors | None
    words: Sequence[str] = ()
    people: Collection[str] = ()
    spans: Sequence[tuple[float, float]] = ()
    as_written: str = ""  # the query itself, if it has nothing but stop words and punctuation


class AtHand:
    """Every row is in memory: searching is exact, and there is nothing to keep fresh but the rows."""

    complete = True  # every catalogue has all rows, so there is nothing to gather

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.corpus: Corpus = catalogue.corpus

    def gather(self, *_: object, **__: object) -> set[str]:
        """There is nothing to gather: the catalogue has all rows."""
        return set()

    def catalogue(self, *_: object) -> Catalogue:
        """All rows."""
        return self._catalogue

    files_around = files_near = gather
    with_timeline = with_similar = with_text = catalogue

    def last_of_second(self, second: float) -> float | None:
        """When the last memory of one second was made, as the table has it (see `rows.SAME_SECOND_STEP`)."""
        created = self._catalogue.created[self._catalogue.alive]
        same = created[(created >= second) & (created < second + 0.9)]
        return float(same.max()) if len(same) else None

    def sample(self) -> tuple[list[str], Vectors]:
        """Texts and vectors of a sample of the memories."""
        found = sample(self._catalogue)
        return found.texts, found.vectors

    def calibration(self, base: Calibration) -> Calibration:
        """What a cosine means in this vault."""
        return sample(self._catalogue).calibration(base)


class InTable:
    """LanceDB finds the candidates; what is in memory does not grow with the vault."""

    complete = False

    def __init__(self, index: Index, row_cache: RowCache) -> None:
        self._table, self._names, self._facts, self._row_cache = index.table, Names(index.state), index.facts, row_cache
        self._with_notes = bool(index.folder.settings.include)
        self.corpus: Corpus = self._facts  # the figures of the whole vault
        self.last_of_second, self.sample = self._facts.last_of_second, self._facts.sample
        self.calibration = self._facts.calibration

    def gather(self, wanted: Wanted, filters: Filters, now: datetime, count: int) -> set[str]:
        """The files that answer best, about that many by each way of searching."""
        where, more = self._where(filters, now)
        words = self._spelled(wanted.words)
        ways: list[str | Vectors] = [" ".join(words)] if words else []
        ways += [wanted.vector] if wanted.vector is not None and wanted.vector.any() else []
        wholes = [(where, more * count)]
        further = more * count * FURTHER_SEARCH_SHARE
        for first, last in wanted.spans[:MOST_SPANS]:
            wholes.append((_all(where, f"created >= {first!r} AND created < {last!r}"), further))
        if written := sorted({form for name in wanted.people for form in self._facts.values(SPELLING, name)}):
            having = " OR ".join(f"array_has(people, {quote(form)})" for form in written)
            wholes.append((_all(where, f"({having})"), further))
        asked = [(what, *each) for each in wholes for what in ways]
        if wanted.people and words:
            called = (part for name in wanted.people for part in name.split())
            asked.append((" ".join([*words, *called]), where, further))
        files = self._find([Search(what, condition, round(most)) for what, condition, most in asked])
        if wanted.as_written:
            files.update(self._files(_all(where, f"contains(lower(content), {quote(wanted.as_written)})"), count))
        return files

    def _find(self, searches: Sequence[Search]) -> set[str]:
        """The files found, and all that are too new for LanceDB's indexes; if these are too many, it searches them."""
        recent = self._facts.recent()
        found = self._table.find(searches, indexed_only=recent is not None)
        return self._facts.files_with_row_ids({row_id for each in found for row_id in each}).union(recent or ())

    def _where(self, filters: Filters, now: datetime) -> tuple[str, float]:
        """The condition for LanceDB, and how many times more rows to ask for than are wanted.

        Nearly all memories are open, so it is faster to drop closed ones afterwards than to check each one first.
        """
        open_ = self._facts.open_share(now.timestamp())
        if filters.closed or filters.as_of is not None or open_ < MOSTLY_OPEN_SHARE:
            return filters.where(now, (MEMORY, NOTE), whole=False), 1.0
        return replace(filters, closed=True).where(now, (), whole=False), 1 / open_

    def _spelled(self, terms: Sequence[str]) -> list[str]:
        """The words to look up; a single character adds all pairs with it, unless a known word of the query has it."""
        letters = [term for term in terms if len(term) == 1 and unspaced(term)]
        asked = [term for term in terms if term not in letters]
        known = [term for term in asked if unspaced(term) and self._facts.having(term)]
        asked += [letter for letter in letters if not any(letter in term for term in known)]
        return list(dict.fromkeys(word for term in asked for word in sorted(self._facts.spelled(term))))[:MOST_WORDS]

    def files_around(self, files: Collection[str]) -> set[str]:
        """The files linked to these, in either direction, and whatever else names them: it may have replaced them."""
        linked = {each for file in files for source, target, _ in self._names.around(file) for each in (source, target)}
        return linked | {each.file for file in files for each in self._names.written_to(file)}

    def catalogue(self, files: Collection[str]) -> Catalogue:
        """The rows of these files."""
        return self._of(self._row_cache.rows(files, self._facts.packed_rows))

    def _of(self, rows: list[PackedRow]) -> Catalogue:
        found = Catalogue.of_few(rows, self._table.dim, self._facts, self._facts.forms)
        found.names = self._names
        return found

    def unread(self, stamp: str, count: int) -> Catalogue:
        """The rows of the next files whose texts have not been read ahead; they are not kept in memory."""
        rows = self._facts.packed_rows(self._facts.unread(stamp, count))
        return self._of([row for file in sorted(rows) for row in rows[file]])

    def with_timeline(
        self, files: Collection[str], beside: Collection[str], filters: Filters, now: datetime
    ) -> Catalogue:
        """The rows of these files and of those just before and after the ones in `beside`, with their timeline."""
        closed_by = None if filters.closed and filters.as_of is None else (filters.as_of or now).timestamp()
        timeline = self._facts.timeline(files, beside, closed_by=closed_by, public=filters.private is False)
        found = self.catalogue({*files, *timeline.files} - {""})
        found.timeline = timeline
        return found

    def with_similar(self, files: Collection[str] | None) -> Catalogue:
        """The rows of these files and of those most similar to one of them; with None, of all memories."""
        if files is None:
            return self._of(list(self._facts.all_packed_rows()))
        own, found = self.catalogue(files), set(files)
        whole = (own.n == 0).nonzero()[0].tolist()
        for start in range(0, len(whole), SEARCHES_AT_ONCE):
            near = [
                Search(own.vectors[place], self._whole, PAIR_CANDIDATES)
                for place in whole[start : start + SEARCHES_AT_ONCE]
            ]
            found |= self._find(near)
        return self.catalogue(found)

    @property
    def _whole(self) -> str:
        return "n = 0" if self._facts.parted else ""

    def files_near(
        self, vector: Vectors, filters: Filters, now: datetime, count: int, *, ours: bool = False
    ) -> set[str]:
        """At least `count` files whose whole text is nearest to a vector; with `ours`, no included notes."""
        where, more = self._where(filters, now)
        of_ours = f"type = {quote(MEMORY)}" if ours and self._with_notes else ""
        return self._find([Search(vector, _all(where, self._whole, of_ours), round(more * count) + EXTRA_NEAREST)])

    def with_text(self, text: str) -> Catalogue:
        """The rows of memories with exactly this text."""
        return self.catalogue(self._files(f"n = 0 AND {SEARCHED} AND content = {quote(text)}"))

    def _files(self, where: str, count: int | None = None) -> list[str]:
        found: list[str] = self._table.select(["file"], where, count).column("file").to_pylist()
        return found


# Where candidates come from, whichever way.
Candidates = AtHand | InTable


def _all(*conditions: str) -> str:
    return " AND ".join(each for each in conditions if each)
