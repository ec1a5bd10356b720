"""The files of a vault as they are now: one listing with what tells whether a file changed."""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from vault_mem.errors import Unsafe, VaultNotFound
from vault_mem.model import Problem
from vault_mem.vault.folder import Folder, key_of
from vault_mem.vault.settings import VAULT_FILE

# What editors and sync services leave beside a note while they save it.
_TEMPORARY = re.compile(r"^[.#~]|~$|\.(?:sw[a-p]|tmp|bak|part|crdownload)$|\.tmp\.md$|^4913$", re.IGNORECASE)
_RESERVED_PRIVATE = "REVIEW.md"
# Made by the tool from memories: an `include` that covers them must not turn views into notes.
_VIEWS = ("memory/**", "MEMORY.md", "SELF.md", "REVIEW.md", "history/**")


class FileState(NamedTuple):
    """What tells whether a file changed without reading it."""

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int


@dataclass
class Listing:
    """The notes of a vault by key; `unread` are folders that could not be listed, so their files are unknown."""

    files: dict[str, FileState] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def unknown(self, key: str) -> bool:
        """Whether a file's absence may only mean that its folder could not be read."""
        return any(key.startswith(folder + "/") for folder in self.unread)


def walk(folder: Folder) -> Listing:
    """List every note of the vault. A root that cannot be read is an error, never an empty vault."""
    if not (folder.root / VAULT_FILE).is_file():
        raise VaultNotFound(f"{folder.root} has no {VAULT_FILE} any more", "is the disk mounted? Nothing was changed")
    settings = folder.settings
    listing = Listing()
    ignored = _globs(settings.ignore)
    tops = (settings.memories_folder, settings.private_folder, settings.episodes_folder)
    for top in tops:
        _walk(folder, top.strip("/"), listing, ignored, None)
    if settings.include:
        wanted = _globs(settings.include)
        ignored = _globs([*settings.ignore, *_VIEWS, *(f"{top}/**" for top in tops)])
        for top in sorted({_fixed_part(pattern) for pattern in settings.include}):
            if ".." in top.split("/"):
                listing.problems.append(Problem(top, "include points outside the vault and is not read"))
            else:
                _walk(folder, top, listing, ignored, wanted)
    if settings.private_folder:
        listing.files.pop(f"{settings.private_folder.strip('/')}/{_RESERVED_PRIVATE}", None)
    return listing


def state_of(result: os.stat_result) -> FileState:
    """A file's state from its stat."""
    return FileState(result.st_mtime_ns, result.st_ctime_ns, result.st_size, result.st_ino)


def _walk(
    folder: Folder, top: str, listing: Listing, ignored: re.Pattern[str] | None, wanted: re.Pattern[str] | None
) -> None:
    root = os.fspath(folder.root)
    pending = [top]
    files = listing.files
    while pending:
        below = pending.pop()
        place = os.path.join(root, below) if below else root  # noqa: PTH118 - hot loop
        if below == top and top and os.path.islink(place):  # noqa: PTH114
            listing.problems.append(Problem(key_of(top), "is a symbolic link and is not followed"))
            listing.unread.append(key_of(top))
            continue
        try:
            with os.scandir(place) as entries:
                found = list(entries)
        except FileNotFoundError:
            continue
        except OSError as error:
            listing.problems.append(Problem(key_of(below), f"cannot be read: {error.strerror}"))
            listing.unread.append(key_of(below))
            continue
        prefix = below + "/" if below else ""
        for entry in found:
            name = entry.name
            if name.startswith("."):
                continue
            relative = prefix + name
            if entry.is_symlink():
                _report_symlink(folder, relative, listing)
            elif entry.is_dir(follow_symlinks=False):
                if not (ignored and ignored.match(relative + "/")):
                    pending.append(relative)
            elif name[-3:].lower() == ".md" and not _TEMPORARY.search(name):
                if ignored and (ignored.match(relative) or ignored.match(name)):
                    continue
                if name[:-3] == below.rpartition("/")[2] or (wanted and not wanted.match(relative)):
                    continue
                _add(entry, key_of(relative), files, listing)


def _add(entry: os.DirEntry[str], key: str, files: dict[str, FileState], listing: Listing) -> None:
    try:
        if not entry.is_file(follow_symlinks=False):
            listing.problems.append(Problem(key, "is not a regular file"))
            return
        files[key] = state_of(entry.stat(follow_symlinks=False))
    except FileNotFoundError:
        return
    except OSError as error:
        listing.problems.append(Problem(key, f"cannot be read: {error.strerror}"))
        listing.unread.append(key)
        if error.errno == errno.EIO:
            raise Unsafe(f"{key}: the disk reports an error: {error.strerror}", "nothing was changed") from error


def _report_symlink(folder: Folder, relative: str, listing: Listing) -> None:
    target = os.path.realpath(folder.root / relative)
    inside = target.startswith(os.fspath(folder.root) + os.sep)
    if not inside:
        listing.problems.append(Problem(key_of(relative), "is a symbolic link out of the vault and is not followed"))


def _globs(patterns: list[str]) -> re.Pattern[str] | None:
    """One expression for a list of globs; `**` crosses folders, a pattern ending in /** takes the folder whole."""
    if not patterns:
        return None
    parts = []
    for pattern in patterns:
        pieces = re.split(r"(\*\*/?|\*|\?)", pattern.strip("/"))
        signs = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
        parts.append("".join(signs.get(piece) or re.escape(piece) for piece in pieces))
    return re.compile(f"(?:{'|'.join(parts)})$", re.IGNORECASE)


def _fixed_part(pattern: str) -> str:
    """The folders of a glob before its first sign: where to start looking."""
    parts = pattern.strip("/").split("/")
    fixed = []
    for part in parts[:-1]:
        if re.search(r"[*?]", part):
            break
        fixed.append(part)
    return "/".join(fixed)
