"""What recall looks through: every row's vector, terms and columns in memory, kept in step with the table.

A place is a row's number in the arrays. The whole memory is row 0 of a file; `owner` leads from a passage to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vault_mem.embedding.embedder import Vectors
from vault_mem.index.allocators import release_memory
from vault_mem.index.changes import Rows
from vault_mem.index.corpus import AllAtHand, Corpus
from vault_mem.index.known import MEMORY, NOTE
from vault_mem.index.lexicon import TermLists
from vault_mem.index.links import Names
from vault_mem.index.packed import RARE_KEYS, PackedRow, columns_of, heads_of, name_term
from vault_mem.index.row_cache import RowFindings, TermsOfFew
from vault_mem.index.rows import metadata_entry
from vault_mem.index.table import SEARCHED, Table, listed, rows_in, vectors_in
from vault_mem.index.texts import Texts, shared
from vault_mem.index.timeline import Timeline
from vault_mem.model import Memory, from_record

T = TypeVar("T")

_TEXTS = ("file", "hash", "id", "kind", "category", "emotion", "content", "memory")
_COMPACT = ("file", "hash", "id", "content", "memory")  # columns that differ from row to row
_LISTS = ("tags", "people")
_VERSION_COLUMNS = ("hash", "id", "created")  # identify a file's rows: if one differs, the rows changed
_PLAIN = (*_TEXTS, *_LISTS, "private", "type")
_NUMBERS = ("n", "importance", "created", "valid_from", "valid_to")
_VALUES = ("type", "n", "importance", "private", "created", "valid_from", "valid_to", "terms", "vector")
COLUMNS = (*_TEXTS, *_LISTS, *_VALUES)
FOREVER = float("inf")
READINGS = "readings"
# After this many single rows, the arrays should be refilled in a quiet moment: the lists beside them are slower.
# Beyond this multiple of what the arrays hold, it cannot wait.
REFILL_PAYS_FROM, MUST_REFILL_FACTOR = 2_000, 2


@runtime_checkable
class Following(Protocol):
    """Something derived from the rows that can follow a change of some of them."""

    def forget(self, catalogue: Catalogue, places: list[int]) -> None:
        """These rows are about to go."""

    def learn(self, catalogue: Catalogue, places: list[int]) -> None:
        """These rows have come."""


class Catalogue:
    """Memories and included notes, with their passages; `names` resolves their links for the current borrower."""

    names: Names
    corpus: Corpus
    timeline: Timeline | None = None  # only if not all memories are at hand

    def __init__(self, columns: Mapping[str, Any], corpus: Corpus | None = None) -> None:
        """Columns have their rows ordered by file and number; a missing time is NaN."""
        self.corpus = corpus or AllAtHand(self)
        self._free: list[int] = []
        self._by_file: dict[str, list[int]] = {}
        self._derived: dict[str, Any] = {}
        self._by_place: dict[str, MutableMapping[int, Any]] = {}
        self._packed_rows: Sequence[PackedRow] | None = None
        self._terms: pa.Array | None = columns.get("terms")
        self._fill(columns)

    @classmethod
    def of_all(cls, table: Table, *, searched: bool = True) -> Catalogue:
        """Every row of a table; if it will not be `searched`, only whole memories, without vectors and terms."""
        names = COLUMNS if searched else [name for name in COLUMNS if name not in ("vector", "terms")]
        found = table.select(names, SEARCHED if searched else f"n = 0 AND {SEARCHED}")
        order = pc.sort_indices(found, [("file", "ascending"), ("n", "ascending")])
        columns: dict[str, Any] = {"vector": np.zeros((found.num_rows, 0), dtype=np.float32)}
        for name in names:  # one by one: together they would be in memory twice
            column = found.column(name).take(order)
            found = found.drop_columns(name)
            if name in _NUMBERS:
                columns[name] = column.to_numpy()
            elif name == "vector":
                columns[name] = np.array(vectors_in(column), order="C")  # a copy: rows are changed in place
            elif name == "terms":
                columns[name] = column.combine_chunks()
            else:
                columns[name] = Texts(column.combine_chunks()) if name in _COMPACT else shared(column.to_pylist())
        catalogue = cls(columns)
        release_memory()
        return catalogue

    @classmethod
    def empty(cls, dim: int) -> Catalogue:
        """No rows yet."""
        columns: dict[str, Any] = {name: [] for name in _PLAIN} | {name: np.zeros(0) for name in _NUMBERS}
        columns |= {"vector": np.zeros((0, dim), np.float32), "terms": pa.array([], pa.list_(pa.string()))}
        return cls(columns)

    @classmethod
    def of_few(
        cls, held: Sequence[PackedRow], dim: int, corpus: Corpus, forms: Callable[[str], Collection[str]]
    ) -> Catalogue:
        """A few rows, with the figures of the whole vault; they do not change."""
        heads = heads_of(held)
        catalogue = cls(columns_of(held, heads, dim) | {"hash": ()}, corpus)
        catalogue._packed_rows = held
        catalogue.__dict__["lexicon"] = TermsOfFew(held, heads, forms)
        return catalogue

    def _fill(self, columns: Mapping[str, Any]) -> None:
        self.vectors: Vectors = columns["vector"]
        self._columns = tuple(columns[name] for name in (*_TEXTS, *_LISTS))
        self.files, self._hashes, self.ids, self.kinds, self.categories, self.emotions = self._columns[:6]
        self.texts, self._records, self.tags, self.people = self._columns[6:]
        self.n = columns["n"].astype(np.int32)
        self.importance = columns["importance"].astype(np.float32)
        self.private = np.array(columns["private"], dtype=bool)
        self.created = columns["created"].astype(np.float64)
        self.valid_from = _times(columns["valid_from"], -FOREVER)
        self.valid_to = _times(columns["valid_to"], FOREVER)
        self.ours = np.asarray(np.asarray(columns["type"], dtype=object) == MEMORY, dtype=bool)  # not included notes
        self.alive = np.ones(len(self.files), dtype=bool)
        owners = []
        for place, file in enumerate(self.files):
            places = self._by_file.setdefault(file, [])
            places.append(place)
            owners.append(places[0])
        self.owner = np.array(owners, dtype=np.int32)

    @cached_property
    def lexicon(self) -> TermLists:
        """The terms of every row; made when first needed, because saving a memory needs none."""
        lexicon, terms = TermLists(), self._terms
        self._terms = None
        lexicon.fill(terms)
        return lexicon

    def readings(self, places: Iterable[int]) -> list[bytes]:
        """What ranking has read from the texts at these places, packed; empty for those not read yet."""
        if self._packed_rows is not None:
            return [self._packed_rows[place].read for place in places]
        kept = self.by_place(READINGS)
        return [kept.get(place, b"") for place in places]

    def keep_reading(self, place: int, reading: bytes) -> None:
        """Keep what ranking has read from the text at a place."""
        if self._packed_rows is not None:
            self._packed_rows[place].read = reading
        else:
            self.by_place(READINGS)[place] = reading

    def places_named(self, kind: str, key: str) -> NDArray[np.int32]:
        """The places of memories with this word in the title, this person or tag; only if not `complete`."""
        assert isinstance(self.lexicon, TermsOfFew)
        return self.lexicon.places_of_term(name_term(kind, key))

    @property
    def complete(self) -> bool:
        """Whether every row of the vault is at hand."""
        return self._packed_rows is None

    def prepare(self) -> None:
        """Make what recall needs and saving a memory does not."""
        self.lexicon, self._facts  # noqa: B018

    @property
    def aliases(self) -> dict[int, list[str]]:
        """The other names of each memory that has any, by place."""
        return self._facts[0]

    @property
    def supersedes(self) -> dict[int, list[str]]:
        """The names of the memories that each one replaced, by place."""
        return self._facts[1]

    @property
    def metadata(self) -> dict[int, list[str]]:
        """The metadata that programs gave to memories, by place."""
        return self._facts[2]

    @cached_property
    def _facts(self) -> tuple[dict[int, list[str]], ...]:
        self.__dict__["_facts"] = ({}, {}, {})
        held = self._packed_rows
        all_ = np.flatnonzero(self.alive).tolist()
        self._take_facts(all_ if held is None else [place for place in all_ if held[place].has_rare_keys])
        return self._facts

    def _take_facts(self, places: Iterable[int]) -> None:
        """Aliases and such are in the records; most have none, and parsing all would take seconds."""
        for place in places:
            record = self._records[place]
            if any(key in record for key in RARE_KEYS):
                facts = json.loads(record)
                if facts.get("aliases"):
                    self.aliases[place] = facts["aliases"]
                if facts.get("supersedes"):
                    self.supersedes[place] = facts["supersedes"]
                if facts.get("metadata"):
                    self.metadata[place] = [metadata_entry(*each) for each in facts["metadata"].items()]

    def __len__(self) -> int:
        return int(self.alive.sum())

    @property
    def refill_pays(self) -> bool:
        """Whether refilling the arrays would pay."""
        return "lexicon" in self.__dict__ and self.lexicon.later > REFILL_PAYS_FROM

    @property
    def must_refill(self) -> bool:
        """Whether the arrays must be refilled."""
        return self.refill_pays and self.lexicon.later > MUST_REFILL_FACTOR * self.lexicon.at_first

    def place_of(self, file: str) -> int | None:
        """Where the whole memory of a file is."""
        places = self._by_file.get(file)
        return places[0] if places else None

    def place_of_id(self, id_: str) -> int | None:
        """Where the whole memory of an id is."""
        return self.place_of(self.names.key_of(id_) or "")

    def record(self, place: int) -> dict[str, Any]:
        """All fields of the memory at a place but its text."""
        return dict(json.loads(self._records[self.owner[place]]))

    def memory(self, place: int) -> Memory:
        """The whole memory at a place."""
        return from_record({**self.record(place), "content": self.texts[place]})

    def nearest(self, vector: Vectors, count: int, now: float, *, public: bool = False) -> list[tuple[int, float]]:
        """The places of the nearest open memories, with their cosines, nearest first, then newest first."""
        # not `@`: for a single vector its threads wait for each other, ten times slower on busy cores
        cosines = np.round(np.einsum("ij,j->i", self.vectors, vector), 6)
        places = np.flatnonzero(self._open(now, public))
        if len(places) > count:
            least = np.partition(cosines[places], len(places) - count)[len(places) - count]
            places = places[cosines[places] >= least]
        found = [(place, float(cosines[place])) for place in places.tolist() if cosines[place] > -1.0]
        return sorted(found, key=lambda each: (-each[1], -self.created[each[0]], self.files[each[0]]))[:count]

    def with_all(self, terms: Iterable[str]) -> set[int]:
        """The places of whole memories that have all of these terms in any of their rows."""
        held = [set(self.owner[self.lexicon.postings(term)[0]].tolist()) for term in terms]
        return set.intersection(*held) if held else set()

    def open_at(self, now: float, *, public: bool = False) -> list[tuple[str, str, int]]:
        """Id, file and place of every memory that is not closed, by id."""
        places = np.flatnonzero(self._open(now, public)).tolist()
        return sorted((self.ids[place], self.files[place], place) for place in places)

    def of_kinds(self, kinds: Collection[str], now: float, *, public: bool) -> list[int]:
        """The places of the open memories of these kinds."""
        return [place for place in np.flatnonzero(self._open(now, public)).tolist() if self.kinds[place] in kinds]

    def _open(self, now: float, public: bool) -> NDArray[np.bool_]:
        found = self.alive & self.ours & (self.n == 0) & (self.valid_to > now)
        return np.asarray(found & ~self.private if public else found)

    def derived(self, name: str, make: Callable[[], T]) -> T:
        """Something derived from the rows, computed once until they change."""
        if name not in self._derived:
            self._derived[name] = make()
        found: T = self._derived[name]
        return found

    def by_place(self, name: str) -> MutableMapping[int, Any]:
        """A cache per row: it stays valid when other rows change, and is dropped with its row."""
        if name not in self._by_place:
            self._by_place[name] = {} if self._packed_rows is None else RowFindings(name, self._packed_rows)
        return self._by_place[name]

    def differing(self, table: Table) -> set[str]:
        """The files whose rows in the table are not those at hand."""
        found = table.select(("file", *_VERSION_COLUMNS), f"n = 0 AND {SEARCHED}")
        versions = zip(*(found.column(name).to_pylist() for name in _VERSION_COLUMNS), strict=True)
        there = dict(zip(found.column("file").to_pylist(), versions, strict=True))
        places = np.flatnonzero(self.alive & (self.n == 0)).tolist()
        here = {self.files[each]: (self._hashes[each], self.ids[each], self.created[each]) for each in places}
        return {file for file in here.keys() | there.keys() if here.get(file) != there.get(file)}

    def update(self, table: Table, changed: Mapping[str, Rows | None]) -> None:
        """Take over the current rows of these files; where they are None, they are read from the table."""
        if not changed:
            return
        files = sorted(changed)
        rows = [row for file in files for row in changed[file] or () if row["type"] in (MEMORY, NOTE)]
        elsewhere = [file for file in files if changed[file] is None]
        if elsewhere:
            rows += rows_in(table.select(COLUMNS, f"{SEARCHED} AND file IN ({listed(elsewhere)})"))
        kept = {name: value for name, value in self._derived.items() if isinstance(value, Following)}
        gone = [place for file in files for place in self._by_file.get(file, ())]
        for value in kept.values():
            value.forget(self, gone)
        for file in files:
            for place in self._by_file.pop(file, ()):
                self._remove(place)
        self._put(sorted(rows, key=lambda row: (row["file"], row["n"])))
        new = [place for file in files for place in self._by_file.get(file, ())]
        for value in kept.values():
            value.learn(self, new)
        self._derived = kept

    def add(self, rows: Rows) -> None:
        """Add the rows, in order, of a file that has none here yet."""
        self._put(rows)
        self._derived.clear()

    def _remove(self, place: int) -> None:
        self.alive[place] = False
        self.lexicon.remove(place)
        for facts in self._facts:
            facts.pop(place, None)
        for known in self._by_place.values():
            known.pop(place, None)
        self._free.append(place)

    def _put(self, rows: Rows) -> None:
        self._reserve(len(rows))
        for row in rows:
            place = self._free.pop()
            places = self._by_file.setdefault(row["file"], [])
            places.append(place)
            self.owner[place] = places[0]
            self.vectors[place] = row["vector"]
            for column, name in zip(self._columns, (*_TEXTS, *_LISTS), strict=True):
                column[place] = row[name]
            self.n[place], self.importance[place], self.private[place] = row["n"], row["importance"], row["private"]
            self.ours[place] = row["type"] == MEMORY
            self.created[place] = row["created"]
            self.valid_from[place] = -FOREVER if row["valid_from"] is None else row["valid_from"]
            self.valid_to[place] = FOREVER if row["valid_to"] is None else row["valid_to"]
            self.lexicon.put(place, row["terms"])
            self.alive[place] = True
            self._take_facts([place])

    def _reserve(self, count: int) -> None:
        missing = count - len(self._free)
        if missing <= 0:
            return
        size = len(self.files)
        more = max(missing, size // 8, 64)
        for column in self._columns:
            column.extend([""] * more)
        self.vectors = np.concatenate([self.vectors, np.zeros((more, self.vectors.shape[1]), dtype=np.float32)])
        for name in ("n", "importance", "private", "created", "valid_from", "valid_to", "ours", "alive", "owner"):
            array: NDArray[Any] = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.zeros(more, dtype=array.dtype)]))
        self.lexicon.reserve(size + more)
        self._free += range(size + more - 1, size - 1, -1)


def _times(column: NDArray[Any], default: float) -> NDArray[np.float64]:
    values = column.astype(np.float64)
    return np.where(np.isnan(values), default, values)
