"""Open workspaces of one vault, lent to one thread at a time.

That is the whole rule of sharing: nothing that can change is ever used by two threads at once. Workspaces share the
model, which does not change, and the shelf, which is lent as they are. To the index they are what separate processes
would be, so the same locks hold.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vault_mem.daemon.watcher import Watcher
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.folder import Folder

# More readers at once than processors only take each other's time.
MOST = max(3, (os.cpu_count() or 2) + 1)
KEPT_WHEN_IDLE = 1
# One that is warm and soon free answers sooner than a new one.
_PATIENCE = 0.25
# Commands fold the table only when nobody had a quiet moment for it in a long while.
_COMMITS_BETWEEN_FOLDING = 400


class Pool:
    """Lends workspaces; the one given back last, whose caches are warmest, is lent first."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._free: list[Workspace] = []
        self._lent = 0
        self._like: Workspace | None = None
        self._given_back = threading.Condition()

    @contextmanager
    def lent(
        self,
        folder: Folder,
        progress: Callable[[int, int], None] | None = None,
        check: Callable[[], None] | None = None,
    ) -> Iterator[Workspace]:
        """A workspace for as long as the block runs; one that failed is not used again."""
        workspace = self.take(folder, progress, check)
        sound = False
        try:
            yield workspace
            sound = True
        finally:
            self.give_back(workspace, sound=sound)

    def take(
        self,
        folder: Folder,
        progress: Callable[[int, int], None] | None = None,
        check: Callable[[], None] | None = None,
    ) -> Workspace:
        """A workspace of one's own; `check` may raise while waiting for one."""
        patience = time.monotonic() + _PATIENCE
        with self._given_back:
            while not self._free and self._lent and (self._lent >= MOST or time.monotonic() < patience):
                self._given_back.wait(0.05)
                if check is not None:
                    check()
            self._lent += 1
            workspace = self._free.pop() if self._free else None
        try:
            if workspace is None:
                return self.make(folder, progress)
            workspace.reuse(folder, progress)
            return workspace
        except BaseException:
            self.give_back(None, sound=False)
            raise

    def make(self, folder: Folder, progress: Callable[[int, int], None] | None = None) -> Workspace:
        """One more workspace, which shares the model with the others."""
        workspace = Workspace(folder, progress, like=self._like)
        workspace.watch = self._watcher
        workspace.commits_between_folding = _COMMITS_BETWEEN_FOLDING
        self._like = self._like or workspace
        return workspace

    def give_back(self, workspace: Workspace | None, *, sound: bool) -> None:
        """End a loan."""
        if workspace is not None:
            workspace.progress = None
            if not sound:
                workspace.close()
        with self._given_back:
            self._lent -= 1
            if workspace is not None and sound:
                self._free.append(workspace)
            self._given_back.notify()

    def trim(self) -> None:
        """Close what a busy moment needed and nobody uses now."""
        with self._given_back:
            spare, self._free = self._free[:-KEPT_WHEN_IDLE], self._free[-KEPT_WHEN_IDLE:]
        for workspace in spare:
            workspace.close()


class Turn:
    """Whose turn it is to write: commands that write do so one after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def take(self, seconds: float, check: Callable[[], None] | None = None) -> bool:
        """Wait for one's turn; whether it came in time."""
        deadline = time.monotonic() + seconds
        while not self._lock.acquire(timeout=min(0.1, max(deadline - time.monotonic(), 0))):
            if check is not None:
                check()
            if time.monotonic() >= deadline:
                return False
        return True

    def end(self) -> None:
        """Let the next one write."""
        self._lock.release()
