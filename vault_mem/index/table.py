"""The LanceDB table behind a narrow door: upserts by file, queries, upkeep."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from vault_mem.index.rows import schema, to_table

NAME = "memories"
# Every commit adds a fragment that each search must open: folding them together now and then keeps searches fast.
COMMITS_BETWEEN_OPTIMIZE = 50


@functools.cache
def _session() -> Any:
    """What LanceDB keeps of the tables that a process reads: by default gigabytes, and again for each of them."""
    from vault_mem.index.lance import lancedb  # more than half of what loading everything takes

    return lancedb.Session(index_cache_size_bytes=4 << 20, metadata_cache_size_bytes=4 << 20)


class Table:
    """One table of rows; everything in it can be made again from the files."""

    def __init__(self, folder: Path, dim: int, *, create: bool) -> None:
        from vault_mem.index.lance import lancedb

        self.dim = dim
        self._version: int | None = None
        self._db = lancedb.connect(folder, session=_session())
        if create:
            self._table = self._db.create_table(NAME, schema=schema(dim), mode="overwrite")
            self._table.set_unenforced_primary_key("row")
        else:
            self._table = self._db.open_table(NAME)

    @property
    def version(self) -> int:
        """The version that is read; LanceDB takes a millisecond to tell, so it is asked after a change alone."""
        if self._version is None:
            self._version = int(self._table.version)
        return self._version

    def refresh(self) -> None:
        """Read the newest version."""
        self._table.checkout_latest()
        self._version = None

    def sound(self) -> bool:
        """Whether the table has our columns and answers a real search."""
        wanted = schema(self.dim)
        if (
            self._table.schema.names != wanted.names
            or self._table.schema.field("vector").type != wanted.field("vector").type
        ):
            return False
        probe = np.ones(self.dim, dtype=np.float32)
        self._table.search(probe, vector_column_name="vector").select(["row", "memory"]).limit(1).to_arrow()
        return True

    def add(self, rows: Sequence[dict[str, Any]]) -> None:
        """Append rows of files that are not in the table yet: for a rebuild."""
        if rows:
            self._table.add(to_table(rows, self.dim))
            self._version = None

    def upsert(self, rows: Sequence[dict[str, Any]], replaced: Iterable[str]) -> None:
        """Write rows, and remove what else the table holds of the files `replaced`, in one commit."""
        insert = self._table.merge_insert("row").when_matched_update_all().when_not_matched_insert_all()
        files = sorted(set(replaced))
        if files:
            insert = insert.when_not_matched_by_source_delete(f"file IN ({', '.join(map(quote, files))})")
        insert.execute(to_table(rows, self.dim))
        self._version = None

    def optimize(self, keep_seconds: float) -> None:
        """Fold small commits together, and drop versions older than that."""
        self._table.optimize(cleanup_older_than=timedelta(seconds=keep_seconds))
        self._version = None

    def select(self, columns: Sequence[str], where: str = "", limit: int | None = None) -> pa.Table:
        """Some columns of the rows that meet a condition."""
        query = self._table.search().select(list(columns))
        if where:
            query = query.where(where)
        return query.limit(limit).to_arrow()

    def count(self, where: str = "") -> int:
        """How many rows meet a condition."""
        return int(self._table.count_rows(where or None))


def listed(values: Iterable[str]) -> str:
    """Texts as the literals of a list in a condition; one that nothing equals where there are none."""
    return ", ".join(map(quote, sorted(values) or [""]))


def quote(value: str) -> str:
    """A text as a literal in a condition."""
    return "'" + value.replace("'", "''") + "'"
