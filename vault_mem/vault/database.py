"""What the small SQLite files beside a vault have in common."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def at_once(database: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing; other writers wait."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        database.execute("ROLLBACK")
        raise


class Facts:
    """Named values in the table `meta`, as JSON."""

    _db: sqlite3.Connection

    def get(self, name: str) -> Any:
        """A fact, or None."""
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return json.loads(row[0]) if row else None

    def put(self, **facts: Any) -> None:
        """Note facts."""
        rows = [(name, json.dumps(value)) for name, value in facts.items()]
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)
