"""The LanceDB table behind a narrow door: upserts by file, queries, upkeep."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from vault_mem.embedding.embedder import Vectors
from vault_mem.index.known import MEMORY, NOTE
from vault_mem.index.rows import schema, to_table

TABLE_NAME = "memories"
ROW_ID = "_rowid"  # LanceDB's column for its own id of a row
# Folding moves rows. With this option they keep their row ids, so indexes and figures stay valid.
_STABLE_ROW_IDS = "new_table_enable_stable_row_ids"
# Every commit adds a fragment that each search must open, so they are folded together: after a few commits, or, in a
# table of MANY_ROWS, where folding rewrites more, after MORE_COMMITS.
COMMITS_BETWEEN_OPTIMIZE = 10
MANY_ROWS, MORE_COMMITS = 1_000, 50
# How many partitions of the vector index a search looks into.
PARTITIONS_PROBED = 40
_ROWS_AT_ONCE = 4_096  # rows read at a time
# With fewer vectors, comparing them one by one is as fast.
FEWEST_VECTORS = 5_000


@functools.cache
def _session() -> Any:
    """The caches for all tables of a process: by default LanceDB would keep gigabytes, for each table."""
    from vault_mem.index.lance import lancedb  # here, because importing it is more than half of all loading time

    # the indexes of a million memories must fit, or every search reads them again; small vaults have none
    return lancedb.Session(index_cache_size_bytes=448 << 20, metadata_cache_size_bytes=4 << 20)


class Search(NamedTuple):
    """A search for words (by LanceDB's BM25) or a vector (by cosine), with a condition and a number of rows."""

    wanted: str | Vectors
    where: str
    most: int


class Table:
    """One table of rows; everything in it can be made again from the files."""

    def __init__(self, folder: Path, dim: int, *, create: bool) -> None:
        from vault_mem.index.lance import connect

        self.dim = dim
        self._version: int | None = None
        self._rows = (-1, 0)
        self._session = _session()
        self._db = connect(self, folder, self._session)
        if create:
            self._table = self._db.create_table(
                TABLE_NAME, schema=schema(dim), mode="overwrite", storage_options={_STABLE_ROW_IDS: "true"}
            )
            self._table.set_unenforced_primary_key("row")
        else:
            self._table = self._db.open_table(TABLE_NAME)

    @property
    def version(self) -> int:
        """The version being read; cached, since LanceDB takes a millisecond to tell."""
        if self._version is None:
            self._version = int(self._table.version)
        return self._version

    @property
    def rows(self) -> int:
        """How many rows there are; cached for each version."""
        if self._rows[0] != self.version:
            self._rows = (self.version, int(self._table.count_rows()))
        return self._rows[1]

    def refresh(self) -> None:
        """Read the newest version."""
        self._table.checkout_latest()
        self._version = None

    def sound(self) -> bool:
        """Whether the table has our columns and a first row can be read; other damage shows when it is met."""
        from lancedb.background_loop import LOOP

        async def sound() -> bool:
            table, wanted = self._table._table, schema(self.dim)
            there = await table.schema()
            if there.names != wanted.names or there.field("vector").type != wanted.field("vector").type:
                return False
            await table.query().select(["row", "memory", "vector"]).limit(1).to_arrow()  # half the time of a search
            return True

        return bool(LOOP.run(sound()))

    def add(self, rows: Sequence[dict[str, Any]] | pa.Table) -> None:
        """Append rows of files that are not in the table yet: for a rebuild."""
        if len(rows):
            self._table.add(rows if isinstance(rows, pa.Table) else to_table(rows, self.dim))
            self._version = None

    def upsert(self, rows: Sequence[dict[str, Any]], replaced: Iterable[str]) -> None:
        """Write rows, and remove all others that the files in `replaced` have, in one commit."""
        theirs = f"file IN ({listed(set(replaced))})"
        if rows:
            insert = self._table.merge_insert("row").when_matched_update_all().when_not_matched_insert_all()
            insert.when_not_matched_by_source_delete(theirs).execute(to_table(rows, self.dim))
        else:
            self._table.delete(theirs)  # takes a fifth of the time
        self._version = None

    def optimize(self, keep_seconds: float) -> None:
        """Fold small commits together, and drop versions older than that."""
        self._table.optimize(cleanup_older_than=timedelta(seconds=keep_seconds))
        self._version = None

    def select(self, columns: Sequence[str], where: str = "", limit: int | None = None) -> pa.Table:
        """Some columns of the rows that meet a condition."""
        from lancedb.background_loop import LOOP

        query = self._table._table.query().select(list(columns))  # the sync API would ask for the schema each time
        query = query.where(where) if where else query
        return LOOP.run((query if limit is None else query.limit(limit)).to_arrow())

    def stream(self, columns: Sequence[str], where: str) -> Iterator[pa.RecordBatch]:
        """The rows that meet a condition, some thousands at a time."""
        yield from self._table.search().select(list(columns)).where(where).limit(None).to_batches(_ROWS_AT_ONCE)

    def batches(self, columns: Sequence[str], where: str, size: int) -> Iterator[list[dict[str, Any]]]:
        """The rows that meet a condition, with their row ids, about `size` at a time; a file's rows come together."""
        left: list[dict[str, Any]] = []
        asked = self._table.search().select(list(columns)).where(where).limit(None).with_row_id(True)
        for batch in asked.to_batches(size):
            left += rows_in(pa.Table.from_batches([batch]))
            if len(left) >= size:
                last = next(at for at in range(len(left) - 1, -1, -1) if left[at]["file"] != left[-1]["file"]) + 1
                yield left[:last]
                left = left[last:]
        yield left

    def row_ids(self, where: str) -> tuple[list[str], list[int]]:
        """The files of the rows that meet a condition, and LanceDB's id of each row."""
        found = self._table.search().select(["file"]).where(where).limit(None).with_row_id(True).to_arrow()
        return found.column("file").to_pylist(), found.column(ROW_ID).to_pylist()

    def find(self, searches: Sequence[Search], *, indexed_only: bool = False) -> list[list[int]]:
        """LanceDB's ids of the rows that each search finds, best first; all searches run at once.

        Only ids, since reading more of the rows takes LanceDB twice as long as finding them. `indexed_only` skips
        commits that no index covers yet: searching them takes as long again.
        """
        from lancedb.background_loop import LOOP

        async def all_of_them() -> list[pa.Table]:
            return await asyncio.gather(*(self._finding(search, indexed_only) for search in searches))

        return [found.column(ROW_ID).to_pylist() for found in LOOP.run(all_of_them())] if searches else []

    async def _finding(self, search: Search, indexed_only: bool) -> pa.Table:
        from lancedb.query import MatchQuery

        query = self._table._table.query()
        if isinstance(search.wanted, str):
            query = query.nearest_to_text(MatchQuery(search.wanted, "terms")).select(["_score"])
        else:
            query = query.nearest_to(search.wanted).column("vector").distance_type("cosine").nprobes(PARTITIONS_PROBED)
            query = query.select(["_distance"])
        query = query.where(search.where) if search.where else query
        query = query.fast_search() if indexed_only else query
        return await query.with_row_id().limit(search.most).to_arrow()

    @property
    def indexed(self) -> bool:
        """Whether words and columns have indexes, and vectors if there are enough of them."""
        wanted = {"terms", "file"} | ({"vector"} if self.rows >= FEWEST_VECTORS else set())
        return self._indexed_columns >= wanted

    @property
    def vectors_indexed(self) -> bool:
        """Whether vectors have an index; if there are few, they do not need one."""
        return "vector" in self._indexed_columns

    @property
    def _indexed_columns(self) -> set[str]:
        return {each.columns[0] for each in self._table.list_indices()}

    def build_indexes(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Build the missing indexes; that of the vectors takes longest."""
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
        if self.rows >= FEWEST_VECTORS:
            wanted["vector"] = IvfSq(distance_type="cosine")
        there = self._indexed_columns
        if not there:  # a rebuild leaves many small files, and every search would open them all
            self.optimize(60)
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
    vectors = vectors_in(found.column("vector"))
    return [{**row, "vector": vectors[n]} for n, row in enumerate(found.drop_columns("vector").to_pylist())]


def vectors_in(column: pa.ChunkedArray) -> Vectors:
    """The vectors of an Arrow column as the rows of a matrix."""
    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat.reshape(len(column), column.type.list_size), dtype=np.float32)


def listed(values: Iterable[str]) -> str:
    """Texts as a list of literals for a condition; if there are none, a literal that nothing equals."""
    return ", ".join(map(quote, sorted(values) or [""]))


def quote(value: str) -> str:
    """A text as a literal in a condition."""
    return "'" + value.replace("'", "''") + "'"


# The rows that recall looks through: those of memories and included notes, not of episodes.
SEARCHED = f"type IN ({listed((MEMORY, NOTE))})"
