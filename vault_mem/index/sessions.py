"""Keyword search in sessions: a table of turns, separate from the index, so that no session counts as a memory.

Every search first brings it up to date with the files. It can be deleted at any time.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from vault_mem.index.terms import STOP, stem, terms
from vault_mem.notes.session import turns
from vault_mem.vault import sessions
from vault_mem.vault.folder import Folder

_VERSION = 1
_MOST_WORDS = 40  # of a query; more do not help


@dataclass(frozen=True)
class TurnHit:
    """A turn that has words of a query: where it is, and what share of the words it has."""

    key: str
    line: int
    share: float
    score: float


def words(text: str) -> list[str]:
    """The words by which a text is found."""
    return [stem(term) for term in terms(text) if term not in STOP]


def search(folder: Folder, query: str, limit: int) -> list[TurnHit]:
    """The turns that have words of the query, best first."""
    wanted = list(dict.fromkeys(words(query)))[:_MOST_WORDS]
    if not wanted or not sessions.keys(folder):
        return []
    with _opened(folder) as connection:
        _follow(folder, connection)
        asked = " OR ".join('"' + word.replace('"', '""') + '"' for word in wanted)
        found = connection.execute(
            "SELECT key, line, terms, -bm25(turns) FROM turns WHERE turns MATCH ? ORDER BY bm25(turns) LIMIT ?",
            (asked, limit),
        ).fetchall()
    return [
        TurnHit(key, line, len(set(wanted) & set(said.split())) / len(wanted), score)
        for key, line, said, score in found
    ]


@contextmanager
def _opened(folder: Folder) -> Iterator[sqlite3.Connection]:
    path = folder.index_dir / sessions.TABLE
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        database: Path | str = path
    except OSError:  # a sandbox: make it in memory, for this search only
        database = ":memory:"
    with closing(sqlite3.connect(database, timeout=5)) as connection:
        try:
            _prepare(connection)
        except sqlite3.DatabaseError:
            if database == ":memory:":
                raise
            connection.close()
            sessions.drop_table(folder)
            with closing(sqlite3.connect(path, timeout=5)) as fresh:
                _prepare(fresh)
                yield fresh
            return
        yield connection


def _prepare(connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == _VERSION:
        return
    connection.executescript(
        "DROP TABLE IF EXISTS files; DROP TABLE IF EXISTS turns;"
        "CREATE TABLE files (key TEXT PRIMARY KEY, mtime INTEGER, size INTEGER);"
        "CREATE VIRTUAL TABLE turns USING fts5(terms, key UNINDEXED, line UNINDEXED, tokenize = 'unicode61');"
        f"PRAGMA user_version = {_VERSION};"
    )


def _follow(folder: Folder, connection: sqlite3.Connection) -> None:
    """Read the files that changed, forget those that are gone."""
    known = {key: (mtime, size) for key, mtime, size in connection.execute("SELECT key, mtime, size FROM files")}
    present = set(sessions.keys(folder).values())
    with connection:
        for key in known.keys() - present:
            _forget(connection, key)
        for key in sorted(present):
            try:
                found = folder.tree.stat(key)
                state = (found.st_mtime_ns, found.st_size) if found else None
                if state is None or known.get(key) == state:
                    continue
                raw = folder.tree.read(key) or b""
            except OSError:
                continue
            _forget(connection, key)
            rows = [(" ".join(words(each.text)), key, each.line) for each in turns(raw, folder.zone)]
            connection.executemany("INSERT INTO turns (terms, key, line) VALUES (?, ?, ?)", rows)
            connection.execute("INSERT INTO files VALUES (?, ?, ?)", (key, *state))


def _forget(connection: sqlite3.Connection, key: str) -> None:
    connection.execute("DELETE FROM turns WHERE key = ?", (key,))
    connection.execute("DELETE FROM files WHERE key = ?", (key,))
