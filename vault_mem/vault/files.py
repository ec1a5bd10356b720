"""Writing single files: completely or not at all, and never over an unseen edit. Errors are our own types."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vault_mem.errors import Changed, Conflict, Unsafe, WriteFailed
from vault_mem.vault.tree import PRIVATE_MODE, PathRefused, Tree, beside, parent_of, temporary_name

ONLY_REGULAR = "vault-mem uses regular files only; a link that you want can be named in your own follow_links"


def create(tree: Tree, key: str, data: bytes, mode: int, mtime_ns: int | None = None) -> None:
    """Write a new file; raises Conflict if there already is one. A public one gets the user's default mode."""
    with failures(tree.path(key)):
        tree.create(key, data, mode, mtime_ns)


def replace(tree: Tree, key: str, expected: bytes, data: bytes, temporary: str = "") -> None:
    """Put `data` in place of `expected`; raises Conflict, and changes nothing, if the file has changed.

    `temporary` names the file written beside it, so that it can be found after a crash.
    """
    with failures(tree.path(key)):
        mode = stat.S_IMODE(checked(tree, key, expected).st_mode)
        name = temporary or temporary_name()
        staged = beside(key, name)
        tree.stage(key, name, data, mode)
        try:
            swap(tree, staged, key, expected)
        finally:
            with contextlib.suppress(OSError):
                tree.drop(staged)
        tree.sync_folder(parent_of(key))


def put(tree: Tree, key: str, before: bytes | None, after: bytes, mode: int) -> bool:
    """Write a file whose content was `before` (None: no file); returns whether anything changed."""
    if before is None:
        create(tree, key, after, mode)
    elif before != after:
        replace(tree, key, before, after)
    return before != after


def remove(tree: Tree, key: str, expected: bytes, temporary: str = "") -> None:
    """Remove a file; raises Conflict, and puts it back, if it is not as `expected`."""
    with failures(tree.path(key)):
        checked(tree, key, expected)
        aside = beside(key, temporary or temporary_name())
        take(tree, key, aside, expected)
        tree.drop(aside)
        tree.sync_folder(parent_of(key))


def append(tree: Tree, key: str, lines: bytes, mode: int, *, unique: bool = False) -> None:
    """Append lines to a file and sync it. If an interrupted write left a part of them at its end, that is cut off.

    `unique`: the same lines were never written before, so whole ones at the end are from the interrupted write too.
    """
    with failures(tree.path(key)):
        found = tree.stat(key)
        new = found is None
        if found is not None and found.st_nlink > 1:  # a hard link, say in a backup, keeps the old content
            name = temporary_name()
            tree.stage(key, name, tree.read(key) or b"", stat.S_IMODE(found.st_mode))
            tree.put_over(beside(key, name), key)
        flags = os.O_RDWR | os.O_CREAT
        handle = tree.open(key, flags, mode if mode == PRIVATE_MODE else 0o666)
        with os.fdopen(handle, "r+b", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - len(lines)))
            tail = file.read()
            begun = _begun(tail, lines, unique)
            kept, tail = size - begun, tail[: len(tail) - begun]
            if begun:
                file.truncate(kept)
            file.seek(kept)
            text = b"\n" + lines if tail and not tail.endswith(b"\n") else lines
            try:
                while text:
                    text = text[file.write(text) or 0 :]
                os.fsync(file.fileno())
            except OSError:
                file.truncate(kept)  # needs no disk space, unlike the rest of the line
                raise
        if new:
            tree.sync_folder(parent_of(key))


def _begun(tail: bytes, lines: bytes, unique: bool) -> int:
    """How many bytes at the end of a file are the beginning of `lines`."""
    start = len(tail) if tail.endswith(b"\n") else tail.rfind(b"\n") + 1
    if unique and lines[:40] in tail:
        start = tail.rfind(lines[:40])
    return len(tail) - start if lines.startswith(tail[start:]) else 0


def make_folder(tree: Tree, key: str, mode: int) -> list[str]:
    """Make a folder with its parents; an existing one is left as it is. Returns those that are new."""
    with failures(tree.path(key)):
        return tree.make_folder(key, mode)


def checked(tree: Tree, key: str, expected: bytes) -> os.stat_result:
    """The stat of a file whose content is as expected; raises if it is not."""
    found = tree.stat(key)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), key)
    if not stat.S_ISREG(found.st_mode):
        raise PathRefused(errno.EINVAL, "not a regular file", key)
    if found.st_size != len(expected) or tree.read(key) != expected:
        raise changed(tree, key)
    return found


def swap(tree: Tree, staged: str, key: str, expected: bytes, kept: str = "") -> None:
    """Exchange the two names atomically; if somebody edited the file just before, exchange them back.

    The displaced file is then called `kept`, or `staged` if no `kept` is given or it is on another disk. If the system
    cannot exchange names, `staged` is renamed over the file.
    """
    if not tree.exchange(staged, key):
        checked(tree, key, expected)
        if kept:
            tree.keep_as(key, kept)
        tree.put_over(staged, key)
        return
    with _or_back(lambda: tree.exchange(staged, key)):
        if tree.read(staged) != expected:
            raise changed(tree, key)
        if kept:
            _move(tree, staged, kept)


def _move(tree: Tree, old: str, new: str) -> None:
    """Rename, unless the two are on different disks."""
    try:
        tree.rename(old, new)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise


def take(tree: Tree, key: str, aside: str, expected: bytes) -> None:
    """Rename a file out of the way; and back again if it is not as expected."""
    tree.rename(key, aside)
    with _or_back(lambda: tree.rename(aside, key)):
        if tree.read(aside) != expected:
            raise changed(tree, key)


@contextmanager
def _or_back(undo: Callable[[], object]) -> Iterator[None]:
    """Undo a rename if the block fails."""
    try:
        yield
    except (OSError, Conflict):
        undo()
        raise


def changed(tree: Tree, key: str) -> Conflict:
    """The error for a file that somebody saved in the same moment."""
    return Changed(f"{tree.path(key)} changed while it was being edited", "nothing was overwritten; try again")


@contextmanager
def failures(path: Path) -> Iterator[None]:
    """Turn system errors into ours, which say which file and what to do."""
    try:
        yield
    except PathRefused as error:
        raise Unsafe(f"{path}: {error.strerror}", ONLY_REGULAR) from error
    except FileExistsError as error:
        raise Changed(f"{path} already exists", "nothing was overwritten; try again") from error
    except FileNotFoundError as error:
        raise Changed(f"{path} is gone", "it was removed or renamed meanwhile; try again") from error
    except OSError as error:
        raise WriteFailed(f"cannot write {path}: {error.strerror}", advice(error.errno)) from error


def advice(code: int | None) -> str:
    """What to do about an error of the system."""
    if code in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full: free some space; nothing was half-written"
    if code in (errno.EROFS, errno.EACCES, errno.EPERM):
        return "it is read-only for you: check its permissions; nothing was written"
    return "nothing was half-written"
