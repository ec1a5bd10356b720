"""Texts that the guard refused are kept for a month, readable only by the owner."""

from __future__ import annotations

import contextlib
import json
import secrets
from datetime import datetime, timedelta
from typing import Any

from vault_mem.errors import NotFound, VaultMemError
from vault_mem.model import TIME_KEYS
from vault_mem.operations.memory.drafts import Draft
from vault_mem.operations.workspace import Workspace
from vault_mem.result import as_record
from vault_mem.vault import files, machine_folder
from vault_mem.vault.folder import OWN, Folder
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE

KEPT = timedelta(days=30)
_FOLDER = f"{OWN}/blocked"


def keep_refused(workspace: Workspace, draft: Draft, duplicate_of: str) -> None:
    """Keep a refused draft. If that fails, a notice says so, and the refusal stands."""
    now = workspace.folder.now()
    record = as_record(draft, duplicate_of=duplicate_of)
    key = f"{_FOLDER}/{now:%Y%m%dT%H%M%S%f}-{secrets.token_hex(3)}.json"
    tree = workspace.folder.tree
    try:
        files.make_folder(tree, _FOLDER, PRIVATE_FOLDER_MODE)
        files.create(tree, key, json.dumps(record, ensure_ascii=False).encode(), PRIVATE_MODE)
    except VaultMemError as error:
        workspace.notices.append(f"the refused text could not be kept: {error.message}")


def last_refused(folder: Folder) -> tuple[Draft, str]:
    """The draft that was refused last, and the key under which it is kept."""
    for key in reversed(_kept(folder)):
        draft = _load(folder, key) if key >= _oldest(folder) else None
        if draft is not None:
            return draft, key
    raise NotFound("Nothing was blocked in the last 30 days", "give the text itself to remember")


def _load(folder: Folder, key: str) -> Draft | None:
    raw = machine_folder.read(folder.tree, key)
    try:
        record: dict[str, Any] = json.loads(raw or b"")
        record.pop("duplicate_of", None)
        for name in TIME_KEYS:
            if record.get(name) is not None:
                record[name] = datetime.fromisoformat(record[name])
        return Draft(**record)
    except (ValueError, TypeError, AttributeError):
        machine_folder.set_aside(folder.tree, key, "not a text that was refused")
        return None


def drop_old(workspace: Workspace) -> None:
    """Delete what was refused more than a month ago; if that fails, the next call tries again."""
    with contextlib.suppress(OSError):
        for key in _kept(workspace.folder):
            if key < _oldest(workspace.folder):
                workspace.folder.tree.drop(key)


def _oldest(folder: Folder) -> str:
    return f"{_FOLDER}/{folder.now() - KEPT:%Y%m%dT%H%M%S%f}"


def _kept(folder: Folder) -> list[str]:
    names = sorted(
        name for name, regular in machine_folder.entries(folder.tree, _FOLDER) if regular and name.endswith(".json")
    )
    return [f"{_FOLDER}/{name}" for name in names]
