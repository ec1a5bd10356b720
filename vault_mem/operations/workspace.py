"""What every operation works with: the folder, the model and the index of one vault, brought up to date first."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from vault_mem.embedding.calibration import SAMPLE, Calibration, refined
from vault_mem.embedding.embedder import Embedder, Vectors
from vault_mem.embedding.tokens import TokenVectors
from vault_mem.errors import Busy, Changed, EditRefused, Unsafe, VaultMemError, WriteFailed
from vault_mem.model import Memory
from vault_mem.vault import journal
from vault_mem.vault.folder import Folder
from vault_mem.vault.names import Names
from vault_mem.vault.walk import walk

if TYPE_CHECKING:
    from vault_mem.index.catalogue import Catalogue
    from vault_mem.index.graph import Graph
    from vault_mem.index.index import Index
    from vault_mem.index.shelf import Shelf
    from vault_mem.index.sync import Progress, SyncReport


T = TypeVar("T")

# A file may be saved by its owner while we change it; after so many tries something else is wrong.
TRIES = 5


@dataclass(frozen=True)
class Freshness:
    """Whether answers reflect every file as it is now, and how many files are behind if not."""

    stale: bool
    pending: int
    report: SyncReport | None = None


class Workspace:
    """One vault, open. Model and index load when first needed; `notices` are for the user, not part of any answer."""

    def __init__(self, folder: Folder, progress: Progress | None = None) -> None:
        self.folder = folder
        self.progress = progress
        self.notices: list[str] = [*folder.loaded.warnings]
        self._at_version: tuple[str, int] = ("", -1)
        self._calibration: tuple[Vectors, Calibration] | None = None
        self._shelf: tuple[tuple[str, int], Shelf] | None = None
        self._catalogue: tuple[tuple[str, int], Catalogue] | None = None

    @cached_property
    def embedder(self) -> Embedder:
        """The configured embedding model."""
        return Embedder(self.folder.settings.model)

    @cached_property
    def tokens(self) -> TokenVectors:
        """The words of the built-in model: the judge's, whatever model searches."""
        return TokenVectors(Embedder() if self.folder.settings.model else self.embedder)

    @cached_property
    def index(self) -> Index:
        """The vault's index; not brought up to date by itself."""
        from vault_mem.index.index import Index

        return Index(self.folder, self.embedder)

    @property
    def graph(self) -> Graph:
        """The links of the whole vault, as indexed."""
        from vault_mem.index.graph import Graph

        self._drop_outdated()
        if "_graph" not in self.__dict__:
            self._graph = Graph(self.index.table, self.index.state.renames())
        return self._graph

    @property
    def catalogue(self) -> Catalogue:
        """What recall looks through, in step with the index."""
        from vault_mem.index.catalogue import Catalogue

        version = (self.index.generation, self.index.table.version)
        if self._catalogue is None or self._catalogue[0] != version:
            self._catalogue = (version, Catalogue(self.index.table))
        return self._catalogue[1]

    @property
    def shelf(self) -> Shelf:
        """The memories at hand, in step with the index."""
        from vault_mem.index.shelf import Shelf

        version = (self.index.generation, self.index.table.version)
        if self._shelf is None or self._shelf[0] != version:
            self._shelf = (version, Shelf(self.index.table))
        return self._shelf[1]

    @property
    def calibration(self) -> Calibration:
        """What a cosine means in this vault: the model's calibration, refined by a sample of the memories."""
        return self.calibrated(self.shelf)

    def calibrated(self, shelf: Shelf) -> Calibration:
        """The calibration where the shelf is at hand: asking the table for its version takes a while."""
        sample = shelf.sample(SAMPLE)
        if self._calibration is None or self._calibration[0] is not sample:
            self._calibration = (sample, refined(self.index.calibration, sample))
        return self._calibration[1]

    def _take_over(self, report: SyncReport) -> None:
        """Keep the shelf in step after our own writes, instead of filling it anew."""
        if self._shelf is not None and not report.rebuilt and report.files:
            (generation, _), shelf = self._shelf
            if generation == self.index.generation:
                shelf.update(self.index.table, report.files)
                self._shelf = ((generation, self.index.table.version), shelf)
        if self._catalogue is not None and not report.rebuilt and report.files:
            (generation, _), catalogue = self._catalogue
            if generation == self.index.generation and not catalogue.worn:
                catalogue.update(self.index.table, report.files)
                self._catalogue = ((generation, self.index.table.version), catalogue)

    def _drop_outdated(self) -> None:
        version = (self.index.generation, self.index.table.version)
        if version != self._at_version:
            self.__dict__.pop("_graph", None)
            self._at_version = version

    @property
    def names(self) -> Names:
        """What links call the notes of the vault."""
        return Names(self.index.state.states())

    def freshen(self) -> Freshness:
        """Bring the index up to date with the files, and do what waited for a file to be quiet."""
        if journal.pending(self.folder):
            self._recover()
        self._finish_purges()
        freshness = self.sync()
        if not freshness.stale and self._in_quiet_time():
            freshness = self.sync()
        return freshness

    def _in_quiet_time(self) -> bool:
        """Do what nobody asked for but the settings; whether a note was written."""
        from vault_mem.operations.adopt import adopt
        from vault_mem.operations.heal import heal
        from vault_mem.operations.private import move_flagged
        from vault_mem.operations.review import apply_ticked
        from vault_mem.operations.views import follow_files

        written = [*adopt(self), *move_flagged(self), *heal(self), *apply_ticked(self)]
        follow_files(self)
        return bool(written)

    def sync(self, only: Sequence[str] | None = None) -> Freshness:
        """Bring the index up to date; where another process is busy with it, say what is behind instead."""
        from vault_mem.index.index import NO_INDEX
        from vault_mem.index.sync import difference, sync

        try:
            report = sync(self.index, only=only, progress=self.progress)
        except Busy:
            if self.index.table is None:
                raise
            return Freshness(stale=True, pending=len(difference(self.index, walk(self.folder))))
        except (OSError, RuntimeError, WriteFailed) as error:
            reason = error.message if isinstance(error, WriteFailed) else str(error).splitlines()[0][:200]
            if self.index.table is None or self.index.open():
                if isinstance(error, WriteFailed):
                    raise
                raise WriteFailed(f"the index cannot be written: {reason}", "check space and permissions") from error
            self.notices.append(f"the index cannot be brought up to date: {reason}")
            return Freshness(stale=True, pending=len(difference(self.index, walk(self.folder))))
        self._take_over(report)
        if report.rebuilt and report.rebuilt != NO_INDEX:
            self.notices.append(f"index rebuilt: {report.rebuilt}")
        return Freshness(stale=False, pending=0, report=report)

    def quiet_file(self, key: str) -> bool:
        """Whether nobody has touched a file for a while."""
        try:
            result = self.folder.path(key).lstat()
        except OSError:
            return False
        return time.time() - max(result.st_mtime, result.st_ctime) >= self.folder.settings.quiet_seconds

    def rebuild(self) -> None:
        """Build the index anew from the files; nothing of the old one is left."""
        from vault_mem.index.sync import sync

        sync(self.index, rebuild=True, progress=self.progress)

    def reading(self, look: Callable[[], T]) -> T:
        """What `look` finds in the index; where that turns out to be damaged, it is built anew and looked at again."""
        try:
            return look()
        except (OSError, RuntimeError, ValueError):
            self.rebuild()
            self.notices.append("index rebuilt: it was damaged")
            return look()

    def _finish_purges(self) -> None:
        if not (self.folder.own / "purging").is_dir() or self.folder.writing:
            return
        from vault_mem.operations.purge import finish, unfinished

        if unfinished(self.folder):
            with journal.writing(self.folder):
                finish(self)

    def _recover(self) -> None:
        try:
            with journal.writing(self.folder):
                pass
        except VaultMemError as error:
            self.notices.append(f"an interrupted operation could not be finished: {error.message}")

    def changing(self, act: Callable[[], T]) -> T:
        """Hold the vault for writing and act; where a file was saved in the same moment, look again and act again."""
        with journal.writing(self.folder):
            for _ in range(TRIES - 1):
                try:
                    return act()
                except Changed:
                    continue
            return act()

    def to_change(self, id_: str) -> Memory:
        """A memory that an operation is about to change, as its file is now."""
        if self.freshen().stale:
            raise Unsafe("the index is busy", "try again in a moment")
        return self.index.get(id_)

    def done(self, transaction: journal.Transaction) -> None:
        """Let the index follow what an operation has written; where it cannot, the files are right all the same."""
        state = self.index.state
        # What was edited by hand, and is not yet in the views, is still to be followed after our own edit.
        behind = None if state is None else {known.key for known in state.unfollowed()}
        self.sync(only=transaction.notes)
        if behind is not None:
            self.index.state.follow(key for key in transaction.notes if key not in behind)
        self.notices += transaction.notices

    def read_to_remove(self, memory: Memory) -> bytes:
        """The bytes of a memory's file, if the tool may take it away; it need not be sound."""
        if not self.folder.is_note(memory.path):
            raise EditRefused(f"{memory.path} is an included note, read-only for vault-mem", "delete it yourself")
        return self._bytes(memory)

    def read_to_edit(self, memory: Memory) -> bytes:
        """The bytes of a memory's file, if the tool may change it at all."""
        if not self.folder.is_owned(memory.path):
            raise EditRefused(f"{memory.path} is an included note, read-only for vault-mem", "edit it yourself")
        known = self.index.state.files([memory.path]).get(memory.path)
        if known is not None and known.problems != "[]":
            reason = "it could not be read whole" if memory.private else json.loads(known.problems)[0][0]
            raise EditRefused(f"{memory.path} is left alone: {reason}", "correct the file first (vault-mem doctor)")
        return self._bytes(memory)

    def _bytes(self, memory: Memory) -> bytes:
        try:
            return self.folder.path(memory.path).read_bytes()
        except OSError as error:
            raise Changed(f"{memory.path} cannot be read: {error.strerror}", "was it moved? Try again") from error
