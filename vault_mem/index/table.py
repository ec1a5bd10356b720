"""The LanceDB table behind a narrow door: upserts by file, queries, upkeep."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from vault_mem.embedding.embedder import Vectors
from vault_mem.index.rows import schema, to_table

NAME = "memories"
# Every commit adds a fragment that each search must open: folding them together now and then keeps searches fast.
COMMITS_BETWEEN_OPTIMIZE = 50
# How many parts of the vector index are looked into.
PROBES = 40
# Fewer vectors are compared one by one as fast.
FEWEST_VECTORS = 5_000


@functools.cache
def _session() -> Any:
    """What LanceDB keeps of the tables that a process reads: by default gigabytes, and again for each of them."""
    from vault_mem.index.lance import lancedb  # more than half of what loading everything takes

    # the indexes of a large vault have to fit, or every search reads them again; a small one has none
    return lancedb.Session(index_cache_size_bytes=192 << 20, metadata_cache_size_bytes=4 << 20)


class Table:
    """One table of rows; everything in it can be made again from the files."""

    def __init__(self, folder: Path, dim: int, *, create: bool) -> None:
        from vault_mem.index.lance import lancedb

        self.dim = dim
        self._version: int | None = None
        self._rows = (-1, 0)
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

    @property
    def rows(self) -> int:
        """How many rows there are, asked once for a version."""
        if self._rows[0] != self.version:
            self._rows = (self.version, int(self._table.count_rows()))
        return self._rows[1]

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

    def add(self, rows: Sequence[dict[str, Any]] | pa.Table) -> None:
        """Append rows of files that are not in the table yet: for a rebuild."""
        if len(rows):
            self._table.add(rows if isinstance(rows, pa.Table) else to_table(rows, self.dim))
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

    def batches(self, columns: Sequence[str], where: str, size: int) -> Iterator[list[dict[str, Any]]]:
        """The rows that meet a condition, about that many at a time; those of one file come together."""
        left: list[dict[str, Any]] = []
        for batch in self._table.search().select(list(columns)).where(where).limit(None).to_batches(size):
            left += rows_in(pa.Table.from_batches([batch]))
            if len(left) >= size:
                last = next(at for at in range(len(left) - 1, -1, -1) if left[at]["file"] != left[-1]["file"]) + 1
                yield left[:last]
                left = left[last:]
        yield left

    def nearest(self, vector: Vectors, where: str, count: int) -> dict[str, int]:
        """The files and numbers of the rows of the highest cosine to a vector; those not yet in an index too."""
        query = self._table.search(vector, vector_column_name="vector").distance_type("cosine").nprobes(PROBES)
        return self._found(query, "_distance", where, count)

    def matching(self, words: str, where: str, count: int) -> dict[str, int]:
        """The files and numbers of the rows that have some of the words, by LanceDB's BM25."""
        from lancedb.query import MatchQuery

        return self._found(self._table.search(MatchQuery(words, "terms"), query_type="fts"), "_score", where, count)

    def _found(self, query: Any, order: str, where: str, count: int) -> dict[str, int]:
        query = query.where(where, prefilter=True) if where else query
        found = query.with_row_id(True).select(["file", order]).limit(count).to_arrow()
        return dict(zip(found.column("file").to_pylist(), found.column("_rowid").to_pylist(), strict=True))

    def take(self, columns: Sequence[str], numbers: Sequence[int]) -> pa.Table:
        """The rows of these numbers, which are good for one version of the table."""
        return self._table.take_row_ids(list(numbers)).select(list(columns)).to_arrow()

    @property
    def indexed(self) -> bool:
        """Whether words, vectors and columns have indexes."""
        return {each.columns[0] for each in self._table.list_indices()} >= {"terms", "file"}

    def build_indexes(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Make the indexes that are missing; the longest work is the vectors'."""
        from lancedb.index import FTS, Bitmap, BTree, IvfSq, LabelList

        text = FTS(
            base_tokenizer="whitespace",
            stem=False,
            remove_stop_words=False,
            ascii_folding=False,
            lower_case=False,
            max_token_length=None,
        )
        wanted: dict[str, Any] = {"file": BTree(), "created": BTree(), "id": BTree(), "terms": text}
        wanted |= {"kind": Bitmap(), "category": Bitmap(), "emotion": Bitmap(), "private": Bitmap(), "type": Bitmap()}
        wanted |= {"tags": LabelList(), "people": LabelList()}
        if self.count() >= FEWEST_VECTORS:
            wanted["vector"] = IvfSq(distance_type="cosine")
        there = {each.columns[0] for each in self._table.list_indices()}
        for number, (column, config) in enumerate(wanted.items(), 1):
            if column not in there:
                self._table.create_index(column, config=config)
                self._version = None
            if progress is not None:
                progress(number, len(wanted))

    def count(self, where: str = "") -> int:
        """How many rows meet a condition."""
        return int(self._table.count_rows(where or None))


def rows_in(found: pa.Table) -> list[dict[str, Any]]:
    """The rows of an Arrow table, their vectors as arrays."""
    vectors = vectors_in(found)
    return [{**row, "vector": vectors[n]} for n, row in enumerate(found.drop_columns("vector").to_pylist())]


def vectors_in(found: pa.Table) -> Vectors:
    """The vectors of an Arrow table, one below the other."""
    column = found.column("vector")
    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat.reshape(found.num_rows, column.type.list_size), dtype=np.float32)


def listed(values: Iterable[str]) -> str:
    """Texts as the literals of a list in a condition; one that nothing equals where there are none."""
    return ", ".join(map(quote, sorted(values) or [""]))


def quote(value: str) -> str:
    """A text as a literal in a condition."""
    return "'" + value.replace("'", "''") + "'"
