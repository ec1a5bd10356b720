"""Checks of what the vault stands on: settings, model, index, locks, disk, and what was left half done."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from vault_mem.errors import Busy, ModelNotFound, VaultMemError, VaultNotFound
from vault_mem.operations.checks.finding import Finding
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import journal
from vault_mem.vault.lock import locked

# A write needs a few times the size of a note; an index of many notes some hundred megabytes.
_FULL = 20_000_000
_NEARLY_FULL = 500_000_000
# git holds its lock for the moment of one command.
_GIT_LOCK_SECONDS = 600
_WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")
_LOCKS = Path("/proc/locks")


def settings(workspace: Workspace) -> Iterator[Finding]:
    """Settings that mean nothing."""
    for warning in workspace.folder.loaded.warnings:
        yield Finding("settings", warning, hint="vault-mem config lists all settings")


def model(workspace: Workspace) -> Iterator[Finding]:
    """An embedding model that is not there."""
    try:
        _ = workspace.embedder.fingerprint
    except ModelNotFound as error:
        yield Finding("model", f"{error.message}; nothing can be searched or saved", hint=error.hint, severity="error")


def index(workspace: Workspace) -> Iterator[Finding]:
    """An index that cannot be opened, has holes, or had to be built anew just now."""
    if list(model(workspace)):
        return  # said already; without the model there is no index to look at
    noticed = len(workspace.notices)
    try:
        workspace.freshen(scan=True)
        table, state = workspace.index.table, workspace.index.state
        columns = ["file", "hash", "memory", "content", "vector"]
        rows = table.select(columns, "n = 0").select(["file", "hash"]).to_pylist()
        wrong = dict(state.hashes()).items() ^ {row["file"]: row["hash"] for row in rows}.items()
    except VaultNotFound:
        raise
    except VaultMemError as error:
        # A model that is there and cannot be loaded shows only here.
        check = "model" if isinstance(error, ModelNotFound) else "index"
        yield Finding(check, error.message, hint=error.hint, severity="error")
        return
    except (OSError, RuntimeError, ValueError, sqlite3.Error):
        wrong = {("", "")}
    if wrong:
        yield Finding(
            "index",
            "the index is damaged: memories are missing from it",
            str(workspace.folder.index_dir),
            hint="your notes are safe; vault-mem reindex builds it anew from them (doctor --fix does)",
            severity="error",
            fix=lambda workspace: workspace.rebuild(),
        )
    for notice in workspace.notices[noticed:]:
        if notice.startswith("index rebuilt"):
            yield Finding("index", notice, str(workspace.folder.index_dir), severity="info")


def locks(workspace: Workspace) -> Iterator[Finding]:
    """A lock that somebody holds, or left behind."""
    folder = workspace.folder
    for path, what in ((folder.own / "lock", "this vault"), (folder.index_dir / "lock", "its index")):
        if not path.exists():
            continue
        try:
            with locked(path, what, wait=0):
                pass
        except Busy:
            holder = _holder(path)
            yield Finding(
                "lock",
                f"another process{f' ({holder})' if holder else ''} is writing {what}",
                str(path),
                hint="if it hangs, end it: the lock goes with its process; deleting the file does not help",
            )
        except VaultMemError as error:
            yield Finding("lock", error.message, str(path), hint=error.hint, severity="error")
    left = folder.root / ".git" / "index.lock"
    try:
        age = time.time() - left.stat().st_mtime
    except OSError:
        return
    if age > _GIT_LOCK_SECONDS:
        yield Finding(
            "lock",
            f"git left a lock {age / 3600:.1f} h ago and refuses to commit",
            ".git/index.lock",
            hint="make sure that no git is running, then delete it",
        )


def _holder(path: Path) -> str:
    """The process that holds a lock, where the system tells."""
    try:
        inode = f":{path.stat().st_ino} "
        lines = _LOCKS.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    return next((f"process {line.split()[4]}" for line in lines if inode in line and "->" not in line), "")


def disk(workspace: Workspace) -> Iterator[Finding]:
    """A disk without room to write."""
    folder = workspace.folder
    seen = set()
    for path, what in ((folder.root, "vault"), (_existing(folder.index_dir), "index")):
        try:
            device, free = path.stat().st_dev, shutil.disk_usage(path).free
        except OSError:
            continue
        if device in seen or free >= _NEARLY_FULL:
            continue
        seen.add(device)
        full = free < _FULL
        yield Finding(
            "disk",
            f"the disk of the {what} is {'full' if full else 'nearly full'}: {free / 1e6:.0f} MB are free",
            str(path),
            hint="free some space; writes are whole or not at all, so nothing is half-written",
            severity="error" if full else "warning",
        )


def _existing(path: Path) -> Path:
    return next((each for each in (path, *path.parents) if each.exists()), path)


def watches(workspace: Workspace) -> Iterator[Finding]:
    """A system that lets nobody watch so many folders as the vault has: changes would be seen late."""
    try:
        most = int(_WATCHES.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return  # not Linux
    count = sum(1 for _ in _folders(workspace.folder.root))
    if count > most // 2:  # other programs watch folders too
        yield Finding(
            "watch-limit",
            f"the vault has {count} folders, and this system lets you watch {most} in all",
            hint=f"raise it: sudo sysctl fs.inotify.max_user_watches={max(524_288, 4 * count)}",
        )


def _folders(root: Path) -> Iterator[str]:
    for place, below, _ in os.walk(root):
        below[:] = [name for name in below if not name.startswith(".")]
        yield place


def interrupted(workspace: Workspace) -> Iterator[Finding]:
    """Operations that did not end, and edits that could not be saved."""
    folder = workspace.folder
    for entry in journal.pending(folder):
        yield Finding(
            "interrupted", f"operation {entry.stem} did not end", hint="the next command that writes finishes it"
        )
    for entry in journal.conflicts(folder):
        yield Finding(
            "interrupted", f"operation {entry.stem} was taken back: a file had changed since", hint="run it again"
        )
    for path in sorted((folder.own / "edits").glob("*.md")):
        if stat.S_ISREG(path.lstat().st_mode):
            yield Finding(
                "interrupted",
                "an edit that could not be saved is kept",
                folder.key(path),
                hint="take what you need of it, then delete it",
            )
