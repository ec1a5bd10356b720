"""What the small SQLite files beside a vault have in common."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


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
