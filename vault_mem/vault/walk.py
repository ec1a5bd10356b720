"""The files of a vault as they are now: one listing, with what is needed to tell whether a file changed."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from vault_mem.errors import VaultNotFound
from vault_mem.model import Problem
from vault_mem.vault.folder import Folder
from vault_mem.vault.settings import VAULT_FILE, Settings
from vault_mem.vault.tree import PathRefused, beside, key_of, name_of, native

_RESERVED_PRIVATE = "REVIEW.md"
_LINK = "is a symbolic link and is not followed"
# Files that a sync service has not downloaded (SPEC O-5).
NOT_DOWNLOADED = "is not downloaded from its sync service"
EMPTIED = "is empty: not downloaded yet, or its text was deleted; what it said is still searched"
# iCloud leaves a hidden stub in place of a file; Nextcloud, ownCloud and odrive one with another ending.
_STUB = re.compile(r"\.(?P<hidden>.+)\.icloud|(?P<plain>[^.].*)\.(?:nextcloud|owncloud|cloud)", re.DOTALL)
_STUBS = (".{}.icloud", "{}.nextcloud", "{}.owncloud", "{}.cloud")
# OneDrive, Dropbox and others mark the file itself: dataless on macOS; offline, or fetched when opened, on Windows.
_DATALESS, _OFFLINE = 0x4000_0000, 0x1000 | 0x4_0000 | 0x40_0000
# A file written this shortly before we looked may have changed again within one tick of the clock.
RACY_NS = 2_000_000_000


class FileState(NamedTuple):
    """What tells, without reading a file, whether it changed."""

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int


@dataclass
class Listing:
    """The notes of a vault by key; `unread` could not be read, so what they hold is unknown."""

    files: dict[str, FileState] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)

    def unreadable(self, key: str, reason: str) -> None:
        """What could not be read is unknown, not gone."""
        self.problems.append(Problem(key, reason))
        self.unread.add(key)

    def unknown(self, key: str) -> bool:
        """Whether a file's absence may only mean that it, or its folder, could not be read."""
        while key and key not in self.unread:
            key = key.rpartition("/")[0]
        return key in self.unread


def walk(folder: Folder) -> Listing:
    """List every note of the vault. A root that cannot be read is an error, never an empty vault."""
    _check_root(folder)
    settings = folder.settings
    listing = Listing()
    for rule in _rules(folder):
        if ".." in rule.top.split("/"):
            listing.problems.append(Problem(rule.top, "include points outside the vault and is not read"))
        else:
            _walk(folder, rule, listing)
    listing.files.pop(f"{settings.private_folder}/{_RESERVED_PRIVATE}", None)
    return listing


def look_at(folder: Folder, keys: Iterable[str]) -> Listing:
    """The same for these files alone, by the same rules: only notes that are there are listed."""
    _check_root(folder)
    listing = Listing()
    rules = _rules(folder)
    reserved = f"{folder.settings.private_folder}/{_RESERVED_PRIVATE}"
    vaults: dict[tuple[str, str], bool] = {}
    for key in keys:
        relative = native(key)
        parent = relative.rpartition("/")[0]
        rule = next((rule for rule in rules if rule.covers(relative)), None)
        if key == reserved or rule is None:
            continue
        try:
            if (rule.above, parent) not in vaults:
                vaults[rule.above, parent] = _of_other_vault(folder, rule, parent)
            if vaults[rule.above, parent]:
                continue
            result = folder.tree.stat(key)
        except OSError as error:
            listing.unreadable(key, f"cannot be read: {error.strerror}")
            continue
        if result is None and has_stub(folder, key):
            listing.unreadable(key, NOT_DOWNLOADED)
        elif result is not None and stat.S_ISREG(result.st_mode):
            _take(key, result, listing)
    return listing


def stub_of(name: str) -> str:
    """The name of the file that a stub stands for, which is not downloaded; empty if this is not a stub."""
    match = _STUB.fullmatch(name) if name.endswith("cloud") else None
    return (match["hidden"] or match["plain"]) if match else ""


def has_stub(folder: Folder, key: str) -> bool:
    """Whether a file is missing because a sync service has not downloaded it."""
    return any(folder.tree.is_file(beside(key, stub.format(name_of(key)))) for stub in _STUBS)


def other_notes(folder: Folder) -> list[str]:
    """The notes that are not memories and could be included, in a folder that need not be a vault yet."""
    listing = Listing()
    _walk(folder, _Rule("", _not_included(folder), _globs(["**"], anchored=True)), listing)
    return list(listing.files)


def watched_folders(folder: Folder) -> list[str]:
    """The folders, below the root, in which notes may lie; the root itself is the empty text."""
    return sorted({rule.top for rule in _rules(folder) if ".." not in rule.top.split("/")})


def _check_root(folder: Folder) -> None:
    if not folder.tree.exists(VAULT_FILE):
        raise VaultNotFound(f"{folder.root} no longer has a {VAULT_FILE}", "is the disk mounted? Nothing was changed")


@dataclass(frozen=True)
class _Rule:
    """Which files below one folder are notes."""

    top: str
    ignored: _Ignored
    wanted: re.Pattern[str] | None

    @property
    def above(self) -> str:
        """Folders below this one may be vaults of their own; the folders that the settings name as ours never are."""
        return self.top if self.wanted is None else ""

    def covers(self, relative: str) -> bool:
        """Whether the walk would come upon this file and take it for a note."""
        if self.top and not relative.startswith(self.top + "/"):
            return False
        below = relative.removeprefix(self.top + "/") if self.top else relative
        parts = below.split("/")
        if any(part.startswith(".") for part in parts):
            return False
        parent = self.top
        for part in parts[:-1]:
            parent = f"{parent}/{part}" if parent else part
            if self.ignored.folder(parent):
                return False
        return _is_note(relative, parts[-1], parent, self.ignored, self.wanted)


def _of_other_vault(folder: Folder, rule: _Rule, relative: str) -> bool:
    """Whether a folder is, or is in, a vault within this one, which itself decides which of its notes are private."""
    while len(relative) > len(rule.above):
        if folder.tree.exists(f"{key_of(relative)}/{VAULT_FILE}"):
            return True
        relative = relative.rpartition("/")[0]
    return False


def _rules(folder: Folder) -> list[_Rule]:
    settings = folder.settings
    tops = _tops(settings)
    rules = [_Rule(top, _Ignored(settings.ignore), None) for top in tops]
    if settings.include:
        wanted = _globs(settings.include, anchored=True)
        ignored = _not_included(folder)
        rules += [_Rule(top, ignored, wanted) for top in sorted({_fixed_part(each) for each in settings.include})]
    return rules


def _not_included(folder: Folder) -> _Ignored:
    """What `include` never covers: memories are notes already, and views are made from them."""
    settings = folder.settings
    shared = ["SELF.md", *(["REVIEW.md"] if settings.review else []), settings.digest_file, settings.views_folder]
    return _Ignored(settings.ignore, [*_tops(settings), settings.sessions_folder, *shared])


def _tops(settings: Settings) -> list[str]:
    return [settings.memories_folder, settings.private_folder, settings.episodes_folder]


def is_ignored(folder: Folder, key: str) -> bool:
    """Whether a file of ours with this name would not be listed as a note."""
    parent, _, name = key.rpartition("/")
    odd = name[:1] in (".", "#", "~") or name.endswith(".tmp.md") or name == parent.rpartition("/")[2] + ".md"
    reserved = key == f"{folder.settings.private_folder}/{_RESERVED_PRIVATE}"
    return odd or reserved or _Ignored(folder.settings.ignore).file(key, name)


class _Ignored:
    """What is not a note: file names, globs, whole folders (globs that end in /**), and paths as they are."""

    def __init__(self, patterns: list[str], exactly: Iterable[str] = ()) -> None:
        self.names = {pattern.lower() for pattern in patterns if not re.search(r"[*?/]", pattern)}
        whole = [pattern.removesuffix("/**") for pattern in patterns if pattern.endswith("/**")]
        others = [pattern for pattern in patterns if re.search(r"[*?/]", pattern) and not pattern.endswith("/**")]
        self._folders = _globs(whole)
        self._files = _globs(others)
        self._exactly = frozenset(exactly)

    def folder(self, relative: str) -> bool:
        return relative in self._exactly or bool(self._folders and self._folders.match(relative))

    def file(self, relative: str, name: str) -> bool:
        return (
            name.lower() in self.names or relative in self._exactly or bool(self._files and self._files.match(relative))
        )


def state_of(result: os.stat_result) -> FileState:
    """A file's state from its stat."""
    return FileState(result.st_mtime_ns, result.st_ctime_ns, result.st_size, result.st_ino)


def content_hash(raw: bytes, size: int) -> str:
    """A hash that tells contents apart; `size` is the whole file's, as `raw` may be only its start."""
    return hashlib.blake2b(raw + size.to_bytes(8), digest_size=16).hexdigest()


def _walk(folder: Folder, rule: _Rule, listing: Listing) -> None:
    ignored, wanted = rule.ignored, rule.wanted
    pending = [rule.top]
    stubs: list[str] = []
    while pending:
        below = pending.pop()
        prefix = below + "/" if below else ""
        try:
            if _of_other_vault(folder, rule, below):
                if wanted is None:  # its notes were memories of ours before
                    listing.problems.append(Problem(key_of(below), "is a vault of its own and is not read"))
                continue
            with folder.tree.scan(key_of(below)) as entries:
                for entry in entries:
                    name = entry.name
                    if name[-5:] == "cloud" and (whole := stub_of(name)):
                        if _is_note(prefix + whole, whole, below, ignored, wanted):
                            stubs.append(key_of(prefix + whole))
                        continue
                    if name[0] == ".":
                        continue
                    relative = prefix + name
                    if name[-3:].lower() == ".md" and not entry.is_dir(follow_symlinks=False):
                        if _is_note(relative, name, below, ignored, wanted):
                            _add(entry, relative, listing)
                    elif entry.is_symlink() and not folder.tree.follows(relative):
                        listing.problems.append(Problem(key_of(relative), _LINK))
                    elif entry.is_dir() and not ignored.folder(relative):
                        pending.append(relative)
        except FileNotFoundError:
            continue
        except PathRefused:
            listing.unreadable(key_of(below), _LINK)
        except OSError as error:
            listing.unreadable(key_of(below), f"cannot be read: {error.strerror}")
    for key in stubs:
        if key not in listing.files:
            listing.unreadable(key, NOT_DOWNLOADED)


def _is_note(relative: str, name: str, parent: str, ignored: _Ignored, wanted: re.Pattern[str] | None) -> bool:
    """Whether a file of this name in this folder is a note, not a temporary or an ignored file.

    A folder note (called like its folder) is not a memory, but may be included.
    """
    if name[-3:].lower() != ".md" or name[0] in "#~" or name.endswith(".tmp.md"):
        return False
    if ignored.file(relative, name):
        return False
    if wanted is None:
        return name != parent.rpartition("/")[2] + ".md"
    return wanted.match(relative) is not None


def _add(entry: os.DirEntry[str], relative: str, listing: Listing) -> None:
    key = key_of(relative)
    try:
        if entry.is_file(follow_symlinks=False):
            _take(key, entry.stat(follow_symlinks=False), listing)
        else:
            reason = _LINK if entry.is_symlink() else "is not a regular file"
            listing.problems.append(Problem(key, reason))
    except FileNotFoundError:
        return
    except OSError as error:
        listing.unreadable(key, f"cannot be read: {error.strerror}")


def _take(key: str, result: os.stat_result, listing: Listing) -> None:
    if is_dataless(result):
        listing.unreadable(key, NOT_DOWNLOADED)
    else:
        listing.files[key] = FileState(result.st_mtime_ns, result.st_ctime_ns, result.st_size, result.st_ino)


def is_dataless(result: os.stat_result) -> bool:
    """Whether only a sync service has a file's content; reading such files would download them one by one."""
    return bool(getattr(result, "st_flags", 0) & _DATALESS or getattr(result, "st_file_attributes", 0) & _OFFLINE)


# What `*` and `**` match between two parts of a glob.
_GAPS = {"": "", "**": ".*", "**/": "(?:[^/]*/)*"}


def _globs(patterns: list[str], *, anchored: bool = False) -> re.Pattern[str] | None:
    """One expression for a list of globs; `**` crosses folders. Unless anchored, they match in any folder."""
    if not patterns:
        return None
    first = "" if anchored else "**/"
    return re.compile("|".join(_glob(pattern, first) for pattern in patterns), re.IGNORECASE | re.DOTALL)


def _glob(pattern: str, first: str) -> str:
    """A glob as an expression that takes linear time, whatever a stranger's settings say.

    The part before a `**` is matched as early as possible and never retried: a later match could not help.
    """
    pieces = re.split(r"((?<![^/])\*\*/|\*\*)", re.sub(r"\*{3,}", "**", pattern.strip("/")))
    *early, last = zip([first, *pieces[1::2]], map(_within, pieces[::2]), strict=True)
    found = "".join(f"(?>{_GAPS[gap]}{'?' * bool(gap)}{part})" for gap, part in early)
    return f"{found}{_GAPS[last[0]]}{last[1]}\\Z"


def _within(text: str) -> str:
    """The same for the part of a glob between two `**`, in which `*` stays within a name."""
    first, *others = (re.escape(each).replace(r"\?", "[^/]") for each in text.split("*"))
    early = "".join(f"(?>[^/]*?{each})" for each in others[:-1])
    return first + early + "".join(f"[^/]*?{each}" for each in others[-1:])


def _fixed_part(pattern: str) -> str:
    """The folders of a glob before its first wildcard: where to start looking."""
    parts = pattern.strip("/").split("/")
    fixed = []
    for part in parts[:-1]:
        if re.search(r"[*?]", part):
            break
        fixed.append(part)
    return "/".join(fixed)
