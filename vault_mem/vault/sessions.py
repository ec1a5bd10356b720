"""The files of sessions: one each in `sessions/`, the inbox that hooks fill, and what was removed or missed.

They are this machine's log, for its user alone: 0700 and 0600, ignored by git, written without the journal.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from vault_mem.errors import Conflict, VaultMemError, of_system
from vault_mem.vault import files, machine_folder
from vault_mem.vault.folder import OWN, Folder
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE, TEMPORARY

INBOX = f"{OWN}/inbox"
LOCK = f"{OWN}/sessions.lock"
TABLE = "sessions.db"  # the words of sessions, beside the index
_REMOVED, _MISSED = f"{OWN}/sessions-removed.jsonl", f"{OWN}/uncaptured.jsonl"
_NAME = re.compile(r"\d{4}-\d{2}-\d{2}-([a-z0-9-]+-[0-9a-f]{8})\.md")
_IGNORE = b"# Made by vault-mem: what was said in sessions is not for git.\n*\n"
_MISSED_FOR = timedelta(days=3)
_MOST_WAITING = 10_000
_BEING_WRITTEN = 60  # seconds; a hook ends after two


def tail_of(agent: str, session: str) -> str:
    """What the name of a session's file ends in."""
    return f"{agent}-{hashlib.sha256(f'{agent}:{session}'.encode(errors='replace')).hexdigest()[:8]}"


def key_for(folder: Folder, agent: str, session: str, started: datetime) -> str:
    """Where a new session is kept."""
    day = started.astimezone(folder.zone)
    return f"{folder.settings.sessions_folder}/{day:%Y-%m}/{day:%Y-%m-%d}-{tail_of(agent, session)}.md"


def keys(folder: Folder) -> dict[str, str]:
    """The files of all sessions by the end of their names, in order of date."""
    found: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for _, folders, others in folder.tree.walk(folder.settings.sessions_folder):
            folders[:] = [each for each in folders if re.fullmatch(r"\d{4}-\d{2}", each.rpartition("/")[2])]
            for key in others:
                name = _NAME.fullmatch(key.rpartition("/")[2])
                if name:
                    found[name[1]] = key
    return found


def sweep(folder: Folder) -> None:
    """Remove temporary files that a crash left. The caller holds the lock of the sessions, or of the vault."""
    with contextlib.suppress(OSError):
        for _, _, others in folder.tree.walk(folder.settings.sessions_folder):
            for key in others:
                if key.rpartition("/")[2].startswith(TEMPORARY):
                    folder.tree.drop(key)
    with contextlib.suppress(OSError):
        for name in folder.tree.names(INBOX, ""):  # hooks write there at any time, and take no lock
            found = None if name.endswith(".in") else folder.tree.stat(f"{INBOX}/{name}")
            if found is not None and time.time() - found.st_mtime > _BEING_WRITTEN:
                folder.tree.drop(f"{INBOX}/{name}")


def make_folder(folder: Folder) -> None:
    """Make the folder, for the user alone and ignored by git; raises Conflict if the owner keeps files in it."""
    tree, sessions = folder.tree, folder.settings.sessions_folder
    mark = f"{sessions}/.gitignore"
    if tree.read(mark) == _IGNORE:
        return
    if folder.is_owned(f"{sessions}/x.md") or (
        tree.exists(sessions) and not tree.exists(mark) and not _empty(folder, sessions)
    ):
        raise Conflict(
            f"{sessions}/ has files of yours, so sessions are not kept there",
            "name another folder: vault-mem config set sessions_folder agent/sessions",
        )
    files.make_folder(tree, sessions, PRIVATE_FOLDER_MODE)
    tree.set_mode(sessions, PRIVATE_FOLDER_MODE)
    if not tree.exists(mark):
        files.create(tree, mark, _IGNORE, PRIVATE_MODE)


def _empty(folder: Folder, sessions: str) -> bool:
    with folder.tree.scan(sessions) as entries:
        return not any(True for _ in entries)


def save(folder: Folder, key: str, before: bytes | None, after: bytes) -> None:
    """Write a session's file as a whole: whatever happens, it is the old one or the new one."""
    try:
        if before is None:
            make_folder(folder)
            files.make_folder(folder.tree, key.rpartition("/")[0], PRIVATE_FOLDER_MODE)
        files.put(folder.tree, key, before, after, PRIVATE_MODE)
    except (OSError, VaultMemError) as error:
        if folder.tree.read(key) == after:
            return  # it was written; only the disk did not confirm it
        ours = of_system(error)
        if ours is None:
            raise
        raise ours from error


def drop_table(folder: Folder) -> None:
    """Delete the table of words, which may have removed words in it; it is rebuilt from the sessions that are left."""
    for ending in ("", "-wal", "-shm", "-journal"):
        (folder.index_dir / f"{TABLE}{ending}").unlink(missing_ok=True)


@dataclass(frozen=True)
class InboxItem:
    """What a hook left in the inbox: its file, the agent and folder it named, and its input."""

    name: str
    agent: str
    cwd: str
    hook_input: bytes
    outside: Path | None = None

    def discard(self, folder: Folder) -> None:
        """Remove it, once it has been taken in. If that fails, it is read again and adds nothing new."""
        with contextlib.suppress(OSError, VaultMemError):
            if self.outside is not None:
                self.outside.unlink(missing_ok=True)
            else:
                folder.tree.drop(f"{INBOX}/{self.name}")


def inbox_items(folder: Folder, elsewhere: Path | None = None) -> list[InboxItem]:
    """What hooks have left to be taken in, oldest first; `elsewhere` is their inbox if the vault is not writable."""
    found: list[InboxItem] = []
    for name in folder.tree.names(INBOX, ".in")[:_MOST_WAITING] if folder.tree.exists(INBOX) else ():
        raw = machine_folder.read(folder.tree, f"{INBOX}/{name}")
        agent, _, rest = (raw or b"").partition(b"\n")
        cwd, _, hook_input = rest.partition(b"\n")
        found.append(InboxItem(name, os.fsdecode(agent), os.fsdecode(cwd), hook_input))
    return found + list(_elsewhere(folder, elsewhere))


def _elsewhere(folder: Folder, inbox: Path | None) -> Iterator[InboxItem]:
    try:
        names = sorted(each for each in os.listdir(inbox) if each.endswith(".in")) if inbox else []  # noqa: PTH208
    except OSError:
        return
    for name in names[:_MOST_WAITING]:
        path = inbox / name  # type: ignore[operator]
        with contextlib.suppress(OSError):
            root, agent, cwd, hook_input = [*path.read_bytes().split(b"\n", 3), b"", b"", b""][:4]
            if os.fsdecode(root) == str(folder.root):
                yield InboxItem(name, os.fsdecode(agent), os.fsdecode(cwd), hook_input, path)


def note_missed(folder: Folder, agent: str, reason: str, waits: str = "") -> None:
    """Note what could not be taken in, for wake-ups to report; if it still `waits` in the inbox, until it has been."""
    if f"{agent}: {reason}" in missed(folder):
        return  # it is retried after each command, and reported once
    record = {"at": folder.now().isoformat(timespec="seconds"), "agent": agent, "reason": reason, "waits": waits}
    _log(folder, _MISSED, record)


def missed(folder: Folder) -> list[str]:
    """Why captures of the last days failed, each reason once."""
    since = (folder.now() - _MISSED_FOR).isoformat(timespec="seconds")
    recent = [each for each in machine_folder.records(folder.tree, _MISSED) if str(each.get("at", "")) >= since]
    open_ = [each for each in recent if not each.get("waits") or folder.tree.exists(f"{INBOX}/{each['waits']}")]
    return list(dict.fromkeys(f"{each.get('agent')}: {each.get('reason')}" for each in open_))


def note_removed(folder: Folder, tail: str, read: int) -> None:
    """Note that a session was removed: what had been read of it must not come back, but later turns may."""
    _log(folder, _REMOVED, {"session": tail, "read": read})


def removed(folder: Folder) -> dict[str, int]:
    """The removed sessions, and how far each had been read."""
    return {
        str(each.get("session")): number
        for each in machine_folder.records(folder.tree, _REMOVED)
        if isinstance(number := each.get("read"), int)
    }


def _log(folder: Folder, key: str, record: dict[str, Any]) -> None:
    with contextlib.suppress(OSError, VaultMemError):
        machine_folder.log(folder.tree, key, json.dumps(record, ensure_ascii=False))
