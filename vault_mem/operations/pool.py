"""Open workspaces of one vault, lent to one thread at a time.

Two threads never use the same mutable object at once. Workspaces share the model, which does not change, and the
shelf, which is also lent to one thread at a time. To the index they look like separate processes, so the locks between
processes work between threads, too.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from vault_mem.errors import Busy, VaultMemError
from vault_mem.operations.workspace import Workspace

# More readers than processors would only slow each other down.
MOST = max(3, (os.cpu_count() or 2) + 1)
KEPT_WHEN_IDLE = 1
# Waiting briefly for a warm workspace is faster than opening a new one.
_PATIENCE = 0.25


class Pool:
    """Lends workspaces. The one given back last is lent first, because its caches are warmest.

    `open_one` opens a workspace like the one it is given, which shares its model and its memories at hand.
    """

    def __init__(self, first: Workspace, open_one: Callable[[Workspace], Workspace]) -> None:
        self.open_one = partial(open_one, first)  # shares the model with the others
        self._free = [first]
        self._lent = 0
        self._given_back = threading.Condition()

    @contextmanager
    def lent(self) -> Iterator[Workspace]:
        """A workspace for as long as the block runs; after an unexpected error it is closed and not reused."""
        workspace = self.take()
        sound = False
        try:
            yield workspace
            sound = True
        except VaultMemError:
            sound = True
            raise
        finally:
            self.give_back(workspace, sound=sound)

    def take(self, check: Callable[[], None] | None = None, *, wait: bool = True) -> Workspace:
        """Borrow a workspace; `check` may raise to end the wait. A caller that has one already must not wait."""
        patience = time.monotonic() + _PATIENCE
        with self._given_back:
            while wait and not self._free and self._lent and (self._lent >= MOST or time.monotonic() < patience):
                self._given_back.wait(0.05)
                if check is not None:
                    check()
            self._lent += 1
            if self._free:
                return self._free.pop()
        try:
            return self.open_one()
        except BaseException:
            self.give_back(None, sound=False)
            raise

    def give_back(self, workspace: Workspace | None, *, sound: bool) -> None:
        """Return a borrowed workspace; one that is not `sound` is closed. None ends a loan whose opening failed."""
        if workspace is not None and not sound:
            workspace.close()
        with self._given_back:
            self._lent -= 1
            if workspace is not None and sound:
                self._free.append(workspace)
            self._given_back.notify()

    def trim(self, keep: int = KEPT_WHEN_IDLE) -> None:
        """Close idle workspaces except `keep` of them."""
        with self._given_back:
            spare = self._free[: max(0, len(self._free) - keep)]
            del self._free[: len(spare)]
        for workspace in spare:
            workspace.close()


class FairLock:
    """A reentrant lock that threads get in the order in which they asked for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._holder: int | None = None
        self._calls = 0

    @contextmanager
    def turn(self, wait: float | None = None) -> Iterator[None]:
        """Hold the lock until the block ends; raises Busy after waiting `wait` seconds."""
        self._join(wait)
        try:
            yield
        finally:
            self._leave()

    def _join(self, wait: float | None) -> None:
        me = threading.get_ident()
        with self._lock:
            if self._holder in (None, me):
                self._holder = me
                self._calls += 1
                return
            called = threading.Event()
            self._waiting.append(called)
        came = False
        try:
            came = called.wait(wait)
        finally:
            self._step_up(called, me, came)
        if not came:
            raise Busy(f"other threads have been writing this vault for {wait:g} s", "wait longer, or for them")

    def _step_up(self, called: threading.Event, me: int, came: bool) -> None:
        """Take over the lock if it was handed to us; if we had given up by then, pass it on."""
        with self._lock:
            if not called.is_set():
                self._waiting.remove(called)
                return
            self._holder, self._calls = me, 1
        if not came:
            self._leave()

    def _leave(self) -> None:
        with self._lock:
            self._calls -= 1
            if self._calls:
                return
            if self._waiting:
                self._holder = -1  # so that no other thread gets in first
                self._waiting.popleft().set()
            else:
                self._holder = None


class WriteLock:
    """The lock of commands that write: one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def take(self, seconds: float, check: Callable[[], None] | None = None) -> bool:
        """Wait for the lock, calling `check` (which may raise) meanwhile. Returns whether it was acquired in time."""
        deadline = time.monotonic() + seconds
        while not self._lock.acquire(timeout=min(0.1, max(deadline - time.monotonic(), 0))):
            if check is not None:
                check()
            if time.monotonic() >= deadline:
                return False
        return True

    def end(self) -> None:
        """Release the lock."""
        self._lock.release()
