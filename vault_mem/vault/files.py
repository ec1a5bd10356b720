"""Reading and writing single files: whole or not at all, and never over an edit nobody has read."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vault_mem.errors import Changed, Conflict, WriteFailed

PUBLIC_MODE = 0o644
PRIVATE_MODE = 0o600
PRIVATE_FOLDER_MODE = 0o700
TEMPORARY = ".vault-mem-"  # how the names of our temporary files begin


def create(path: Path, data: bytes, mode: int, mtime_ns: int | None = None) -> None:
    """Write a new file; raises Conflict where one is already there. A public one takes the user's usual mode."""
    with _failures(path), _temporary(path, data, None if mode == PUBLIC_MODE else mode) as temporary:
        if mtime_ns is not None:
            os.utime(temporary, ns=(mtime_ns, mtime_ns))
        try:
            _link_new(temporary, path)
        except FileExistsError as error:
            raise Changed(f"{path} already exists", "nothing was overwritten; try again") from error
        sync_folder(path.parent)


def replace(path: Path, expected: bytes, data: bytes, keep: Path | None = None, *, mtime_ns: int | None = None) -> None:
    """Put `data` in place of `expected`; raises Conflict, and changes nothing, where the file says something else.

    The file that was displaced is moved to `keep` when given, so that even what a program
    with the old file still open writes after us can be found. `mtime_ns` is the time of the last change to show.
    """
    with _failures(path):
        was = _read_expected(path, expected)
        with _temporary(path, data, stat.S_IMODE(was.st_mode)) as temporary:
            if mtime_ns is not None:
                os.utime(temporary, ns=(was.st_atime_ns, mtime_ns))
            _swap_in(temporary, path, expected)
            if keep is not None and temporary.exists():
                with contextlib.suppress(OSError):  # on another disk it cannot be kept
                    temporary.replace(keep)
            sync_folder(path.parent)


def remove(path: Path, expected: bytes) -> None:
    """Take a file away; raises Conflict, and puts it back, where it says something other than `expected`."""
    with _failures(path):
        _read_expected(path, expected)
        aside = _temporary_name(path)
        path.rename(aside)
        if aside.read_bytes() != expected:
            _link_new(aside, path)
            aside.unlink()
            raise _changed(path)
        aside.unlink()
        sync_folder(path.parent)


def append(path: Path, line: bytes, mode: int, *, unique: bool = False) -> None:
    """Add lines at the end of a file, synced; the start of them that an interrupted write left is cut off first.

    `unique`: no such line was ever written before, so that whole ones at the end are ours too.
    """
    with _failures(path):
        new = not path.exists()
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags, mode if mode == PRIVATE_MODE else 0o666), "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - len(line)))
            tail = file.read()
            begun = _begun(tail, line, unique)
            if begun:
                size -= begun
                tail = tail[: len(tail) - begun]
                file.truncate(size)
            file.seek(size)
            file.write(b"\n" + line if tail and not tail.endswith(b"\n") else line)
            file.flush()
            os.fsync(file.fileno())
        if new:
            sync_folder(path.parent)


def _begun(tail: bytes, line: bytes, unique: bool) -> int:
    """How many bytes at the end of a file are the beginning of `line`."""
    start = len(tail) if tail.endswith(b"\n") else tail.rfind(b"\n") + 1
    if unique and line[:40] in tail:
        start = tail.rfind(line[:40])
    return len(tail) - start if line.startswith(tail[start:]) else 0


def sync_folder(path: Path) -> None:
    """Make a rename in a folder survive a power cut, where the system can."""
    if sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(path: Path, mode: int = 0o755) -> None:
    """Make a folder with its parents; an existing one is left as it is."""
    with _failures(path):
        path.mkdir(mode=mode, parents=True, exist_ok=True)


def _read_expected(path: Path, expected: bytes) -> os.stat_result:
    result = os.lstat(path)
    if not stat.S_ISREG(result.st_mode):
        raise Conflict(f"{path} is not a regular file", "vault-mem writes to plain files only")
    if result.st_size != len(expected) or path.read_bytes() != expected:
        raise _changed(path)
    return result


def _changed(path: Path) -> Conflict:
    return Changed(f"{path} changed while it was being edited", "nothing was overwritten; try again")


@contextmanager
def _failures(path: Path) -> Iterator[None]:
    """System errors as ours: which file, and what to do."""
    try:
        yield
    except FileNotFoundError as error:
        raise Changed(f"{path} is gone", "it was removed or renamed meanwhile; try again") from error
    except OSError as error:
        raise WriteFailed(f"cannot write {path}: {error.strerror}", _advice(error.errno)) from error


def _advice(code: int | None) -> str:
    if code in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full: free some space; nothing was half-written"
    if code in (errno.EROFS, errno.EACCES, errno.EPERM):
        return "the vault is read-only for you: check its permissions; nothing was written"
    return "nothing was half-written"


def _temporary_name(path: Path) -> Path:
    return path.with_name(f"{TEMPORARY}{secrets.token_hex(6)}.tmp")


@contextmanager
def _temporary(path: Path, data: bytes, mode: int | None) -> Iterator[Path]:
    """A synced file beside `path` with that content and mode (None: the user's own); gone afterwards if still there."""
    temporary = _temporary_name(path)
    binary = getattr(os, "O_BINARY", 0)  # Windows would turn line ends otherwise
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | binary
    handle = os.open(temporary, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _link_new(source: Path, target: Path) -> None:
    """Give `source` the name `target` only if nothing has it."""
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
            raise
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL)  # a file system without hard links
        os.close(handle)
        source.replace(target)


def _swap_in(temporary: Path, path: Path, expected: bytes) -> None:
    """Exchange the two names at once; if an edit slipped in before, exchange them back."""
    exchange = _exchange()
    if exchange is not None and exchange(temporary, path):
        if temporary.read_bytes() != expected:
            exchange(temporary, path)
            raise _changed(path)
        return
    _read_expected(path, expected)
    temporary.replace(path)


@functools.cache
def _exchange() -> Callable[[Path, Path], bool] | None:
    """The system's atomic exchange of two names, where it has one."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "linux":
            call, here, flag = libc.renameat2, -100, 2  # AT_FDCWD, RENAME_EXCHANGE
        elif sys.platform == "darwin":
            call, here, flag = libc.renameatx_np, -2, 2  # AT_FDCWD, RENAME_SWAP
        else:
            return None
    except (OSError, AttributeError, TypeError):
        return None
    return lambda one, other: call(here, os.fsencode(one), here, os.fsencode(other), flag) == 0
