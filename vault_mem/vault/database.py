"""What the small SQLite files beside a vault have in common."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def connected(path: Path | str, synchronous: str = "NORMAL", *, fixed: bool = False) -> sqlite3.Connection:
    """Open a database in WAL mode; `fixed`: leave its mode alone, and take the path as a URI."""
    database = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False, uri=fixed)
    if not fixed:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute(f"PRAGMA synchronous={synchronous}")
    return database


@contextmanager
def at_once(database: sqlite3.Connection) -> Iterator[None]:
    """A transaction: all of the block or nothing, while other writers wait."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        database.execute("ROLLBACK")
        raise


class NamedValues:
    """Named values in the table `meta`, as JSON."""

    _db: sqlite3.Connection

    def get(self, name: str) -> Any:
        """A value, or None."""
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return json.loads(row[0]) if row else None

    def put(self, **values: Any) -> None:
        """Record values."""
        rows = [(name, json.dumps(value)) for name, value in values.items()]
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        self._db.close()
