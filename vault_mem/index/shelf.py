"""The one catalogue that all workspaces of a process share, kept in step with what any of them writes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from vault_mem.index.changes import Changes

if TYPE_CHECKING:
    from vault_mem.index.catalogue import Catalogue
    from vault_mem.index.index import Index
    from vault_mem.index.row_cache import RowCache


class Shelf:
    """Lends the catalogue to one thread at a time; a borrower with a newer index brings it up to date."""

    def __init__(self) -> None:
        self.changes = Changes()
        self._lock = threading.RLock()
        self._catalogue: Catalogue | None = None
        self._generation, self._version = "", -1

    @cached_property
    def row_cache(self) -> RowCache:
        """A cache of the rows that queries came across, if not all are at hand."""
        from vault_mem.index.row_cache import RowCache

        return RowCache(self.changes)

    @contextmanager
    def lent(self, index: Index) -> Iterator[Catalogue]:
        """The catalogue, of the same age as the index; it is the caller's alone until the block ends."""
        from vault_mem.index.catalogue import Catalogue
        from vault_mem.index.links import Names

        if index.large:  # a large vault's memories are loaded only for this block, without vectors
            catalogue = Catalogue.of_all(index.table, searched=False)
            catalogue.names = Names(index.state)
            yield catalogue
            return
        with self._lock:
            kept = self._in_step(index)
            if kept is None or kept.must_refill:
                version = index.table.version
                self._catalogue = kept = None  # first, so that there are never two in memory
                self._catalogue = kept = Catalogue.of_all(index.table)
                self._generation, self._version = index.generation, version
            kept.names = Names(index.state)
            yield kept

    def renew(self) -> None:
        """Drop a catalogue after many single changes; the next borrower fills a new one."""
        with self._lock:
            if self._catalogue is not None and self._catalogue.refill_pays:
                self._catalogue = None

    def _in_step(self, index: Index) -> Catalogue | None:
        """The catalogue of this index, brought to the same version; None if there is none."""
        if self._catalogue is None or self._generation != index.generation:
            return None
        if index.table.version < self._version:  # otherwise the catalogue would have rows that the table does not
            index.table.refresh()
        version = index.table.version
        if version > self._version:
            changed = self.changes.between(self._generation, self._version, version)
            if changed is None:  # another process wrote it
                changed = dict.fromkeys(self._catalogue.differing(index.table))
            self._catalogue.update(index.table, changed)
            self._version = version
        return self._catalogue
