"""What every operation works with: the folder, the model and the index of one vault, brought up to date first."""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

from vault_mem.embedding.calibration import Calibration
from vault_mem.embedding.embedder import Embedder
from vault_mem.embedding.tokens import TokenVectors
from vault_mem.errors import Busy, Changed, EditRefused, Unsafe, VaultMemError, WriteFailed, of_system
from vault_mem.index.shelf import Shelf
from vault_mem.model import Memory
from vault_mem.notes.parse import parse
from vault_mem.vault import clock, journal, own
from vault_mem.vault.folder import OWN, Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.steps import FileStep
from vault_mem.vault.walk import RACY_NS, FileState, has_stub, look_at, state_of, walk

if TYPE_CHECKING:
    from vault_mem.index.catalogue import Catalogue
    from vault_mem.index.graph import Graph
    from vault_mem.index.index import Index
    from vault_mem.index.links import Names
    from vault_mem.index.state import Known
    from vault_mem.index.sync import Progress, SyncReport


T = TypeVar("T")
# A read answers from what is there, and says that it is behind, rather than wait longer for another's sync; it hardly
# waits at all for one that rebuilds the index or takes in a whole checkout.
READ_WAIT, LONG_WORK_WAIT = 3.0, 0.1
# From this many changed files on, listing the whole vault costs less than looking at each.
MANY = 500

# A file may be saved by its owner while we change it; after this many tries something else is wrong.
TRIES = 5


@dataclass(frozen=True)
class Freshness:
    """Whether answers reflect every file as it is now, and how many files are behind if not."""

    stale: bool
    pending: int
    report: SyncReport | None = None


def _reason(error: Exception) -> str:
    """Why the index could not be written."""
    ours = error if isinstance(error, VaultMemError) else of_system(error)
    return ours.message if ours else type(error).__name__


@dataclass(frozen=True)
class Pending:
    """Files that may have changed since they were indexed; `everything` where nobody can say which.

    `ours` are those among them that an operation wrote, views and all.
    """

    keys: frozenset[str] = frozenset()
    ours: frozenset[str] = frozenset()
    everything: bool = False
    serial: int = 0


class Watch(Protocol):
    """Somebody who watches the files all the time, so that a command need not look at all of them."""

    def settle(self) -> Pending:
        """What is not indexed yet, after every change made before this call was heard of."""

    def done(self, pending: Pending) -> None:
        """That much has been indexed."""

    def written(self, keys: Iterable[str]) -> None:
        """These files were just written by us; they will be indexed at once, or by the next command."""

    def cleared(self) -> dict[str, FileState]:
        """Private notes whose flag it has itself seen go from true to false, as they were then."""


class Workspace:
    """One vault, open. Model and index load when first needed; `notices` are for the user, not part of any answer.

    A workspace is used by one thread at a time. A process that answers many keeps several, each made `like` the first:
    they share the model and, on the `shelf`, the memories at hand.
    """

    watch: Watch | None = None
    is_fresh = False  # the index has been brought up to date for the command that is running
    commits_between_folding: int | None = None  # of the table, by a command; whoever has quiet moments folds then
    held_still = False  # the files are taken as the index knows them: by whoever holds the vault and looks now and then

    def __init__(self, folder: Folder, progress: Progress | None = None, like: Workspace | None = None) -> None:
        self.folder = folder
        self.progress = progress
        self.notices = folder.notices
        self.shelf: Shelf = like.shelf if like else Shelf()
        if like is not None:
            self.embedder, self.tokens = like.embedder, like.tokens
        self._journal_seen = -1

    def reuse(self, folder: Folder, progress: Progress | None) -> None:
        """Begin another command on the same vault: its clock, settings and progress, our model, index and caches."""
        self.folder = folder
        self.progress = progress
        self.notices = folder.notices
        self.is_fresh = False
        if "index" in self.__dict__:
            self.index.folder = folder

    def close(self) -> None:
        """Let go of the index's files."""
        if "index" in self.__dict__:
            self.index.close()

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

        return Index(self.folder, self.embedder, self.shelf.changes)

    @property
    def graph(self) -> Graph:
        """The links of the whole vault, as indexed."""
        from vault_mem.index.graph import Graph

        return Graph(self.index.state)

    def at_hand(self) -> AbstractContextManager[Catalogue]:
        """The memories as indexed, in memory; other threads wait for them until the block ends."""
        return self.shelf.lent(self.index)

    @property
    def calibration(self) -> Calibration:
        """What a cosine means in this vault: the model's calibration, refined by a sample of the memories."""
        from vault_mem.index.sample import sample

        with self.at_hand() as catalogue:
            return sample(catalogue).calibration(self.index.calibration)

    @property
    def names(self) -> Names:
        """What links call the files of the vault: its notes as indexed, all others as they are."""
        from vault_mem.index.links import Names

        return Names(self.index.state, self.folder)

    def freshen(self, *, scan: bool = False) -> Freshness:
        """Bring the index up to date with the files; no note is written for it (`quiet.settle` does what waits).

        Where the files are watched, only those that changed are looked at, unless a `scan` of all is asked for.
        """
        if self.held_still:
            return Freshness(stale=False, pending=0)
        own.vet(self.folder)
        if self._interrupted():
            self._recover()
        self._finish_purges()
        wait = None if self.folder.writing else READ_WAIT
        if self.watch is None:
            freshness = self.sync(wait=wait)
            self.is_fresh = not freshness.stale
            return freshness
        pending = self.watch.settle()
        everything = scan or pending.everything or len(pending.keys) > MANY
        behind = self._behind_in_views() if pending.ours else None
        freshness = self.sync(None if everything else self._unless_many_are_gone(pending.keys), wait)
        if not freshness.stale:
            self._follow(pending.ours, behind)
            self.watch.done(pending)
        return freshness

    def _unless_many_are_gone(self, keys: Iterable[str]) -> list[str] | None:
        """The files to look at; None, all of them, where so many are gone that it may be a disk and not a deletion."""
        from vault_mem.index.sync import MASS_LOSS

        changed = sorted(keys)
        gone = sum(not self.folder.tree.exists(key) for key in changed) if len(changed) >= MASS_LOSS else 0
        return changed if gone < MASS_LOSS else None

    def sync(self, only: Sequence[str] | None = None, wait: float | None = None) -> Freshness:
        """Bring the index up to date; where another process is busy with it, say what is behind instead."""
        from vault_mem.index.index import NO_INDEX
        from vault_mem.index.sync import LOCK_WAIT, busy_at_length, sync

        if wait is None or self.index.table is None:
            wait = LOCK_WAIT
        elif busy_at_length(self.index):
            wait = LONG_WORK_WAIT
        try:
            report = sync(
                self.index, only=only, progress=self.progress, wait=wait, commits=self.commits_between_folding
            )
        except Busy:
            if self.index.table is None:
                raise
            return self._behind(only)
        except (OSError, RuntimeError, ValueError, sqlite3.Error, WriteFailed) as error:
            reason = _reason(error)
            if self.index.table is None or self.index.open():
                if isinstance(error, WriteFailed):
                    raise
                raise WriteFailed(f"the index cannot be written: {reason}", "check space and permissions") from error
            self.notices.append(f"the index cannot be brought up to date: {reason}")
            return self._behind(only)
        if report.rebuilt and report.rebuilt != NO_INDEX:
            self.notices.append(f"index rebuilt: {report.rebuilt}")
        return Freshness(stale=False, pending=0, report=report)

    def tell_astray(self) -> None:
        """Say once which memories were moved to where they are not searched (SPEC O-5)."""
        state = self.index.state if "index" in self.__dict__ else None
        if state is not None and state.get("astray_untold"):
            from vault_mem.index.astray import still_astray, told

            self.notices += told(self.folder, still_astray(self.folder, state).values())
            if not state.fixed:
                state.put(astray_untold=False)

    def quiet(self, known: Known | FileState) -> bool:
        """Whether nobody has touched a file for a while, by what is known of it."""
        return clock.since(max(known.mtime_ns, known.ctime_ns) / 1e9) >= self.folder.settings.quiet_seconds

    def quiet_file(self, key: str) -> bool:
        """Whether nobody has touched a file for a while, as it is now."""
        try:
            found = self.folder.tree.stat(key)
        except OSError:
            return False
        return found is not None and self.quiet(state_of(found))

    def _behind(self, only: Sequence[str] | None) -> Freshness:
        from vault_mem.index.sync import difference

        listing = walk(self.folder) if only is None else look_at(self.folder, only)
        return Freshness(stale=True, pending=len(difference(self.index, listing, only)))

    def rebuild(self) -> SyncReport:
        """Rebuild the index from the files; nothing of the old one is left."""
        from vault_mem.index.sync import sync

        return sync(self.index, rebuild=True, progress=self.progress)

    def reading(self, look: Callable[[], T]) -> T:
        """What `look` finds in the index; where that turns out to be damaged, it is rebuilt and looked at again."""
        try:
            return look()
        except (OSError, RuntimeError, ValueError, sqlite3.Error):
            try:
                if not self.index.open():  # what we were reading may have been replaced or folded away meanwhile
                    return look()
            except (OSError, RuntimeError, ValueError, sqlite3.Error):
                pass
            self.rebuild()
            self.notices.append("index rebuilt: it was damaged")
            return look()

    def _finish_purges(self) -> None:
        if self.folder.writing or not self.folder.tree.exists(f"{OWN}/purging"):
            return
        from vault_mem.operations.upkeep.purge import finish, unfinished

        if unfinished(self.folder):
            with journal.writing(self.folder):
                finish(self)

    def _interrupted(self) -> bool:
        """Whether an operation did not end, or late words may have come; the journal is listed if it has changed."""
        changed = journal.changed_ns(self.folder)
        if changed == self._journal_seen:
            return False
        if journal.unsettled(self.folder):
            return True
        if time.time_ns() - changed > RACY_NS:
            self._journal_seen = changed
        return False

    def _recover(self) -> None:
        try:
            with journal.writing(self.folder, wait=0):
                pass
        except Busy:
            return  # its operation is still going on
        except VaultMemError as error:
            self.notices.append(f"an interrupted operation could not be finished: {error.message}")

    def changing(self, act: Callable[[], T]) -> T:
        """Hold the vault for writing and act; where a file was saved in the same moment, look again and act again."""
        outermost = not self.folder.writing
        with journal.writing(self.folder):
            before = self.folder.last_op
            for left in reversed(range(TRIES)):
                try:
                    return act()
                except Exception as error:
                    done = self.folder.last_op != before
                    if done and outermost:
                        self._tell_done(error)
                    if done or not left or not isinstance(error, Changed):
                        raise
            raise AssertionError("the last try returns or raises")

    def _tell_done(self, error: Exception) -> None:
        """What fails after an operation was done does not mean that it was not."""
        reason = error if isinstance(error, VaultMemError) else of_system(error)
        if reason is not None:
            raise WriteFailed(
                f"operation {self.folder.last_op} is done, but what follows it failed: {reason.message}",
                "do not repeat it; `vault-mem undo` takes it back",
            ) from error

    def freshen_to_change(self) -> None:
        """Bring the index up to date for an operation that must not go by what is behind."""
        if self.freshen().stale:
            raise Unsafe("the index is busy", "try again in a moment")

    def to_change(self, id_: str) -> Memory:
        """A memory that an operation is about to change, as its file is now."""
        self.freshen_to_change()
        return self.index.get(id_)

    def new_id(self, prefix: str) -> str:
        """A random id (`mem_…` or `ep_…`) whose first digits, which stand in file names, are not taken."""
        while True:
            digits = secrets.token_hex(6)
            if not self.index.state.with_digits(digits[:8]):
                return prefix + digits

    def done(self, transaction: journal.Transaction, *, soon: bool = False, mirrored: bool = True) -> None:
        """Let the index follow what an operation has written; where it cannot, the files are right all the same.

        `soon` is soon enough where the operation does not read the index again: watched files are indexed after the
        answer, or by the next command. What is not `mirrored` in the views yet will be, by the caller or after a crash.
        """
        self.notices += transaction.notices
        if soon and self.watch is not None:
            self.watch.written(transaction.notes)
            return
        try:
            behind = self._behind_in_views()
            self.sync(only=transaction.notes)
            self._follow(transaction.notes if mirrored else (), behind)
        except (VaultMemError, OSError, RuntimeError, ValueError, sqlite3.Error) as error:
            self.notices.append(f"the files are written; the index follows with the next command: {_reason(error)}")

    def as_written(self, transaction: journal.Transaction, id_: str) -> Memory:
        """A memory as an operation has just written it, from the text itself: it need not be indexed yet."""
        for step in reversed(transaction.steps):
            if isinstance(step, FileStep) and self.folder.is_note(step.key) and id_in(step.after or b"") == id_:
                note = parse(
                    step.after or b"",
                    step.key,
                    mtime=(journal.changed_at(self.folder, step.key) or 0) / 1e9,
                    zone=self.folder.zone,
                    private=self.folder.is_private(step.key),
                )
                return note.memory
        return self.index.get(id_)

    def _behind_in_views(self) -> set[str] | None:
        """What was edited by hand, and is not yet in the views: still to be followed after our own edit."""
        if self.index.state is None and self.index.open():
            return None  # it is rebuilt, and a new index takes the views as they are
        return {known.key for known in self.index.state.unfollowed()}

    def _follow(self, keys: Iterable[str], behind: set[str] | None) -> None:
        """Our own edits have been written to the views already, and what we removed has left them."""
        if behind is not None:
            ours = [key for key in keys if key not in behind]
            self.index.state.follow(ours, ours)

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
        if known is not None and known.frozen:
            reason = "it could not be read whole" if memory.private else known.frozen
            raise EditRefused(f"{memory.path} is left alone: {reason}", "correct the file first (vault-mem doctor)")
        return self._bytes(memory)

    def _bytes(self, memory: Memory) -> bytes:
        try:
            raw = self.folder.tree.read(memory.path)
        except OSError as error:
            raise Changed(f"{memory.path} cannot be read: {error.strerror}", "was it moved? Try again") from error
        if raw is None:
            if has_stub(self.folder, memory.path):
                raise EditRefused(f"{memory.path} is not downloaded", "its sync service has it: fetch it first")
            raise Changed(f"{memory.path} is gone", "was it moved? Try again")
        if not raw and not memory.provisional:
            raise Changed(f"{memory.path} is empty: it is being written, or is not downloaded", "try again")
        return raw
