"""Checks of what the vault depends on: settings, model, index, locks, disk, and of interrupted operations."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import stat
import time
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

from vault_mem.errors import Busy, ModelNotFound, VaultMemError, VaultNotFound
from vault_mem.operations import sharing
from vault_mem.operations.vaults.checks.finding import Finding
from vault_mem.operations.workspace import INDEX_ERRORS, Workspace
from vault_mem.vault import journal, late, machine_folder, outside
from vault_mem.vault.folder import GIT_LISTS, LOCK, OWN, Folder
from vault_mem.vault.lock import locked
from vault_mem.vault.tree import Tree

# In bytes. A write needs a few times the size of a note; an index of many notes takes some hundred megabytes.
_FULL = 20_000_000
_NEARLY_FULL = 500_000_000
# git holds its lock only while a command runs.
_GIT_LOCK_SECONDS = 600
_LATELY = timedelta(days=1)
_WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")
_LOCKS = Path("/proc/locks")
_FILES = (*GIT_LISTS, ".obsidian/templates.json", ".obsidian/types.json", "REVIEW.md", "SELF.md")
_OWN_FOLDERS = ("blocked", "candidates", "cookies", "edits", "inbox", "journal", "log", "purging", "trash")


def settings(workspace: Workspace) -> Iterator[Finding]:
    """Unknown or invalid settings."""
    for warning in workspace.folder.loaded.warnings:
        yield Finding(warning, hint="vault-mem config lists all settings")


def model(workspace: Workspace) -> Iterator[Finding]:
    """A missing embedding model."""
    try:
        _ = workspace.embedder.fingerprint
    except ModelNotFound as error:
        yield Finding(f"{error.message}; nothing can be searched or saved", hint=error.hint, severity="error")


def index(workspace: Workspace) -> Iterator[Finding]:
    """An index that cannot be opened, has holes, or had to be rebuilt just now."""
    if list(model(workspace)):
        return  # reported already; without the model, the index cannot be opened
    noticed = len(workspace.notices)
    try:
        workspace.freshen(scan=True)
        damaged = workspace.index.has_holes()
    except VaultNotFound:
        raise
    except VaultMemError as error:
        # a model that exists but cannot be loaded is only noticed here
        check = "model" if isinstance(error, ModelNotFound) else "index"
        yield Finding(error.message, hint=error.hint, severity="error", check=check)
        return
    except INDEX_ERRORS:
        damaged = True
    if damaged:
        message = "the index is damaged: memories are missing from it"
        hint = "your notes are safe; vault-mem reindex rebuilds it from them (doctor --fix does)"
        yield Finding(message, str(workspace.folder.index_dir), hint=hint, severity="error", fix=workspace.rebuild)
    for notice in workspace.notices[noticed:]:
        if notice.startswith("index rebuilt"):
            yield Finding(notice, str(workspace.folder.index_dir), severity="info")


def store(workspace: Workspace) -> Iterator[Finding]:
    """A store of shared rows that cannot be used, or still holds what was purged or made private."""
    try:
        found = sharing.status(workspace)
    except INDEX_ERRORS:
        return  # the check of the index reports that
    if found and found.to_remove:
        message = f"what was purged or made private is still in the store: {found.trouble or 'another machine is busy'}"
        hint = found.hint or "the next command tries again (doctor --fix does now)"
        yield Finding(message, found.uri, hint=hint, severity="error", fix=partial(sharing.withdraw, workspace))
    elif found and found.trouble:
        hint = f"this machine works without it; {found.hint}"
        yield Finding(found.trouble, found.uri, hint=hint)


def locks(workspace: Workspace) -> Iterator[Finding]:
    """A lock that another process holds, or that git left behind."""
    folder = workspace.folder
    for tree, key, what in (
        (folder.tree, LOCK, "this vault"),
        (*outside.tree_and_key(folder.index_dir / "lock"), "its index"),
    ):
        path = tree.path(key)
        if not tree.exists(key):
            continue
        try:
            with locked(tree, key, what, wait=0):
                pass
        except Busy:
            holder = _holder(tree, key)
            hint = "if it hangs, end it: the lock goes with its process; deleting the file does not help"
            yield Finding(f"another process{f' ({holder})' if holder else ''} is writing {what}", str(path), hint=hint)
        except VaultMemError as error:
            yield Finding(error.message, str(path), hint=error.hint, severity="error")
    left = folder.tree.stat(".git/index.lock")
    age = time.time() - left.st_mtime if left else 0.0
    if age > _GIT_LOCK_SECONDS:
        hint = "make sure that no git is running, then delete it"
        yield Finding(f"git left a lock {age / 3600:.1f} h ago and refuses to commit", ".git/index.lock", hint=hint)


def _holder(tree: Tree, key: str) -> str:
    """The process that holds a lock, if the system tells."""
    try:
        found = tree.stat(key)
        inode = f":{found.st_ino if found else 0} "
        lines = _LOCKS.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    return next((f"process {line.split()[4]}" for line in lines if inode in line and "->" not in line), "")


def disk(workspace: Workspace) -> Iterator[Finding]:
    """A disk without room to write."""
    folder = workspace.folder
    seen = set()
    home = folder.index_dir
    home = next((each for each in (home, *home.parents) if each.exists()), home)
    for path, what in ((folder.root, "vault"), (home, "index")):
        try:
            device, free = path.stat().st_dev, shutil.disk_usage(path).free
        except OSError:
            continue
        if device in seen or free >= _NEARLY_FULL:
            continue
        seen.add(device)
        full = free < _FULL
        message = f"the disk of the {what} is {'full' if full else 'nearly full'}: {free / 1e6:.0f} MB are free"
        hint = "free some space; writes are whole or not at all, so nothing is half-written"
        yield Finding(message, str(path), hint=hint, severity="error" if full else "warning")


def watches(workspace: Workspace) -> Iterator[Finding]:
    """A limit on watched folders that is too low for the vault, so that changes would be noticed late."""
    try:
        most = int(_WATCHES.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return  # not Linux
    count = sum(1 for _ in workspace.folder.tree.walk_shown())
    if count > most // 2:  # other programs watch folders too
        hint = f"raise it: sudo sysctl fs.inotify.max_user_watches={max(524_288, 4 * count)}"
        yield Finding(f"the vault has {count} folders, and this system lets you watch {most} in all", hint=hint)


def interrupted(workspace: Workspace) -> Iterator[Finding]:
    """Operations that were cut short, and edits that could not be saved."""
    folder = workspace.folder
    for name in journal.pending(folder):
        yield Finding(f"operation {name} did not end", hint="the next command that writes finishes it")
    for name in journal.conflicts(folder):
        yield Finding(f"operation {name} was taken back: a file had changed since", hint="run it again")
    for name in folder.tree.names(f"{OWN}/edits", ".md"):
        hint = "take what you need from it, then delete it"
        yield Finding("an edit that could not be saved is kept", f"{OWN}/edits/{name}", hint=hint)


def set_aside(workspace: Workspace) -> Iterator[Finding]:
    """Damaged or foreign files that were moved out of this machine's records (SPEC S-2)."""
    for key, why in machine_folder.aside(workspace.folder.tree):
        message = f"it was among this machine's records, but is not one of them{f': {why}' if why else ''}"
        hint = "nothing was done with it; delete it, unless you know what it is"
        yield Finding(message, key, hint=hint)


def late_words(workspace: Workspace) -> Iterator[Finding]:
    """Replaced files that another program still has open, and what it wrote into them too late (SPEC S-4)."""
    folder = workspace.folder
    for each in late.kept_files(folder):
        message = "a program still has a file open that an operation replaced or removed"
        hint = "close it there; what it has written then comes back into the note"
        yield Finding(message, each.key, hint=hint, severity="info")
    oldest = folder.now() - _LATELY
    for entry in itertools.takewhile(lambda entry: entry.at > oldest, journal.standing(folder)):
        if entry.command == late.COMMAND:
            message = "a program wrote into it after it had been replaced or removed; its words were kept"
            hint = f"check that they are where you want them; vault-mem undo {entry.op} takes that back"
            yield Finding(message, entry.steps[0].key if entry.steps else "", hint=hint, severity="info")


def odd_files(workspace: Workspace) -> Iterator[Finding]:
    """A link, a pipe or a folder in place of one of our files, or a file in place of a folder (SPEC S-1, S-2).

    All of them are reported, even those that no check reads.
    """
    tree = workspace.folder.tree
    for key, is_folder in _places(workspace.folder):
        found = tree.stat(key)
        if found is None or tree.follows(key):
            continue
        if not (stat.S_ISDIR if is_folder else stat.S_ISREG)(found.st_mode):
            yield Finding(
                f"is {_words(found.st_mode)} and not a {'folder' if is_folder else 'plain file'}; it is left alone",
                key,
                hint="remove it, or put back what belongs there",
            )


def _places(folder: Folder) -> Iterator[tuple[str, bool]]:
    """The paths of our files and folders, and whether each should be a folder."""
    private = folder.settings.private_folder
    ours = [OWN, *(f"{OWN}/{name}" for name in _OWN_FOLDERS)]
    folders = [*ours, folder.settings.views_folder, "history", f"{private}/.history"]
    yield from ((key, False) for key in (*_FILES, folder.settings.digest_file, f"{private}/REVIEW.md"))
    yield from ((key, True) for key in folders)
    for parent in folders:
        with contextlib.suppress(OSError), folder.tree.scan(parent) as entries:
            below = {f"{parent}/{entry.name}" for entry in entries}
            yield from ((key, False) for key in sorted(below - {*folders, f"{OWN}/aside"}))


def _words(mode: int) -> str:
    kinds = {
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFDIR: "a folder",
        stat.S_IFREG: "a plain file",
    }
    return kinds.get(stat.S_IFMT(mode), "a device")
