"""The LanceDB table behind a narrow door: upserts by file, vector and full-text queries, upkeep."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("LANCEDB_LOG", "error")  # its warnings are for developers, not for our users

import lancedb
import pyarrow as pa
from lancedb.index import FTS
from lancedb.query import MatchQuery

from vault_mem.embedding.embedder import Vectors
from vault_mem.index.rows import schema, to_table

NAME = "memories"
# Every commit adds a fragment that each search must open: folding them together now and then keeps searches fast.
COMMITS_BETWEEN_OPTIMIZE = 50
# What LanceDB keeps of the tables that a process reads: by default gigabytes, and for each table opened anew.
_SESSION = lancedb.Session(index_cache_size_bytes=48 << 20, metadata_cache_size_bytes=24 << 20)


class Table:
    """One table of rows; everything in it can be made again from the files."""

    def __init__(self, folder: Path, dim: int, *, create: bool) -> None:
        self.dim = dim
        self._db = lancedb.connect(folder, session=_SESSION)
        if create:
            self._table = self._db.create_table(NAME, schema=schema(dim), mode="overwrite")
            self._table.set_unenforced_primary_key("row")
        else:
            self._table = self._db.open_table(NAME)

    @property
    def version(self) -> int:
        """The version that is read."""
        return int(self._table.version)

    def refresh(self) -> None:
        """Read the newest version."""
        self._table.checkout_latest()

    def sound(self) -> bool:
        """Whether the table has our columns and answers a real search."""
        wanted = schema(self.dim)
        if (
            self._table.schema.names != wanted.names
            or self._table.schema.field("vector").type != wanted.field("vector").type
        ):
            return False
        probe = np.ones(self.dim, dtype=np.float32)
        self.nearest(probe, 1, "")
        self._table.search().select(["row", "memory"]).limit(1).to_arrow()
        return True

    def add(self, rows: Sequence[dict[str, Any]]) -> None:
        """Append rows of files that are not in the table yet: for a rebuild."""
        if rows:
            self._table.add(to_table(rows, self.dim))

    def upsert(self, rows: Sequence[dict[str, Any]], replaced: Iterable[str]) -> None:
        """Write rows, and remove what else the table holds of the files `replaced`, in one commit."""
        insert = self._table.merge_insert("row").when_matched_update_all().when_not_matched_insert_all()
        files = sorted(set(replaced))
        if files:
            insert = insert.when_not_matched_by_source_delete(f"file IN ({', '.join(map(quote, files))})")
        insert.execute(to_table(rows, self.dim))

    def index_text(self) -> None:
        """Build the full-text index: Japanese and English words, found offline."""
        config = FTS(base_tokenizer="icu/split", stem=True, remove_stop_words=False, ascii_folding=True)
        self._table.create_index("text", config=config)

    def optimize(self, keep_seconds: float) -> None:
        """Fold small commits together, bring the full-text index up to date, drop versions older than that."""
        self._table.optimize(cleanup_older_than=timedelta(seconds=keep_seconds))

    def nearest(self, vector: Vectors, count: int, where: str) -> list[dict[str, Any]]:
        """The rows nearest by cosine, whole memories and passages alike: row, file, n, id, cosine."""
        query = self._table.search(vector, vector_column_name="vector").distance_type("cosine")
        if where:
            query = query.where(where, prefilter=True)
        found = query.select(["row", "file", "n", "id", "_distance"]).limit(count).to_list()
        for row in found:
            row["cosine"] = 1.0 - row.pop("_distance")
        return sorted(found, key=lambda row: (-row["cosine"], row["row"]))

    def matching(self, text: str, count: int, where: str) -> list[dict[str, Any]]:
        """Rows that full text finds: row, file, n, id. The order is not to be relied on."""
        query = self._table.search(MatchQuery(text, "text"))
        if where:
            query = query.where(where, prefilter=True)
        return list(query.select(["row", "file", "n", "id", "_score"]).limit(count).to_list())

    def select(self, columns: Sequence[str], where: str = "", limit: int | None = None) -> pa.Table:
        """Some columns of the rows that meet a condition."""
        query = self._table.search().select(list(columns))
        if where:
            query = query.where(where)
        return query.limit(limit).to_arrow()

    def count(self, where: str = "") -> int:
        """How many rows meet a condition."""
        return int(self._table.count_rows(where or None))


def quote(value: str) -> str:
    """A text as a literal in a condition."""
    return "'" + value.replace("'", "''") + "'"
