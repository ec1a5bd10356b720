"""What this machine knows about a store: what is in it, what it added itself, and what it must still remove.

The ledger has only hashes, so that it reveals nothing about a purged memory.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from vault_mem.vault.database import NamedValues, at_once, connected

_TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS segments (name TEXT PRIMARY KEY, size INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS there (
    name TEXT, segment TEXT, memory TEXT, text TEXT, PRIMARY KEY (name, segment)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS there_in ON there (segment);
CREATE INDEX IF NOT EXISTS there_memory ON there (memory);
CREATE INDEX IF NOT EXISTS there_text ON there (text);
CREATE TABLE IF NOT EXISTS linked (mark TEXT, segment TEXT, PRIMARY KEY (mark, segment)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS held (
    name TEXT PRIMARY KEY, memory TEXT, text TEXT, path TEXT, called TEXT, day INTEGER
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS held_memory ON held (memory);
CREATE INDEX IF NOT EXISTS held_path ON held (path);
CREATE TABLE IF NOT EXISTS refused (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS owed (mark TEXT PRIMARY KEY) WITHOUT ROWID;
"""


def mark(kind: str, *parts: str) -> str:
    """A hash for a memory (its id), a text (path and content hash), a path, or the name that links use for a note."""
    return hashlib.sha256("\0".join((kind, *parts)).encode("utf-8", "surrogatepass")).hexdigest()[:32]


class FileRows(NamedTuple):
    """One file's rows: their name in the store, and the marks of memory, text, path and link name."""

    name: str
    memory: str
    text: str
    path: str = ""
    called: str = ""


@dataclass(frozen=True)
class StoreStatus:
    """What a machine has not added to or read from its store yet, and what it must still remove from it."""

    uri: str
    reached: datetime | None
    trouble: str
    hint: str
    to_add: int
    to_read: int | None
    to_remove: int


class Ledger(NamedValues):
    """A small database beside the index. If it is deleted, the store is read again."""

    def __init__(self, path: Path) -> None:
        self._db = connected(path)
        self._db.executescript(_TABLES)
        if not self.get("machine"):
            self.put(machine=secrets.token_hex(8))

    def name_left_or(self, name: str, new: str) -> str:
        """The name under which this machine left something in the store before; else `new`, which is recorded."""
        left = str(self.get(name) or new)
        self.put(**{name: left})
        return left

    @property
    def machine(self) -> str:
        """The name of this machine in the store, a random number."""
        return str(self.get("machine"))

    def segments(self) -> set[str]:
        """The segments that have been read."""
        return {name for (name,) in self._db.execute("SELECT name FROM segments")}

    def small_segments(self, limit: int) -> list[str]:
        """The segments with fewer than `limit` rows."""
        select = "SELECT name FROM segments WHERE size < ? ORDER BY name"
        return [name for (name,) in self._db.execute(select, (limit,))]

    def note_segment(self, segment: str, entries: Iterable[FileRows], linked: Iterable[str]) -> None:
        """Record what a segment contains, and which notes it links to."""
        rows = [(each.name, segment, each.memory, each.text) for each in entries]
        with at_once(self._db):
            self._db.execute("INSERT OR REPLACE INTO segments VALUES (?, ?)", (segment, len(rows)))
            self._db.executemany("INSERT OR REPLACE INTO there VALUES (?, ?, ?, ?)", rows)
            self._db.executemany("INSERT OR IGNORE INTO linked VALUES (?, ?)", [(each, segment) for each in linked])

    def drop_segments(self, segments: Iterable[str]) -> None:
        """Forget segments that are gone; their rows may have to be added again."""
        with at_once(self._db):
            for segment in segments:
                self.put(level=None)
                self._db.execute("DELETE FROM there WHERE segment = ?", (segment,))
                self._db.execute("DELETE FROM linked WHERE segment = ?", (segment,))
                self._db.execute("DELETE FROM segments WHERE name = ?", (segment,))

    def names_in_store(self) -> set[str]:
        """The names of all rows known to be in the store, and of those that must not be added."""
        return {name for (name,) in self._db.execute("SELECT name FROM there UNION SELECT name FROM refused")}

    def refuse(self, names: Iterable[str]) -> None:
        """Record rows that a tombstone forbids."""
        self._db.executemany("INSERT OR IGNORE INTO refused VALUES (?)", [(name,) for name in names])

    def rows_not_among(self, names: set[str]) -> list[tuple[str, str]]:
        """Segment and name of every row with another name."""
        return [row for row in self._db.execute("SELECT segment, name FROM there") if row[1] not in names]

    def segments_with(self, names: Iterable[str], prefix: str) -> dict[str, str]:
        """A segment for each of these rows, if it is in one."""
        select = "SELECT segment FROM there WHERE name = ? AND segment > ? ORDER BY segment LIMIT 1"
        found = ((name, self._db.execute(select, (name, prefix)).fetchone()) for name in names)
        return {name: row[0] for name, row in found if row}

    def rows_stored_twice(self) -> dict[str, set[str]]:
        """The names of rows that an earlier segment has too, by segment."""
        found: dict[str, set[str]] = {}
        earlier = "SELECT 1 FROM there WHERE name = a.name AND segment < a.segment"
        select = f"SELECT name, segment FROM there AS a WHERE EXISTS ({earlier})"
        for name, segment in self._db.execute(select):
            found.setdefault(segment, set()).add(name)
        return found

    def segments_marked(self, marks: Iterable[str]) -> set[str]:
        """The segments with a row that has one of these marks, or links to a note with one."""
        select = (
            "SELECT segment FROM there WHERE memory = ?1 OR text = ?1 UNION SELECT segment FROM linked WHERE mark = ?1"
        )
        return {row[0] for each in marks for row in self._db.execute(select, (each,))}

    def names_marked(self, marks: Iterable[str]) -> set[str]:
        """The names of the rows that have one of these marks."""
        select = "SELECT name FROM there WHERE memory = ?1 OR text = ?1"
        return {name for each in marks for (name,) in self._db.execute(select, (each,))}

    def hold(self, entries: Iterable[FileRows], day: int, keep: int) -> None:
        """Record what this machine has today, and forget what it has not had for `keep` days."""
        with at_once(self._db):
            rows = [(*each, day) for each in entries]
            self._db.executemany("INSERT OR REPLACE INTO held VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._db.execute("DELETE FROM held WHERE abs(day - ?) > ?", (day, keep))

    def held(self) -> list[FileRows]:
        """Everything that this machine has, or had recently."""
        return [FileRows(*row) for row in self._db.execute("SELECT name, memory, text FROM held")]

    def held_as(self, column: str, marks: Iterable[str]) -> list[FileRows]:
        """What this machine has, or had recently, of these memories or paths."""
        select = f"SELECT name, memory, text, path, called FROM held WHERE {column} = ?"
        return [FileRows(*row) for each in marks for row in self._db.execute(select, (each,))]

    def offered(self, memories: Iterable[str]) -> set[str]:
        """Which of these memories are known to be in the store, or may have been added by this machine."""
        select = "SELECT 1 FROM there WHERE memory = ?1 UNION ALL SELECT 1 FROM held WHERE memory = ?1 LIMIT 1"
        return {each for each in memories if self._db.execute(select, (each,)).fetchone()}

    def owe(self, marks: Iterable[str]) -> None:
        """Record what must be removed from the store."""
        self._db.executemany("INSERT OR IGNORE INTO owed VALUES (?)", [(each,) for each in marks])

    def owed(self) -> list[str]:
        """What must still be removed from the store."""
        return [each for (each,) in self._db.execute("SELECT mark FROM owed ORDER BY mark")]

    def drop_owed(self, marks: Iterable[str]) -> None:
        """These have been removed from the store: forget them."""
        gone = [(each,) for each in marks]
        with at_once(self._db):
            self._db.executemany("DELETE FROM owed WHERE mark = ?", gone)
            self._db.executemany("DELETE FROM held WHERE memory = ? OR text = ?", [each * 2 for each in gone])
