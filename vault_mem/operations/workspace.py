"""What every operation works with: an open vault whose index is brought up to date with the files first."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from vault_mem.errors import Busy, VaultMemError, WriteFailed, of_system
from vault_mem.operations.opened import Opened
from vault_mem.vault import interrupted, machine_folder
from vault_mem.vault.folder import Folder
from vault_mem.vault.walk import RACY_NS, FileState, look_at, walk

if TYPE_CHECKING:
    from vault_mem.index.sync import Progress, SyncReport

T = TypeVar("T")
# What the disk, LanceDB and SQLite raise.
INDEX_ERRORS = (OSError, RuntimeError, ValueError, sqlite3.Error)
# How long a read waits for another process's sync before it answers from a stale index, and says so. The second is for
# a sync that takes long anyway: a rebuild, or a whole checkout.
READ_WAIT, LONG_WORK_WAIT = 3.0, 0.1
# From this many changed files on, listing the whole vault costs less than looking at each.
MANY = 500
NO_ROOM = "free some space there, or keep the index elsewhere: vault-mem config set --user index_dir FOLDER"


@dataclass(frozen=True)
class Freshness:
    """Whether answers reflect every file as it is now, and how many files are behind if not."""

    stale: bool
    pending: int
    report: SyncReport | None = None


def reason_of(error: Exception) -> str:
    """Why the index could not be written."""
    ours = error if isinstance(error, VaultMemError) else of_system(error)
    return ours.message if ours else type(error).__name__


@dataclass(frozen=True)
class Pending:
    """Files that may have changed since they were indexed; `everything` if it is unknown which ones.

    `ours` are those that an operation wrote, so the views are up to date with them.
    """

    keys: frozenset[str] = frozenset()
    ours: frozenset[str] = frozenset()
    everything: bool = False
    serial: int = 0


class Watch(Protocol):
    """Somebody who watches the files all the time, so that a command need not look at all of them."""

    def pending_changes(self) -> Pending:
        """The files that are not indexed yet, including every change made before this call."""

    def done(self, pending: Pending) -> None:
        """Forget what has been indexed."""

    def written(self, keys: Iterable[str]) -> None:
        """These files were just written by us; they will be indexed at once, or by the next command."""

    def cleared(self) -> dict[str, FileState]:
        """Private notes whose flag the watcher saw go from true to false, with their states at that time."""


class Workspace(Opened):
    """An open vault that keeps its index in step with the files. What changes files is in `changing`."""

    watch: Watch | None = None
    is_fresh = False  # the index has been brought up to date for the command that is running
    commits_between_folding: int | None = None  # before a command compacts the table; a daemon does it when idle
    skip_file_check = False  # do not look for changed files: a long operation holds the vault and freshens now and then
    done_writing: Callable[[], None] | None = None  # lets others write before slow work that changes no file
    _journal_seen = -1

    def reuse(self, folder: Folder, progress: Progress | None) -> None:
        """Begin another command on the same vault."""
        super().reuse(folder, progress)
        self.is_fresh, self.done_writing = False, None

    def freshen(self, *, scan: bool = False) -> Freshness:
        """Bring the index up to date with the files, without writing to any note (that is left to `quiet.settle`).

        If the files are watched, only those that changed are looked at, unless a `scan` of all is asked for.
        """
        if self.skip_file_check:
            return Freshness(stale=False, pending=0)
        machine_folder.vet(self.folder)
        self._finish_interrupted()
        reading = READ_WAIT if self.folder.read_wait is None else self.folder.read_wait
        wait = self.folder.wait if self.folder.writing else reading
        if self.watch is None:
            freshness = self.sync(wait=wait)
            self.is_fresh = not freshness.stale
            return freshness
        pending = self.watch.pending_changes()
        everything = scan or pending.everything or len(pending.keys) > MANY
        only = None if everything else self._unless_many_are_gone(pending.keys)
        freshness = self.sync_ours(only, pending.ours, wait)
        if not freshness.stale:
            self.watch.done(pending)
        return freshness

    def sync_ours(self, only: Sequence[str] | None, ours: Collection[str], wait: float | None = None) -> Freshness:
        """Bring the index up to date; the views need not follow `ours`, which operations wrote together with them."""
        behind = None
        if ours and (self.index.is_open or not self.index.open()):  # a new index takes the views as they are
            behind = self.index.known.unfollowed_among(ours)  # also edited by hand, so the views still have to follow
        freshness = self.sync(only, wait)
        if behind is not None and not freshness.stale:
            followed = [key for key in ours if key not in behind]
            self.index.known.follow(followed, self.folder.now().timestamp(), followed)
        return freshness

    def _unless_many_are_gone(self, keys: Iterable[str]) -> list[str] | None:
        """The files to look at; None means all of them, as when many are gone at once and a disk may be missing."""
        from vault_mem.index.sync import MASS_LOSS

        changed = sorted(keys)
        gone = sum(not self.folder.tree.exists(key) for key in changed) if len(changed) >= MASS_LOSS else 0
        return changed if gone < MASS_LOSS else None

    def sync(self, only: Sequence[str] | None = None, wait: float | None = None) -> Freshness:
        """Bring the index up to date; if another process is busy with it, say how many files are behind instead."""
        from vault_mem.index.index import NO_INDEX
        from vault_mem.index.sync import LOCK_WAIT, busy_at_length, sync

        if wait is None or not self.index.is_open:
            wait = LOCK_WAIT if self.folder.wait is None else max(LOCK_WAIT, self.folder.wait)
        elif not self.folder.writing and busy_at_length(self.index):
            wait = LONG_WORK_WAIT
        try:
            report = sync(
                self.index, only=only, progress=self.progress, wait=wait, commits=self.commits_between_folding
            )
        except Busy:
            if not self.index.is_open:
                raise
            return self._behind(only)
        except (*INDEX_ERRORS, WriteFailed) as error:
            reason = reason_of(error)
            if not self.index.is_open or self.index.open():
                if isinstance(error, WriteFailed):
                    raise
                raise WriteFailed(f"{self.index.home}: {reason}", NO_ROOM) from error
            self.notices.append(f"the index cannot be brought up to date: {reason}")
            return self._behind(only)
        if report.rebuilt and report.rebuilt != NO_INDEX:
            self.notices.append(f"index rebuilt: {report.rebuilt}")
        return Freshness(stale=False, pending=0, report=report)

    def tell_astray(self) -> None:
        """Say once which memories were moved to where they are not searched (SPEC O-5)."""
        if "index" in self.__dict__ and self.index.is_open:
            with contextlib.suppress(*INDEX_ERRORS):  # the command itself succeeded; the next one tells instead
                self.notices += self.index.tell_astray()

    def _behind(self, only: Sequence[str] | None) -> Freshness:
        from vault_mem.index.sync import difference

        listing = walk(self.folder) if only is None else look_at(self.folder, only)
        return Freshness(stale=True, pending=len(difference(self.index, listing, only)))

    def rebuild(self) -> SyncReport:
        """Rebuild the index from the files; nothing of the old one is left."""
        from vault_mem.index.large import get_ready
        from vault_mem.index.sync import sync

        report = sync(self.index, rebuild=True, progress=self.progress)
        get_ready(self.index, self.progress)
        return report

    def reading(self, look: Callable[[], T]) -> T:
        """The result of `look`; if the index turns out to be damaged, it is rebuilt and `look` runs again."""
        if not self.index.is_open:  # this thread may have a workspace that was never opened
            self.freshen()
        try:
            return look()
        except INDEX_ERRORS:
            try:
                if not self.index.open():  # no damage: another process replaced or compacted what we were reading
                    return look()
            except INDEX_ERRORS:
                pass
            self.rebuild()
            self.notices.append("index rebuilt: it was damaged")
            return look()

    def index_replaced(self) -> bool:
        """Whether another process replaced the index that was open; if so, the new one is open now."""
        return "index" in self.__dict__ and self.index.is_open and self.index.outdated() and not self.index.open()

    def _finish_interrupted(self) -> None:
        """Before anything is answered, finish what a crash cut short: operations, and purges that left traces."""
        if self._interrupted():
            self._recover()
        self.follow_removed()
        if not self.folder.writing and interrupted.purges(self.folder):
            from vault_mem.vault.journal import writing
            from vault_mem.vault.traces import remove_traces

            with writing(self.folder):
                remove_traces(self.folder, self.rebuild)

    def _interrupted(self) -> bool:
        """Whether an operation was cut short, or a displaced file is still kept for late writes.

        The journal is listed only if its folder has changed.
        """
        changed = interrupted.changed_ns(self.folder)
        if changed == self._journal_seen:
            return False
        if interrupted.has_unfinished(self.folder):
            return True
        if time.time_ns() - changed > RACY_NS:
            self._journal_seen = changed
        return False

    def follow_removed(self) -> None:
        """Tell the index which files recovery removed, so that it does not take them for lost."""
        removed, self.folder.removed = sorted(self.folder.removed), set()
        if removed:
            self.sync(only=removed)

    def _recover(self) -> None:
        from vault_mem.vault.journal import writing

        try:
            with writing(self.folder, wait=0):
                pass
        except Busy:
            return  # its operation is still going on
        except VaultMemError as error:
            self.notices.append(f"an interrupted operation could not be finished: {error.message}")
