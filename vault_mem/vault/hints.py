"""The log of hints: which memories were added to which session's prompts, and which were used again afterwards.

It belongs to this machine and holds only ids, never a word of a prompt or a memory; it can be lost.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from typing import Any

from vault_mem.errors import VaultMemError
from vault_mem.vault import files, machine_folder
from vault_mem.vault.folder import OWN, Folder

KEY = f"{OWN}/hints.jsonl"
# Beyond this size the older half is dropped: only recent hints matter.
_MOST_BYTES = 1_000_000


def note(folder: Folder, session: str, ids: Iterable[str]) -> None:
    """Note that a prompt was looked at, and which memories were shown for it."""
    _append(folder, {"session": session[:80], "ids": list(ids)})


def note_used(folder: Folder, ids: Iterable[str]) -> None:
    """Note that these memories were read or found again: once for each that a hint had shown."""
    if not folder.tree.exists(KEY):
        return
    shown, used = set[str](), set[str]()
    for each in machine_folder.records(folder.tree, KEY):
        shown |= set(each.get("ids", ()))
        used |= set(each.get("used", ()))
    new = sorted((set(ids) & shown) - used)
    if new:
        _append(folder, {"used": new})


def shown_in(folder: Folder, session: str) -> set[str]:
    """The memories that a session has been shown."""
    records = (each for each in machine_folder.records(folder.tree, KEY) if each.get("session") == session[:80])
    return {id_ for each in records for id_ in each.get("ids", ())}


def _append(folder: Folder, record: dict[str, Any]) -> None:
    record = {"at": folder.now().isoformat(), **record}
    with contextlib.suppress(OSError, VaultMemError):  # a failure to count is ignored
        machine_folder.log(folder.tree, KEY, json.dumps(record))
        found = folder.tree.stat(KEY)
        if found and found.st_size > _MOST_BYTES:
            before = folder.tree.read(KEY) or b""
            files.replace(folder.tree, KEY, before, before[before.index(b"\n", len(before) // 2) + 1 :])
