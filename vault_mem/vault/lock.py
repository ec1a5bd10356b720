"""One writer at a time: an advisory lock on a file, released by the system if its holder dies."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vault_mem.errors import Busy, WriteFailed
from vault_mem.vault import outside
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE, Tree, parent_of

WAIT_SECONDS = 10.0  # longer than any single write: after that something is stuck, and an error helps more
_POLL_SECONDS = 0.01
_REFUSED = (errno.EROFS, errno.EACCES, errno.EPERM)
_MAY_NOT = "check permissions; in an agent's sandbox, `vault-mem setup AGENT --sandbox` lets commands write there"

if sys.platform == "win32":
    import msvcrt

    _TAKEN = OSError
else:
    import fcntl

    _TAKEN = BlockingIOError


def try_lock(handle: int) -> bool:
    """Lock an open file without waiting; returns whether that worked."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except _TAKEN:
        return False
    return True


def unlock(handle: int) -> None:
    """Release the lock, even if a forked child still has the file open. On Windows, closing the file releases it."""
    if sys.platform != "win32":
        fcntl.flock(handle, fcntl.LOCK_UN)


@contextmanager
def locked(tree: Tree, key: str, what: str, wait: float = WAIT_SECONDS) -> Iterator[Callable[[], bool]]:
    """Hold the lock of a file; raises Busy when another process holds it for longer than `wait`.

    Yields a function that tells whether the lock still keeps others out: not if its file was deleted (`git clean -x`).
    """
    handle = _opened(tree, key, what)
    try:
        deadline = time.monotonic() + wait
        while True:
            if not try_lock(handle):
                if time.monotonic() > deadline:
                    raise Busy(f"another process has been writing {what} for {wait:.0f} s", "wait for it, or stop it")
                time.sleep(_POLL_SECONDS)
            elif _deleted(tree, key, handle):  # while we waited
                again = _opened(tree, key, what)
                os.close(handle)
                handle = again
            else:
                break
        try:
            yield lambda: not _deleted(tree, key, handle)
        finally:
            unlock(handle)
    finally:
        os.close(handle)


def _opened(tree: Tree, key: str, what: str) -> int:
    try:
        if parent_of(key):
            tree.make_folder(parent_of(key), PRIVATE_FOLDER_MODE)
        return tree.open(key, os.O_RDWR | os.O_CREAT, PRIVATE_MODE)
    except OSError as error:
        path = tree.path(key)
        raise WriteFailed(
            f"cannot write {what}: {path.parent}: {error.strerror}",
            _MAY_NOT if error.errno in _REFUSED else "check permissions and space",
        ) from error


def _deleted(tree: Tree, key: str, handle: int) -> bool:
    """Whether the locked file was deleted. Some file systems count no links; there, the inode number decides."""
    ours = os.fstat(handle)
    if ours.st_nlink:
        return False
    there = tree.stat(key)
    return there is None or there.st_ino != ours.st_ino


@contextmanager
def locked_outside(path: Path, what: str, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """The same for a file that is not in the vault."""
    try:
        path.parent.mkdir(mode=PRIVATE_FOLDER_MODE, parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailed(f"cannot write {what}: {path.parent}: {error.strerror}", "check permissions") from error
    with locked(*outside.tree_and_key(path), what, wait):
        yield
