"""One writer at a time: an advisory lock on a file, released by the system if its holder dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vault_mem.errors import Busy, WriteFailed
from vault_mem.vault import outside
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE, Tree, parent_of

WAIT_SECONDS = 10.0  # longer than any single write; past it something is stuck, and saying so helps more
_POLL_SECONDS = 0.01

if sys.platform == "win32":
    import msvcrt

    def try_lock(handle: int) -> bool:
        """Take the lock of an open file at once, or not at all."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def unlock(handle: int) -> None:
        """Nothing: closing the file lets go."""
else:
    import fcntl

    def try_lock(handle: int) -> bool:
        """Take the lock of an open file at once, or not at all."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(handle: int) -> None:
        """Let go of the lock, also where a process that was forked meanwhile has the file open, too."""
        fcntl.flock(handle, fcntl.LOCK_UN)


@contextmanager
def locked(tree: Tree, key: str, what: str, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock of a file; raises Busy when another process holds it for longer than `wait`."""
    try:
        if parent_of(key):
            tree.make_folder(parent_of(key), PRIVATE_FOLDER_MODE)
        handle = tree.open(key, os.O_RDWR | os.O_CREAT, PRIVATE_MODE)
    except OSError as error:
        path = tree.path(key)
        raise WriteFailed(
            f"cannot write {what}: {path.parent}: {error.strerror}", "check permissions and space"
        ) from error
    try:
        deadline = time.monotonic() + wait
        while not try_lock(handle):
            if time.monotonic() > deadline:
                raise Busy(f"another process has been writing {what} for {wait:.0f} s", "wait for it, or stop it")
            time.sleep(_POLL_SECONDS)
        try:
            yield
        finally:
            unlock(handle)
    finally:
        os.close(handle)


@contextmanager
def locked_outside(path: Path, what: str, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """The same for a file that is not in the vault."""
    try:
        path.parent.mkdir(mode=PRIVATE_FOLDER_MODE, parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailed(f"cannot write {what}: {path.parent}: {error.strerror}", "check permissions") from error
    with locked(*outside.place(path), what, wait):
        yield
