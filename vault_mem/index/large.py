"""What a large vault needs, since LanceDB finds its candidates: figures beside the table, and indexes on it."""

from __future__ import annotations

from collections.abc import Callable

from vault_mem.index.index import Index
from vault_mem.vault.lock import locked_outside

# How long to wait for another process that fills the figures or builds the indexes.
WAIT = 600.0


def keep_facts(index: Index, progress: Callable[[int, int], None] | None) -> None:
    """Bring the figures in step with the table; they are filled again if they fell behind."""
    if index.facts.in_step(index.table):
        return
    index.table.refresh()  # another process may have written both
    if index.facts.in_step(index.table):
        return
    with locked_outside(index.lock_path, "the index", WAIT):
        index.table.refresh()
        if not index.facts.in_step(index.table):
            index.facts.fill(index.table, progress)


def get_ready(index: Index, progress: Callable[[int, int], None] | None) -> None:
    """Count and build all that a large vault needs; a small one needs nothing."""
    if index.large:
        keep_facts(index, progress)
        with locked_outside(index.lock_path, "the index", WAIT):
            index.table.refresh()
            build_indexes(index, progress)


def build_indexes(index: Index, progress: Callable[[int, int], None] | None = None) -> None:
    """Build the indexes that LanceDB searches with; the caller holds the lock. Without them, searches are slower."""
    if not index.large or index.table.indexed:
        return
    before = index.table.version
    kept = index.facts.in_step(index.table)
    index.table.build_indexes(progress)
    index.note_change(before, {})
    index.state.put(table_version=index.table.version)
    if kept:
        index.facts.keep(index.table)


def behind(index: Index) -> bool:
    """Whether LanceDB's indexes lack enough new rows that every search has to read those as well."""
    return index.large and index.table.vectors_indexed and index.facts.recent() is None
