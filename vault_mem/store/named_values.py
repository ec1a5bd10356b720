"""Named values in a small database: what the index and the ledger record about themselves."""

from __future__ import annotations

import json
import sqlite3
from typing import Any


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
