"""The figures of all memories, kept beside the table and updated with every commit, so that no row is read for them.

They are for large vaults, where only the candidates are at hand. Everything here follows from the rows: if the file is
missing, damaged or behind the table, it is filled from it again.
"""

from __future__ import annotations

import heapq
import json
import math
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.calibration import SAMPLE_SIZE, Calibration, refined
from vault_mem.embedding.embedder import Vectors
from vault_mem.index.allocators import no_collection
from vault_mem.index.corpus import Likeness, mean_of
from vault_mem.index.known import MEMORY, NOTE
from vault_mem.index.languages import SHARED_BEGINNING, spoken, stem_in
from vault_mem.index.packed import FIELDS, PackedRow, counted, framed, length, letter, packed, stem_of, unpacked
from vault_mem.index.people import PERSON, NameFact, name_facts
from vault_mem.index.table import ROW_ID, SEARCHED, Table, listed, quote, rows_in
from vault_mem.index.terms import STOP, unspaced
from vault_mem.index.timeline import MOST_IN_SESSION, SAME_SECOND, SESSION_GAP_SECONDS, Timeline
from vault_mem.vault.database import at_once, connected

FORMAT = 6
COLUMNS = (*FIELDS, "terms", "vector")
_ALL_TABLES = ("meta", "stems", "words", "names", "memories", "rows", "readings", "places", "sample")
# How many memories before and after one are looked up (a filter may leave some out), and how many are given.
NEIGHBOURS_LOOKED_UP, NEIGHBOURS_GIVEN = 4, 3
# Rows that are read and counted at once: some ten megabytes.
_ROWS_AT_ONCE = 4_000
# How many answers are cached until something changes.
_MOST_CACHED = 4096
# How many files' numbers are cached.
_MOST_NUMBERS_CACHED = 50_000
# At most this many values go into one query.
_VALUES_PER_QUERY = 500
# Up to this many new memories are candidates for every query, so that LanceDB need not search their commits.
MOST_RECENT = 256

_TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS stems (stem TEXT PRIMARY KEY, rows INTEGER, memories INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS words (word TEXT PRIMARY KEY, rows INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS names (
    kind TEXT, key TEXT, value TEXT, count INTEGER, PRIMARY KEY (key, kind, value)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS memories (
    number INTEGER PRIMARY KEY, file TEXT UNIQUE, created REAL, valid_to REAL, private INTEGER, length INTEGER,
    since INTEGER, session INTEGER
);
CREATE TABLE IF NOT EXISTS rows (number INTEGER PRIMARY KEY, packed BLOB);
CREATE TABLE IF NOT EXISTS readings (number INTEGER PRIMARY KEY, packed BLOB);
CREATE TABLE IF NOT EXISTS places (place INTEGER PRIMARY KEY, number INTEGER, file TEXT);
CREATE INDEX IF NOT EXISTS places_of ON places (number);
CREATE INDEX IF NOT EXISTS by_time ON memories (created, file);
CREATE INDEX IF NOT EXISTS by_end ON memories (valid_to) WHERE valid_to IS NOT NULL;
CREATE INDEX IF NOT EXISTS by_session ON memories (session, since, length);
CREATE TABLE IF NOT EXISTS sample (id TEXT PRIMARY KEY, file TEXT, text TEXT, vector BLOB) WITHOUT ROWID;
"""

T = TypeVar("T")
Row = Mapping[str, Any]
Floats = NDArray[np.float64]


class Facts:
    """The figures of one generation's table. Whoever writes the table updates them, under the same lock."""

    def __init__(self, path: Path, dim: int) -> None:
        self._dim = dim
        self._db = connected(path, synchronous="OFF")  # if a power cut damages it, it is filled again
        self._db.executescript(_TABLES)
        self._seen: Any = None
        self._refined: tuple[Any, Calibration] | None = None
        self._cache: dict[Any, Any] = {}
        self._numbers: dict[str, int] = {}  # of files: a lookup by number takes half the time
        self._lengths: dict[int, int] = {}  # of sessions

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # --- keeping up -------------------------------------------------------------------------------------------------

    def in_step(self, table: Table) -> bool:
        """Whether the figures belong to this version of the table."""
        return bool(self._meta("format") == FORMAT and self._meta("version") == table.version)

    def keep(self, table: Table) -> None:
        """Follow the table to a version that has the same rows, all of them in its indexes."""
        with self._at_once():
            self._record_new_row_ids(table)
            if table.vectors_indexed:
                self._put(indexed=self._last)
            self._put(version=table.version)

    def fill(self, table: Table, progress: Callable[[int, int], None] | None = None) -> None:
        """Count everything from the table, with a few thousand rows in memory at a time."""
        with self._at_once():
            for name in _ALL_TABLES:
                self._db.execute(f"DELETE FROM {name}")
            done, total = 0, table.count(SEARCHED)
            for batch in table.batches(COLUMNS, SEARCHED, _ROWS_AT_ONCE):
                rows = _counted(batch)
                self._count(rows, 1)
                self._note_memories(rows)
                self._record_row_ids([row["file"] for row in rows], [row[ROW_ID] for row in rows])
                self._put(placed=self._last)
                done += len(rows)
                if progress is not None:
                    progress(min(done, total), total)
            self._recut_sessions_from((-math.inf, ""))
            self._put(format=FORMAT, version=table.version)

    def rows_of(self, table: Table, files: Collection[str]) -> Sequence[Row]:
        """The rows of some files with the columns that are counted: to be subtracted when the files change."""
        if not files:
            return []
        return rows_in(table.select(COLUMNS, f"{SEARCHED} AND file IN ({listed(files)})"))

    def follow(self, gone: Sequence[Row], come: Sequence[Row], before: int, table: Table) -> None:
        """Take over one commit; figures that were not in step before it stay behind."""
        if self._meta("format") != FORMAT or self._meta("version") != before:
            return
        gone, come = _counted(gone), _counted(row for row in come if row["type"] in (MEMORY, NOTE))
        with self._at_once():
            sampled = self._one("SELECT COUNT(*) FROM sample")
            self._count(gone, -1)
            self._count(come, 1)
            if self._one("SELECT COUNT(*) FROM sample") < sampled:
                self._fill_sample(table)
            moments = self._forget_memories({row["file"] for row in gone})
            moments += self._note_memories(come)
            self._forget()
            if self.recent() is None:
                self._record_new_row_ids(table)
            for moment in sorted(set(moments)):
                self._recut_sessions_from(moment)
            self._put(version=table.version)

    def _count(self, rows: Sequence[Row], sign: int) -> None:
        """Add rows to the figures, or subtract them."""
        stems: Counter[str] = Counter()
        whole: Counter[str] = Counter()
        words: Counter[str] = Counter()
        names: Counter[NameFact] = Counter()
        lengths = 0
        by_file: dict[str, set[str]] = {}
        for row in rows:
            lengths += row["length"]
            found = row["counts"]
            stems.update(found.keys())
            words.update(set(row["terms"]))
            by_file.setdefault(row["file"], set()).update(found)
            if row["n"] == 0:
                names.update(_names(row))
        for stems_of_all in by_file.values():
            whole.update(stems_of_all)
        changed = [(each, sign * count, sign * whole[each]) for each, count in stems.items()]
        self._add("stems", ("stem",), ("rows", "memories"), changed)
        self._add("words", ("word",), ("rows",), [(each, sign * count) for each, count in words.items()])
        self._add("names", NameFact._fields, ("count",), [(*each, sign * count) for each, count in names.items()])
        heads = [row for row in rows if row["n"] == 0]
        self._add_vectors("whole", heads, sign)
        self._add_vectors("parts", [row for row in rows if row["n"] > 0], sign)
        self._adjust(terms=sign * lengths)
        self._sample(heads, sign)

    def _add(self, table: str, keys: Sequence[str], figures: Sequence[str], rows: list[tuple[Any, ...]]) -> None:
        """Add each row's figures to those of its keys, and delete keys whose first figure has dropped to zero."""
        columns = (*keys, *figures)
        sums = ", ".join(f"{each} = {each} + excluded.{each}" for each in figures)
        self._db.executemany(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) "
            f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {sums}",
            rows,
        )
        emptied = " AND ".join(f"{each} = ?" for each in keys)
        fewer = [row[: len(keys)] for row in rows if row[-1] < 0]
        self._db.executemany(f"DELETE FROM {table} WHERE {emptied} AND {figures[0]} <= 0", fewer)

    def _add_vectors(self, name: str, rows: Sequence[Row], sign: int) -> None:
        if not rows:
            return
        vectors = np.array([row["vector"] for row in rows], dtype=np.float64)
        count, total, products = self._vectors(name)
        total, products = total + sign * vectors.sum(axis=0), products + sign * (vectors.T @ vectors)
        self._put(**{f"{name}_count": count + sign * len(rows), name: total.tobytes()})
        self._put(**{f"{name}_products": products.tobytes()})

    def _vectors(self, name: str) -> tuple[int, Floats, Floats]:
        """How many vectors there are of a sort, their sum, and the sum of the products of their coordinates."""
        dim = self._dim
        total, products = self._meta(name), self._meta(f"{name}_products")
        return (
            int(self._meta(f"{name}_count") or 0),
            np.zeros(dim) if total is None else np.frombuffer(total),
            np.zeros((dim, dim)) if products is None else np.frombuffer(products).reshape(dim, dim),
        )

    def _sample(self, rows: Sequence[Row], sign: int) -> None:
        """Add memories to the sample, or remove them; it consists of those with the lowest ids."""
        rows = [row for row in rows if row["type"] == MEMORY]
        if sign < 0:
            left = [(row["id"], row["file"]) for row in rows]
            gone = self._db.executemany("DELETE FROM sample WHERE id = ? AND file = ?", left)
            if gone.rowcount > 0:
                self._adjust(sampled=1)
            return
        full = self._one("SELECT COUNT(*) FROM sample") >= SAMPLE_SIZE
        last = self._one("SELECT MAX(id) FROM sample") if full else None
        new = [row for row in rows if last is None or row["id"] < last]
        values = [
            (row["id"], row["file"], row["content"], np.asarray(row["vector"], dtype=np.float32).tobytes())
            for row in new
        ]
        self._db.executemany("INSERT OR REPLACE INTO sample VALUES (?, ?, ?, ?)", values)
        if values:
            self._adjust(sampled=1)
            lowest = f"SELECT id FROM sample ORDER BY id LIMIT {SAMPLE_SIZE}"
            self._db.execute(f"DELETE FROM sample WHERE id NOT IN ({lowest})")

    def _fill_sample(self, table: Table) -> None:
        """Refill the sample from the table after memories left it, with the next lowest ids."""
        found = table.select(["id", "file"], f"n = 0 AND type = {quote(MEMORY)}")
        ids, files = (found.column(name).to_pylist() for name in ("id", "file"))
        lowest = heapq.nsmallest(SAMPLE_SIZE, zip(ids, files, strict=True))
        known = {id_ for (id_,) in self._db.execute("SELECT id FROM sample")}
        missing = [file for id_, file in lowest if id_ not in known]
        if missing:
            self._sample([row for row in self.rows_of(table, missing) if row["n"] == 0], 1)

    # --- the order in time ------------------------------------------------------------------------------------------

    def _note_memories(self, rows: Sequence[Row]) -> list[tuple[float, str]]:
        by_file: dict[str, list[Row]] = {}
        for row in sorted(rows, key=lambda row: row["n"]):
            by_file.setdefault(row["file"], []).append(row)
        next_ = self._last + 1
        values = [
            (number, file, *(own[0][name] for name in ("created", "valid_to", "private", "length")))
            for number, (file, own) in enumerate(by_file.items(), next_)
        ]
        kept = [(number, packed(own)) for number, own in enumerate(by_file.values(), next_)]
        columns = "number, file, created, valid_to, private, length"
        self._db.executemany(f"INSERT OR REPLACE INTO memories ({columns}) VALUES (?, ?, ?, ?, ?, ?)", values)
        self._db.executemany("INSERT INTO rows VALUES (?, ?)", kept)
        self._adjust(last=len(values), length=sum(value[-1] for value in values))
        return [(value[2], value[1]) for value in values]

    def _forget_memories(self, files: Iterable[str]) -> list[tuple[float, str]]:
        """Delete these. Returns the moments from which on sessions may change."""
        found: list[tuple[float, str]] = []
        select = "SELECT number, created, since, length FROM memories WHERE file = ?"
        for file in files:
            for number, created, since, terms in self._db.execute(select, (file,)).fetchall():
                found.append((created, file))
                begins = since is not None and since % MOST_IN_SESSION == 0
                self._adjust(sessions=-int(begins), length=-terms)
                for table in ("memories", "rows", "readings", "places"):
                    self._db.execute(f"DELETE FROM {table} WHERE number = ?", (number,))
        return found

    @property
    def _last(self) -> int:
        """The number of the newest memory; numbers are never reused."""
        return int(self._meta("last") or 0)

    def recent(self) -> list[str] | None:
        """The files that LanceDB's indexes do not know yet; None if there are too many."""

        def found() -> list[str] | None:
            later = "SELECT file FROM memories WHERE number > ? LIMIT ?"
            known = self._meta("indexed")
            files = [] if known is None else self._db.execute(later, (known, MOST_RECENT + 1)).fetchall()
            return None if known is None or len(files) > MOST_RECENT else [file for (file,) in files]

        return self._cached("recent", found)

    def _record_new_row_ids(self, table: Table) -> None:
        """Record LanceDB's ids of the rows that were added since the last call."""
        later = "SELECT file FROM memories WHERE number > ?"
        files = [file for (file,) in self._db.execute(later, (self._meta("placed") or 0,))]
        for chunk in _chunks(files):
            self._record_row_ids(*table.row_ids(f"{SEARCHED} AND file IN ({listed(chunk)})"))
        self._put(placed=self._last)

    def _record_row_ids(self, files: Sequence[str], row_ids: Sequence[int]) -> None:
        insert = "INSERT OR REPLACE INTO places SELECT ?, number, file FROM memories WHERE file = ?"
        self._db.executemany(insert, sorted(zip(row_ids, files, strict=True)))

    def files_with_row_ids(self, row_ids: Collection[int]) -> set[str]:
        """The files whose rows have these ids in the table."""
        found = dict(row for chunk in _chunks(row_ids) for row in self._among("file, number", "place", chunk, "places"))
        self._numbers |= found
        return set(found)

    def packed_rows(self, files: Sequence[str]) -> dict[str, list[PackedRow]]:
        """The rows of these files, as they are kept here."""
        of = self._files_by_number(files)
        columns, join = "rows.number, rows.packed, readings.packed", "rows LEFT JOIN readings USING (number)"
        found = (row for chunk in _chunks(of) for row in self._among(columns, "rows.number", chunk, join))
        with no_collection():
            return {of[number]: unpacked(of[number], data, self._dim, read) for number, data, read in found}

    def _files_by_number(self, files: Collection[str]) -> dict[int, str]:
        if len(self._numbers) > _MOST_NUMBERS_CACHED:
            self._numbers.clear()
        missing = [file for file in files if file not in self._numbers]
        for chunk in _chunks(missing):
            self._numbers |= dict(self._among("file, number", "file", chunk))
        return {self._numbers[file]: file for file in files if file in self._numbers}

    def unread(self, stamp: str, count: int) -> list[str]:
        """The next files whose texts have not been read ahead; a new `stamp`, the reader's version, starts over."""
        if self._meta("read_by") != stamp:
            with self._at_once():
                self._db.execute("DELETE FROM readings")
                self._put(read_by=stamp)
        later = "SELECT file FROM memories WHERE number > ? ORDER BY number LIMIT ?"  # they are read in this order
        last = self._one("SELECT MAX(number) FROM readings") or 0
        return [file for (file,) in self._db.execute(later, (last, count))]

    def note_readings(self, found: Mapping[str, Sequence[bytes]]) -> None:
        """Keep what was read from the texts of files, row by row."""
        insert = "INSERT OR REPLACE INTO readings SELECT number, ? FROM memories WHERE file = ?"
        with at_once(self._db):
            self._db.executemany(insert, [(framed(parts), file) for file, parts in found.items()])

    def all_packed_rows(self) -> Iterator[PackedRow]:
        """The whole memories, without their passages."""
        for file, data in self._db.execute("SELECT file, packed FROM memories JOIN rows USING (number) ORDER BY file"):
            yield unpacked(file, data, self._dim)[0]

    def _recut_sessions_from(self, moment: tuple[float, str]) -> None:
        """Cut the memories into sessions, from a moment on until nothing changes any more."""
        before = self._db.execute(
            "SELECT created, since, session FROM memories WHERE (created, file) < (?, ?) "
            "ORDER BY created DESC, file DESC LIMIT 1",
            moment,
        ).fetchone()
        last, since, session = before or (-math.inf, -1, -1)
        after = self._db.execute(
            "SELECT number, created, since, session FROM memories WHERE (created, file) >= (?, ?) "
            "ORDER BY created, file",
            moment,
        )
        values, change = [], 0
        for number, created, was_since, was_session in after:
            since = since + 1 if SAME_SECOND <= created - last <= SESSION_GAP_SECONDS else 0
            session = number if since % MOST_IN_SESSION == 0 else session
            if (since, session) == (was_since, was_session):
                break
            change += (session == number) - (was_session == number)
            values.append((since, session, number))
            last = created
        self._db.executemany("UPDATE memories SET since = ?, session = ? WHERE number = ?", values)
        self._adjust(sessions=change)

    def timeline(
        self, files: Collection[str], beside: Collection[str], *, closed_by: float | None, public: bool
    ) -> Timeline:
        """Where memories are in their sessions, with those just before and after the ones in `beside`.

        `closed_by` leaves out memories closed by then, `public` private ones.
        """
        numbers = self._files_by_number(files)
        found = {row[0]: row for chunk in _chunks(numbers) for row in self._among(_MEMBER_COLUMNS, "number", chunk)}
        for chunk in _chunks({found[file][-2:] for file in beside if file in found}):
            windows = f"WITH beside (of, at) AS (VALUES {', '.join(['(?, ?)'] * len(chunk))})"
            near = f"ON session = of AND since BETWEEN at - {NEIGHBOURS_LOOKED_UP} AND at + {NEIGHBOURS_LOOKED_UP}"
            rows = self._db.execute(
                f"{windows} SELECT {_MEMBER_COLUMNS} FROM beside JOIN memories {near}", [*chain(*chunk)]
            )
            found |= {row[0]: row for row in rows}
        self._numbers |= {file: row[1] for file, row in found.items()}
        members: list[str] = []
        session: list[int] = []
        sessions: dict[int, int] = {}
        last = (-1, -1)
        for file, _, _, valid_to, private, *own in sorted(found.values(), key=lambda row: (row[2], row[0])):
            shown = not (public and private) and (closed_by is None or valid_to is None or valid_to > closed_by)
            between = min(own[1] - last[1] - 1, NEIGHBOURS_LOOKED_UP) if own[0] == last[0] else 0
            new = [""] * between + [file] * shown
            members += new
            session += [sessions.setdefault(own[0], len(sessions))] * len(new)
            last = (own[0], own[1])
        given, middle = set(files), set(beside)
        for at, file in enumerate(members):
            if file in middle:
                given.update(members[max(at - NEIGHBOURS_GIVEN, 0) : at + NEIGHBOURS_GIVEN + 1])
        members = [file if file in given else "" for file in members]
        for chunk in _chunks([each for each in sessions if each not in self._lengths]):
            self._lengths |= dict(self._among("session, SUM(length)", "session", chunk, each=True))
        count = int(self._fact("sessions") or 0)
        return Timeline(
            members,
            np.array(session, dtype=np.int64),
            np.array([self._lengths[each] for each in sessions], dtype=np.float32),
            count,
            float(self._fact("length") or 0) / max(count, 1),
            self._sessions_having,
        )

    def _sessions_having(self, term: str, at_hand: int) -> int:
        """An estimate of how many sessions have a term, as if the memories with it were spread at random."""
        memories, sessions = max(self.memories, 1), max(int(self._fact("sessions") or 0), 1)
        share = min(self.memories_having(term) / memories, 1.0)
        dealt_out = sessions * (1.0 - math.pow(1.0 - share, memories / sessions))
        return max(at_hand, round(dealt_out))

    def open_share(self, moment: float) -> float:
        """The share of memories that are open at a moment."""
        closed = self._one("SELECT COUNT(*) FROM memories WHERE valid_to IS NOT NULL AND valid_to <= ?", moment)
        return 1.0 - int(closed) / max(self.memories, 1)

    def last_of_second(self, second: float) -> float | None:
        """When the last memory of one second was made, as the table counts it; None if there is none."""
        found = self._one("SELECT MAX(created) FROM memories WHERE created >= ? AND created < ?", second, second + 0.9)
        return None if found is None else float(found)

    # --- asking -----------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.memories + int(self._fact("parts_count") or 0)

    @property
    def memories(self) -> int:
        """How many whole memories."""
        return int(self._fact("whole_count") or 0)

    @property
    def parted(self) -> bool:
        """Whether any memory is long enough to be cut."""
        return bool(self._fact("parts_count"))

    @property
    def mean_length(self) -> float:
        """How many terms a row has on average."""
        return float(self._fact("terms") or 0) / max(self.rows, 1)

    @property
    def mean_whole_length(self) -> float:
        """How many terms a memory has on average."""
        return float(self._fact("terms") or 0) / max(self.memories, 1)

    @property
    def mean(self) -> Vectors:
        """The mean of the vectors of whole memories."""
        count, total, _ = self._cached("whole", lambda: self._vectors("whole"))
        return mean_of(total, count)

    @property
    def names(self) -> Facts:
        """What memories say of people and tags."""
        return self

    def period(self) -> tuple[float, float] | None:
        """When the first and the last memory were made."""
        ends = [self._one(f"SELECT {each}(created) FROM memories") for each in ("MIN", "MAX")]  # one query would scan
        return None if ends[0] is None else (float(ends[0]), float(ends[1]))

    def made_within(self, first: float, last: float) -> bool:
        """Whether any memory was made in that time."""
        return self._one("SELECT 1 FROM memories WHERE created BETWEEN ? AND ? LIMIT 1", first, last) is not None

    def having(self, term: str) -> int:
        """How many rows have a term, in any form of the vault's language."""
        return self._having(term)[0]

    def memories_having(self, term: str) -> int:
        """How many memories have a term."""
        return self._having(term)[1]

    def _having(self, term: str) -> tuple[int, int]:
        def found() -> tuple[int, int]:
            stems = self.forms(term)
            counts = [self._db.execute("SELECT rows, memories FROM stems WHERE stem = ?", (each,)) for each in stems]
            rows = [row for each in counts for row in each]
            # a memory with several forms is counted for each of them
            return min(sum(row[0] for row in rows), self.rows), min(sum(row[1] for row in rows), self.memories)

        return self._cached(("having", term), found)

    def forms(self, term: str) -> set[str]:
        """The stems under which a term is counted."""
        return self._cached(("forms", term), lambda: self._forms(term))

    def _forms(self, term: str) -> set[str]:
        if len(term) == 1 and unspaced(term):
            return {letter(term)}
        return {stem_of(term), *map(stem_of, self._inflected(term))} if term not in STOP else set()

    def spelled(self, term: str) -> set[str]:
        """The vault's words that a term stands for: itself and its forms; for a single character, the pairs with it."""
        return self._cached(("spelled", term), lambda: self._spelled(term))

    def _spelled(self, term: str) -> set[str]:
        if len(term) == 1 and unspaced(term):
            pairs = "SELECT word FROM words WHERE length(word) <= 2 AND word LIKE ? LIMIT 200"
            return {word for (word,) in self._db.execute(pairs, (f"%{term}%",))}
        wanted = stem_of(term)
        alike = [] if unspaced(term) else self.words(wanted.removesuffix("i"))  # study and studies have the stem studi
        return {term, *self._inflected(term), *(word for word in alike if stem_of(word) == wanted)}

    def _inflected(self, term: str) -> set[str]:
        """The forms of a word in the language that the vault is written in, if that is not English."""
        if len(term) < SHARED_BEGINNING or not term.isalpha() or unspaced(term):
            return set()
        rows_with = "SELECT rows FROM words WHERE word = ?"
        languages = self._cached("languages", lambda: spoken(lambda word: self._one(rows_with, word) or 0, self.rows))
        alike = self.words(term[:SHARED_BEGINNING]) if languages else []
        return {word for word in alike for each in languages if stem_in(each, word) == stem_in(each, term)} - STOP

    def words(self, letters: str) -> list[str]:
        """The words that begin with these letters."""
        last = letters[:-1] + chr(ord(letters[-1]) + 1)
        found = self._db.execute("SELECT word FROM words WHERE word >= ? AND word < ?", (letters, last))
        return [word for (word,) in found]

    def mentioned(self, terms: Sequence[str]) -> int:
        """How many memories can have all of these terms: at most as many as have the rarest."""
        return min((self.memories_having(term) for term in terms), default=0)

    def about(self, people: Collection[str]) -> int:
        """How many memories are about one of these people; one about two of them counts twice."""
        return min(sum(self.count(PERSON, person) for person in people), self.memories)

    def likeness(self, vector: Vectors, cosines: NDArray[np.float32]) -> tuple[Likeness, Likeness]:
        """How similar whole memories, and all rows, are to a vector."""
        wide = np.asarray(vector, dtype=np.float64)
        whole, parts = (self._cached(each, partial(self._vectors, each)) for each in ("whole", "parts"))
        all_ = (whole[0] + parts[0], whole[1] + parts[1], whole[2] + parts[2])
        return _likeness(wide, whole), _likeness(wide, all_)

    def known(self, keys: Collection[str]) -> set[str]:
        """The keys that any fact is about."""
        return {key for chunk in _chunks(keys) for (key,) in self._among("DISTINCT key", "key", chunk, "names")}

    def values(self, kind: str, key: str) -> list[str]:
        """The values of all facts of a kind about a key."""
        found = self._db.execute("SELECT value FROM names WHERE key = ? AND kind = ?", (key, kind))
        return [value for (value,) in found]

    def count(self, kind: str, key: str) -> int:
        """How many memories state a fact of a kind about a key."""
        return int(self._one("SELECT SUM(count) FROM names WHERE key = ? AND kind = ?", key, kind) or 0)

    def sample(self) -> tuple[list[str], Vectors]:
        """Texts and vectors of the sample."""
        found = self._db.execute("SELECT text, vector FROM sample ORDER BY id").fetchall()
        vectors = [np.frombuffer(vector, dtype=np.float32) for _, vector in found]
        return [text for text, _ in found], np.array(vectors, dtype=np.float32).reshape(len(found), self._dim)

    def calibration(self, base: Calibration) -> Calibration:
        """What a cosine means in this vault: the model's calibration, refined by the sample."""
        stamp = (self._meta("sampled"), base)
        if self._refined is None or self._refined[0] != stamp:
            texts, vectors = self.sample()
            self._refined = (stamp, refined(base, vectors, texts))
        return self._refined[1]

    # --- SQLite -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Drop cached answers if anybody has committed since."""
        now = (self._one("PRAGMA data_version"), self._meta("version"))
        if now != self._seen:
            self._seen = now
            self._forget()

    def _forget(self) -> None:
        for kept in (self._cache, self._numbers, self._lengths):
            kept.clear()

    def _cached(self, key: Any, make: Callable[[], T]) -> T:
        if key not in self._cache:
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            self._cache[key] = make()
        found: T = self._cache[key]
        return found

    def _among(
        self, columns: str, column: str, values: Sequence[Any], table: str = "memories", *, each: bool = False
    ) -> list[Any]:
        """The rows that have one of these values in a column; with `each`, grouped by that column."""
        question = f"SELECT {columns} FROM {table} WHERE {column} IN ({', '.join('?' * len(values))})"
        return self._db.execute(question + (f" GROUP BY {column}" if each else ""), values).fetchall()

    def _one(self, question: str, *values: Any) -> Any:
        found = self._db.execute(question, values).fetchone()
        return found[0] if found else None

    def _meta(self, name: str) -> Any:
        return self._one("SELECT value FROM meta WHERE name = ?", name)

    def _fact(self, name: str) -> Any:
        """`_meta`, cached until something changes."""
        return self._cached(("fact", name), lambda: self._meta(name))

    def _put(self, **facts: Any) -> None:
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(facts.items()))

    def _adjust(self, **by: int) -> None:
        self._put(**{name: (self._meta(name) or 0) + amount for name, amount in by.items()})

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        try:
            with at_once(self._db):
                yield
        finally:
            self._forget()


def opened(path: Path, dim: int) -> Facts:
    """The figures in a file; a damaged one is replaced by an empty one."""
    try:
        return Facts(path, dim)
    except sqlite3.DatabaseError:
        for each in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
            each.unlink(missing_ok=True)
        return Facts(path, dim)


_MEMBER_COLUMNS = "file, number, created, valid_to, private, session, since"


def _likeness(vector: Floats, of: tuple[Any, ...]) -> Likeness:
    count, total, products = of
    if not count:
        return Likeness(0, 0.0, 0.0)
    mean = float(total @ vector) / count
    return Likeness(count, mean, float(np.sqrt(max(vector @ products @ vector / count - mean * mean, 0.0))))


def _counted(rows: Iterable[Row]) -> list[Row]:
    """Rows with their terms counted once, for all that needs the counts."""
    return [{**row, "counts": counted(row["terms"]), "length": length(row["terms"])} for row in rows]


def _names(row: Row) -> Iterator[NameFact]:
    record = row["memory"]
    facts = json.loads(record) if '"aliases":' in record else {}
    aliases = facts.get("aliases", ())
    title = str(facts.get("title", ""))
    return name_facts(row["people"], row["tags"], row["content"], row["file"], title, aliases)


def _chunks(values: Collection[Any]) -> Iterator[list[Any]]:
    ordered = list(values)
    return (ordered[start : start + _VALUES_PER_QUERY] for start in range(0, len(ordered), _VALUES_PER_QUERY))
