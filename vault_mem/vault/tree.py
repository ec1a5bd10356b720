"""The only way to a vault's files: from a handle of its folder, through no link, and to regular files only (SPEC S-1).

A vault may come from a stranger. A path that is opened by its whole name goes wherever a link in it leads, and opening
a FIFO blocks. So each part of a path is opened from the handle of the one before it, and links and anything but regular
files are refused without waiting. A link that the owner wants, such as `private/` on an encrypted disk, works if the
user's own settings name it (`follow_links`).

Paths are keys: below the root, with slashes. Errors are the system's own, with a reason that can be shown.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

PUBLIC_MODE = 0o644
PRIVATE_MODE = 0o600
PUBLIC_FOLDER_MODE = 0o755
PRIVATE_FOLDER_MODE = 0o700
TEMPORARY = ".vault-mem-"  # how the names of our temporary files begin

_RAW_KEY = "%bytes:"
_BINARY = getattr(os, "O_BINARY", 0)  # or Windows would convert line ends
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
# Opening a FIFO or a device must not wait for anybody, and a terminal must not become ours.
_PLAIN = _BINARY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_FOLLOW
_NO_NAMES = ("", ".", "..")
_HANDLES = os.open in os.supports_dir_fd  # not on Windows: there each part is looked at before it is used
_TIMES = os.utime in os.supports_fd
_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EACCES, errno.EPERM, errno.EBADF)
_UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EPERM, errno.EMLINK)
_AT_ONCE = 1 << 16
LARGEST = 200_000_000  # nothing that this tool writes gets this large


Handle = int | str  # of a folder: a descriptor, or on Windows its path


class PathRefused(OSError):
    """A path that leads through a link, or to something that is not a regular file."""


def key_of(relative: str) -> str:
    """A relative path as text; names that are not valid text are spelled out byte by byte."""
    if relative.isascii():
        return relative
    try:
        relative.encode()
    except UnicodeEncodeError:
        return _RAW_KEY + quote_from_bytes(os.fsencode(relative))
    return relative


def native(key: str) -> str:
    """The system's path for a key."""
    return os.fsdecode(unquote_to_bytes(key.removeprefix(_RAW_KEY))) if key.startswith(_RAW_KEY) else key


class Tree:
    """The files below one folder."""

    def __init__(self, root: Path, allowed_links: frozenset[str] = frozenset()) -> None:
        self.root = root
        self._allowed = allowed_links  # as keys

    # Reading

    def read(self, key: str) -> bytes | None:
        """A file's bytes, or None. A huge file is refused: a few kilobytes on disk can unpack to one."""
        try:
            handle = self.open(key)
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            raw = os.read(handle, _AT_ONCE)
            if len(raw) < _AT_ONCE:
                return raw
            if os.fstat(handle).st_size > LARGEST:
                raise PathRefused(errno.EFBIG, "too large", key)
            return raw + b"".join(iter(lambda: os.read(handle, _AT_ONCE), b""))
        finally:
            os.close(handle)

    def open(self, key: str, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
        """A descriptor of a regular file, for the caller to close."""
        above, name = _split(key)
        folder = self._open_folder(above)
        try:
            return _open(folder, name, flags, mode, key)
        finally:
            _close(folder)

    @contextmanager
    def opened(self, key: str, flags: int = os.O_RDONLY, mode: int = 0o666) -> Iterator[int]:
        """A regular file, open; closed after the block."""
        handle = self.open(key, flags, mode)
        try:
            yield handle
        finally:
            os.close(handle)

    @contextmanager
    def opener(self) -> Iterator[Callable[[str], int]]:
        """A faster `open` for reading many files in a row: the folder of the last one stays open."""
        held: list[tuple[str, Handle]] = []

        def close_held() -> None:
            while held:
                _close(held.pop()[1])

        def open_(key: str) -> int:
            above, name = _split(key)
            if not held or held[0][0] != above:
                close_held()
                held.append((above, self._open_folder(above)))
            return _open(held[0][1], name, os.O_RDONLY, 0, key)

        try:
            yield open_
        finally:
            close_held()

    def stat(self, key: str) -> os.stat_result | None:
        """The state of a file, a folder, or a link itself; None if it does not exist, or only through a link."""
        try:
            with self._located(key) as (folder, name):
                return _lstat(folder, name)
        except (FileNotFoundError, NotADirectoryError, PathRefused):
            return None
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return None
            raise

    def link_target(self, key: str) -> str:
        """Where a link points, as it is written."""
        with self._located(key) as (folder, name):
            if isinstance(folder, int):
                return os.readlink(name, dir_fd=folder)
            return os.readlink(os.path.join(folder, name))  # noqa: PTH115, PTH118

    def exists(self, key: str) -> bool:
        """Whether there is anything of that name."""
        return self.stat(key) is not None

    def is_file(self, key: str) -> bool:
        """Whether there is a regular file of that name."""
        found = self.stat(key)
        return found is not None and stat.S_ISREG(found.st_mode)

    def is_pipe(self, key: str) -> bool:
        """Whether there is a pipe of that name."""
        found = self.stat(key)
        return found is not None and stat.S_ISFIFO(found.st_mode)

    @contextmanager
    def scan(self, key: str = "") -> Iterator[Iterator[os.DirEntry[str]]]:
        """The entries of a folder; their own `stat` and `is_…` must be asked not to follow links, within the block."""
        with self._folder(key) as folder, os.scandir(folder) as entries:
            yield entries

    def names(self, key: str, ending: str = "") -> list[str]:
        """The names of the regular files in a folder, sorted; none if there is no such folder."""
        try:
            with self.scan(key) as entries:
                return sorted(
                    entry.name
                    for entry in entries
                    if entry.name.endswith(ending) and entry.is_file(follow_symlinks=False)
                )
        except (FileNotFoundError, NotADirectoryError, PathRefused):
            return []

    def walk(self, top: str = "") -> Iterator[tuple[str, list[str], list[str]]]:
        """Folder by folder, as keys: the folder, the folders in it (the caller may drop some), all else in it."""
        pending = [native(top)]
        while pending:
            parent = pending.pop()
            prefix = f"{parent}/" if parent else ""
            folders: list[str] = []
            others: list[str] = []
            try:
                with self.scan(key_of(parent)) as entries:
                    for entry in entries:
                        (folders if entry.is_dir(follow_symlinks=False) else others).append(key_of(prefix + entry.name))
            except FileNotFoundError:
                continue
            folders.sort()
            yield key_of(parent), folders, sorted(others)
            pending += [native(each) for each in reversed(folders)]

    def walk_shown(self, top: str = "") -> Iterator[tuple[str, list[str], list[str]]]:
        """The same without hidden folders."""
        for parent, folders, others in self.walk(top):
            folders[:] = [key for key in folders if not name_of(key).startswith(".")]
            yield parent, folders, others

    # Writing

    def make_folder(self, key: str, mode: int = PUBLIC_FOLDER_MODE) -> list[str]:
        """Make a folder with its parents; an existing one is left as it is. Returns those that are new."""
        made: list[str] = []
        parts = native(key).split("/")
        for number in range(len(parts)):
            below = "/".join(parts[: number + 1])
            with contextlib.suppress(FileExistsError), self._located(key_of(below)) as (folder, name):
                _at(os.mkdir, folder, name, mode)
                made.append(key_of(below))
        with self._folder(key):  # raises if a part of it is a link or a file
            return made

    def stage(
        self, key: str, name: str, data: bytes, mode: int | None, mtime_ns: int | None = None, *, sync: bool = True
    ) -> None:
        """Write a file called `name` beside a key, in a folder that exists; mode None is the user's default."""
        with self._located(key) as (folder, _):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with contextlib.suppress(FileNotFoundError):
                _at(os.unlink, folder, name)
            handle = _open(folder, name, flags, 0o666 if mode is None else 0o600, key)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    if mode is not None and hasattr(os, "fchmod"):
                        os.fchmod(file.fileno(), mode)
                    if mtime_ns is not None:
                        by_path = os.path.join(str(folder), name)  # noqa: PTH118
                        os.utime(file.fileno() if _TIMES else by_path, ns=(mtime_ns, mtime_ns))
                    if sync:
                        os.fsync(file.fileno())
            except BaseException:
                with contextlib.suppress(OSError):
                    _at(os.unlink, folder, name)
                raise

    def create(self, key: str, data: bytes, mode: int, mtime_ns: int | None = None) -> None:
        """Write a new file; raises FileExistsError if there is one. A public one gets the user's default mode."""
        staged = temporary_name()
        self.stage(key, staged, data, None if mode == PUBLIC_MODE else mode, mtime_ns)
        try:
            self.rename(beside(key, staged), key)
        except BaseException:
            self.drop(beside(key, staged))
            raise
        self.sync_folder(parent_of(key))

    def rename(self, old: str, new: str) -> None:
        """Give a file another name; raises FileExistsError where something has it already."""
        with self._located(old) as (source, name), self._located(new) as (target, wanted):
            code = _rename_new(source, name, target, wanted)
            if code in _UNSUPPORTED:
                _link_new(source, name, target, wanted)
            elif code:
                raise _failed(code, new)

    def exchange(self, one: str, other: str) -> bool:
        """Exchange two names atomically; False if the system cannot."""
        with self._located(one) as (source, name), self._located(other) as (target, wanted):
            code = _renameat(source, name, target, wanted, 2) if isinstance(source, int) else errno.ENOSYS
        if code in _UNSUPPORTED:
            return False
        if code:
            raise _failed(code, one)
        return True

    def put_over(self, old: str, new: str) -> None:
        """Rename a file over another, for systems without anything better."""
        with self._located(old) as (source, name), self._located(new) as (target, wanted):
            _at2(os.replace, source, name, target, wanted)

    def keep_as(self, key: str, new: str) -> bool:
        """Give a file a second name; False if the file system has no hard links."""
        with self._located(key) as (source, name), self._located(new) as (target, wanted):
            try:
                _at2(os.link, source, name, target, wanted)
            except OSError as error:
                if error.errno in (*_UNSUPPORTED, errno.EXDEV):
                    return False
                raise
        return True

    def drop(self, key: str) -> None:
        """Remove a file, or a link, if there is one."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), self._located(key) as (folder, name):
            _at(os.unlink, folder, name)

    def drop_folder(self, key: str) -> None:
        """Remove a folder if it is empty."""
        with contextlib.suppress(OSError), self._located(key) as (folder, name):
            _at(os.rmdir, folder, name)

    def truncate(self, key: str, size: int) -> None:
        """Cut the end off a file."""
        with self.opened(key, os.O_RDWR) as handle:
            os.ftruncate(handle, size)

    def sync_file(self, key: str) -> None:
        """Make a file's content survive a power cut."""
        with self.opened(key, os.O_RDONLY if _HANDLES else os.O_RDWR) as handle:
            os.fsync(handle)

    def sync_folder(self, key: str) -> None:
        """Make renames in a folder survive a power cut, if the system can."""
        if not _HANDLES:
            return
        with self._folder(key) as folder:
            try:
                os.fsync(int(folder))
            except OSError as error:
                if error.errno not in _CANNOT_SYNC:
                    raise

    def touch(self, key: str) -> None:
        """Set the time of a file's last change to now."""
        with self.opened(key, os.O_RDONLY) as handle:
            os.utime(handle if _TIMES else self.path(key), ns=(os.fstat(handle).st_atime_ns, time.time_ns()))

    def set_mode(self, key: str, mode: int) -> None:
        """Set who may read a file or a folder; a link is left alone."""
        found = self.stat(key)
        if found is None or not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
            return
        with self._folder(key) if stat.S_ISDIR(found.st_mode) else self.opened(key) as handle:
            os.fchmod(int(handle), mode)

    def follows(self, key: str) -> bool:
        """Whether a link is one that the user wants followed."""
        return key in self._allowed

    # Handles

    def path(self, key: str) -> Path:
        """Where a file is, to be shown or handed to another program; never to be opened by us."""
        return self.root / native(key)

    @contextmanager
    def _located(self, key: str) -> Iterator[tuple[Handle, str]]:
        """A handle of the folder that a file is in, and the file's name in it."""
        above, name = _split(key)
        with self._folder(above) as folder:
            yield folder, name

    @contextmanager
    def _folder(self, relative: str) -> Iterator[Handle]:
        handle = self._open_folder(native(relative))
        try:
            yield handle
        finally:
            _close(handle)

    def _open_folder(self, relative: str) -> Handle:
        """A handle of a folder below the root; the root itself is the empty text."""
        handle = os.open(self.root, _FOLDER & ~_NO_FOLLOW) if _HANDLES else os.fspath(self.root)
        if not relative:
            return handle
        below = ""
        try:
            for part in relative.split("/"):
                below = f"{below}/{part}" if below else part
                if part in _NO_NAMES or "\0" in part:
                    raise PathRefused(errno.EINVAL, "not a folder of the vault", relative)
                inner = _open_folder(handle, part, below, bool(self._allowed) and below in self._allowed)
                _close(handle)
                handle = inner
        except BaseException:
            _close(handle)
            raise
        return handle


def _split(key: str) -> tuple[str, str]:
    """The folder that a file is in, and its name there."""
    above, _, name = native(key).rpartition("/")
    if name in _NO_NAMES or "\0" in name:
        raise PathRefused(errno.EINVAL, "not the name of a file", key)
    return above, name


def parent_of(key: str) -> str:
    """The folder that a file is in."""
    return key_of(native(key).rpartition("/")[0])


def name_of(key: str) -> str:
    """A file's name without its folder."""
    return native(key).rpartition("/")[2]


def beside(key: str, name: str) -> str:
    """The key of another file in the same folder."""
    above = native(key).rpartition("/")[0]
    return key_of(f"{above}/{name}" if above else name)


def temporary_name() -> str:
    """A name that nothing has, and that no listing takes for a note."""
    return f"{TEMPORARY}{secrets.token_hex(6)}.tmp"


def _close(handle: Handle) -> None:
    if isinstance(handle, int):
        os.close(handle)


def _open_folder(above: Handle, name: str, key: str, allowed: bool) -> Handle:
    if isinstance(above, str):
        path = os.path.join(above, name)  # noqa: PTH118
        found = os.lstat(path)
        if not allowed and (stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", False)):
            raise _is_link(key)
        if not os.path.isdir(path):  # noqa: PTH112
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), key)
        return path
    flags = _FOLDER & ~_NO_FOLLOW if allowed else _FOLDER
    try:
        return os.open(name, flags, dir_fd=above)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR) and stat.S_ISLNK(_lstat(above, name).st_mode):
            raise _is_link(key) from None
        raise


def _open(folder: Handle, name: str, flags: int, mode: int, key: str) -> int:
    """A regular file, open."""
    try:
        if isinstance(folder, str):
            path = os.path.join(folder, name)  # noqa: PTH118
            with contextlib.suppress(FileNotFoundError):
                found = os.lstat(path)
                if stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", False):
                    raise _is_link(key)
            handle = os.open(path, flags | _PLAIN, mode)
        else:
            handle = os.open(name, flags | _PLAIN, mode, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP and not isinstance(error, PathRefused):
            raise _is_link(key) from None
        if error.errno in (errno.ENXIO, errno.EISDIR):  # a FIFO without a reader, a socket, a folder
            raise PathRefused(errno.EINVAL, "not a regular file", key) from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise PathRefused(errno.EINVAL, "not a regular file", key)
    return handle


def _is_link(key: str) -> PathRefused:
    return PathRefused(errno.ELOOP, "leads through a symbolic link, which is not followed", key)


def _lstat(folder: Handle, name: str) -> os.stat_result:
    if isinstance(folder, int):
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    return os.lstat(os.path.join(folder, name))  # noqa: PTH118


def _at(call: Callable[..., None], folder: Handle, name: str, *arguments: object) -> None:
    """Make a system call on a name in a folder."""
    if isinstance(folder, int):
        call(name, *arguments, dir_fd=folder)
    else:
        call(os.path.join(folder, name), *arguments)  # noqa: PTH118


def _at2(call: Callable[..., None], source: Handle, name: str, target: Handle, wanted: str) -> None:
    """The same with two names."""
    if isinstance(source, int):
        call(name, wanted, src_dir_fd=source, dst_dir_fd=target)
    else:
        call(os.path.join(source, name), os.path.join(str(target), wanted))  # noqa: PTH118


def _failed(code: int, key: str) -> OSError:
    return OSError(code, os.strerror(code), key)  # Python makes it a FileExistsError and the like


def _link_new(source: Handle, name: str, target: Handle, wanted: str) -> None:
    """A rename that replaces nothing, for systems that have no such call."""
    try:
        _at2(os.link, source, name, target, wanted)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        os.close(_open(target, wanted, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, wanted))  # no hard links either
        _at2(os.replace, source, name, target, wanted)
        return
    _at(os.unlink, source, name)


def _rename_new(source: Handle, name: str, target: Handle, wanted: str) -> int:
    """Rename, unless the new name is taken. Returns the system's error, 0 for none."""
    if isinstance(source, str):
        os.rename(os.path.join(source, name), os.path.join(str(target), wanted))  # noqa: PTH104, PTH118 - never replaces
        return 0
    return _renameat(source, name, target, wanted, 1 if sys.platform == "linux" else 4)


def _renameat(source: int, name: str, target: Handle, wanted: str, flag: int) -> int:
    call = _system_rename()
    return errno.ENOSYS if call is None else call(source, os.fsencode(name), target, os.fsencode(wanted), flag)


@functools.cache
def _system_rename() -> Callable[..., int] | None:
    """The system's rename with flags (2 exchanges, 1 or 4 replaces nothing), if it has one."""
    import ctypes

    try:
        libc = ctypes.CDLL(None, use_errno=True)
        rename = libc.renameat2 if sys.platform == "linux" else libc.renameatx_np if sys.platform == "darwin" else None
    except (OSError, AttributeError, TypeError):
        return None
    return rename and (lambda *arguments: 0 if rename(*arguments) == 0 else ctypes.get_errno() or errno.EIO)
