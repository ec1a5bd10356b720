"""What the index knows of every file: the state it was read in, kept beside the table in a small SQLite file.

It is separate from the table because it changes far more often: a commit takes a millisecond here and twenty there.
`table_version` ties the two together: if they do not match, the hash in the table's own rows decides.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from vault_mem.index.known import COLUMNS, Known, KnownFiles, WrittenLink
from vault_mem.notes.links import ID_AT_END, name_key
from vault_mem.vault.database import at_once, connected
from vault_mem.vault.walk import FileState

SCHEMA_VERSION = 12

_TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS files (
    key TEXT PRIMARY KEY, mtime_ns INTEGER, ctime_ns INTEGER, size INTEGER, inode INTEGER,
    checked_ns INTEGER, hash TEXT, declared TEXT, id TEXT, name TEXT,
    dated_by_file INTEGER, foreign_id INTEGER, problems TEXT, flagged INTEGER,
    type TEXT, title TEXT, private INTEGER, created REAL, ends REAL,
    followed TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS gone (key TEXT, id TEXT, PRIMARY KEY (key, id)) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS going AFTER DELETE ON files WHEN OLD.followed != ''
    BEGIN INSERT OR REPLACE INTO gone VALUES (OLD.key, OLD.id); END;
CREATE TRIGGER IF NOT EXISTS changing AFTER UPDATE OF declared ON files
    WHEN OLD.followed != '' AND OLD.declared != '' AND OLD.declared != NEW.declared
    BEGIN INSERT OR REPLACE INTO gone VALUES (OLD.key, OLD.declared); END;
CREATE TABLE IF NOT EXISTS renames (name TEXT, id TEXT, PRIMARY KEY (name, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unhealed (key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS links (
    file TEXT, target TEXT, type TEXT, confidence REAL, title TEXT, stem TEXT, digits TEXT
);
CREATE INDEX IF NOT EXISTS links_of ON links (file);
CREATE TRIGGER IF NOT EXISTS unlinking AFTER DELETE ON files BEGIN DELETE FROM links WHERE file = OLD.key; END;
CREATE TABLE IF NOT EXISTS outside (
    key TEXT PRIMARY KEY, mtime_ns INTEGER, ctime_ns INTEGER, size INTEGER, inode INTEGER
) WITHOUT ROWID;
"""

_INDEXES = """
CREATE INDEX IF NOT EXISTS declared ON files (declared);
CREATE INDEX IF NOT EXISTS names ON files (name);
CREATE INDEX IF NOT EXISTS ids ON files (id);
CREATE INDEX IF NOT EXISTS flagged ON files (key) WHERE flagged = 1;
DROP INDEX IF EXISTS copied;
CREATE INDEX IF NOT EXISTS unsettled ON files (key, declared, id) WHERE declared != id;
CREATE INDEX IF NOT EXISTS problems ON files (key, problems) WHERE problems != '[]';
CREATE INDEX IF NOT EXISTS huge ON files (key, size) WHERE size > 1000000;
CREATE INDEX IF NOT EXISTS unfollowed ON files (key) WHERE followed IS NOT hash;
CREATE INDEX IF NOT EXISTS ending ON files (ends) WHERE ends IS NOT NULL;
CREATE INDEX IF NOT EXISTS links_to ON links (stem);
CREATE INDEX IF NOT EXISTS links_by_id ON links (digits);
"""

_LINK_COLUMNS = ", ".join(WrittenLink._fields)
# `followed` is about the views, not the file: it stays when a state is recorded again.
_RECORD = (
    f"INSERT INTO files ({COLUMNS}) VALUES ({', '.join('?' * len(Known._fields))}) ON CONFLICT (key) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in Known._fields[1:])
)


class StateStore(KnownFiles):
    """The states of all files and a few facts about the index as a whole."""

    def __init__(self, path: Path | str, *, fixed: bool = False, new: bool = False) -> None:
        """Open the file; `fixed`: it cannot be written, only read; `new`: its indexes are made once it is full."""
        self.fixed = fixed
        # a log beside it: somebody has it open or died with it open, so part of the content is in the log
        logged = Path(f"{path}-wal").exists()
        name = f"{Path(path).as_uri()}?mode=ro{'' if logged else '&immutable=1'}" if fixed else str(path)
        self._db = connected(name, fixed=fixed)
        if fixed:
            return
        there: Any = None
        with suppress(sqlite3.OperationalError):
            there = self.get("schema")
        if there in (None, SCHEMA_VERSION):  # another version's tables have other columns
            self._db.executescript(_TABLES if new else _TABLES + _INDEXES)

    def make_indexes(self) -> None:
        """Make the indexes on files and links: made at the end, they take half the time."""
        self._db.executescript(_INDEXES)

    def stamp(self) -> int:
        """A number that changes whenever another process has written the file."""
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def hashes(self) -> dict[str, str]:
        """The hash of every file as it was indexed."""
        return dict(self._db.execute("SELECT key, hash FROM files"))

    def with_name(self, name: str) -> list[tuple[str, str]]:
        """Key and id of the files with this name."""
        return list(self._db.execute("SELECT key, id FROM files WHERE name = ?", (name,)))

    def all_names(self) -> Iterator[tuple[str, str]]:
        """Name and key of every file."""
        return iter(self._db.execute("SELECT name, key FROM files").fetchall())

    def titled(self, title: str, *, any_case: bool = False) -> list[str]:
        """The files of the notes with exactly this title, or this title in any case."""
        collation = "NOCASE" if any_case else "BINARY"
        found = self._db.execute(f"SELECT key FROM files WHERE title = ? COLLATE {collation}", (title,))
        return [key for (key,) in found]

    def notes(self, types: tuple[str, str]) -> list[tuple[str, str, str, int, str, float]]:
        """Key, id, title, private, type and time of all files of these types, by key."""
        select = "SELECT key, id, title, private, type, created FROM files WHERE type IN (?, ?) ORDER BY key"
        return self._db.execute(select, types).fetchall()

    def below(self, prefix: str) -> int:
        """How many files are in a folder, given with a slash at its end."""
        select = "SELECT COUNT(*) FROM files WHERE key >= ? AND key < ?"
        return int(self._db.execute(select, (prefix, prefix[:-1] + "0")).fetchone()[0])  # 0 comes after /

    def empty(self) -> bool:
        """Whether no file is known."""
        return self._db.execute("SELECT 1 FROM files LIMIT 1").fetchone() is None

    def links(self, file: str | None = None) -> Iterator[WrittenLink]:
        """The links of a file, or of all, in the order of the files; without mere mentions."""
        where, values = ("file = ? AND", (file,)) if file is not None else ("", ())
        select = f"SELECT {_LINK_COLUMNS} FROM links WHERE {where} type != '' ORDER BY file, rowid"
        return map(WrittenLink._make, self._db.execute(select, values).fetchall())

    def written_by(self, files: Iterable[str]) -> list[WrittenLink]:
        """The links of these files in their order, with mere mentions."""
        select = f"SELECT {_LINK_COLUMNS} FROM links WHERE file = ? ORDER BY rowid"
        return [WrittenLink._make(row) for file in files for row in self._db.execute(select, (file,))]

    def naming(self, stems: Iterable[str], digits: Iterable[str] = ()) -> list[WrittenLink]:
        """All links and mentions of one of these names (without folder), or ending in one of these digits, by file."""
        found = []
        for column, values in (("stem", stems), ("digits", digits)):
            select = f"SELECT {_LINK_COLUMNS}, rowid FROM links WHERE {column} = ?"
            for value in set(values) - {""}:
                found += self._db.execute(select, (value,)).fetchall()
        return [WrittenLink._make(row[:-1]) for row in sorted(set(found), key=lambda row: (row[0], row[-1]))]

    def too_large(self, size: int) -> list[str]:
        """The files larger than `size`, of which only the beginning was read."""
        # Without the first condition, SQLite would not use the index on large files.
        return [key for (key,) in self._db.execute("SELECT key FROM files WHERE size > 1000000 AND size > ?", (size,))]

    def write_links(self, files: Iterable[str], links: Iterable[WrittenLink]) -> None:
        """Record the links of these files, in place of those recorded before."""
        self._db.executemany("DELETE FROM links WHERE file = ?", [(file,) for file in files])
        rows = []
        for each in links:
            stem = name_key(each.target).rpartition("/")[2]
            digits = ID_AT_END.search(stem)
            rows.append((*each, stem, digits.group(1) if digits else ""))
        self._db.executemany(f"INSERT INTO links ({_LINK_COLUMNS}, stem, digits) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def outside(self) -> dict[str, tuple[int, int, int, int]]:
        """The states of files that are not indexed, from when their links were last read."""
        return {row[0]: row[1:] for row in self._db.execute("SELECT * FROM outside")}

    def note_outside(self, states: Mapping[str, FileState], gone: Iterable[str], links: Iterable[WrittenLink]) -> None:
        """Record the states and links of files that are not indexed."""
        with at_once(self._db):
            self.write_links([*states, *gone], links)
            self._db.executemany("DELETE FROM outside WHERE key = ?", [(key,) for key in gone])
            rows = [(key, *state) for key, state in states.items()]
            self._db.executemany("INSERT OR REPLACE INTO outside VALUES (?, ?, ?, ?, ?)", rows)

    def with_unsettled_ids(self) -> list[tuple[str, str, str]]:
        """Key, declared id and id gone by, of every file whose declared id is missing or another file's."""
        return list(self._db.execute("SELECT key, declared, id FROM files WHERE declared != id ORDER BY key"))

    def states(self, only: Iterable[str] | None = None) -> dict[str, tuple[int, int, int, int, int]]:
        """The state of every file and when it was looked at: all that a sync without changes needs."""
        select = "SELECT key, mtime_ns, ctime_ns, size, inode, checked_ns FROM files"
        if only is None:
            return {row[0]: row[1:] for row in self._db.execute(select)}
        found = (self._db.execute(f"{select} WHERE key = ?", (key,)).fetchone() for key in only)
        return {row[0]: row[1:] for row in found if row}

    def add_renames(self, renames: Iterable[tuple[str, str]]) -> None:
        """Record names, with their folder, that files no longer have, and the ids of those files."""
        self._db.executemany("INSERT OR IGNORE INTO renames VALUES (?, ?)", renames)

    def record(
        self,
        known: Iterable[Known],
        removed: Iterable[str] = (),
        links: Iterable[WrittenLink] | None = None,
        **facts: Any,
    ) -> None:
        """Record states, forget removed files, and set facts, all at once; with `links`, replace those of `known`."""
        known = list(known)
        with at_once(self._db):
            self._db.executemany("DELETE FROM files WHERE key = ?", [(key,) for key in removed])
            self._db.executemany(_RECORD, known)
            if links is not None:
                self.write_links([each.key for each in known], links)
            self.put(**facts)
