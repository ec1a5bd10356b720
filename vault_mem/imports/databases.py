"""Reading another tool's SQLite database, without changing it or waiting for its owner."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from vault_mem.errors import InvalidInput


def rows(database: Path, query: str, *values: Any) -> Iterator[sqlite3.Row]:
    """The rows of a query."""
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True, timeout=1)) as connection:
            connection.row_factory = sqlite3.Row
            yield from connection.execute(query, values)
    except sqlite3.Error as error:
        raise InvalidInput(f"{database} cannot be read: {error}", "is it the database of another version?") from error


def database_at(path: Path, name: str) -> Path:
    """A database, given by its own path or by the folder that it is in."""
    return path / name if path.is_dir() else path


def has_table(database: Path, *names: str) -> bool:
    """Whether a file is a database with these tables."""
    try:
        with database.open("rb") as file:
            if file.read(16) != b"SQLite format 3\0":
                return False
        found = {row["name"] for row in rows(database, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    except (OSError, InvalidInput):
        return False
    return set(names) <= found
