"""What the guard refused is not lost: it is kept for a month, readable by its owner alone."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from vault_mem.errors import NotFound, VaultMemError
from vault_mem.operations.drafts import Draft
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import files

KEPT = timedelta(days=30)


def keep(workspace: Workspace, draft: Draft, duplicate_of: str) -> None:
    """Put a refused draft aside. That it could not be kept is said, and the refusal stands."""
    now = workspace.folder.now()
    record = {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in asdict(draft).items()
    }
    record["duplicate_of"] = duplicate_of
    path = _folder(workspace) / f"{now:%Y%m%dT%H%M%S%f}-{secrets.token_hex(3)}.json"
    try:
        files.make_folder(path.parent, files.PRIVATE_FOLDER_MODE)
        _prune(workspace)
        files.create(path, json.dumps(record, ensure_ascii=False).encode(), files.PRIVATE_MODE)
    except VaultMemError as error:
        workspace.notices.append(f"the refused text could not be kept: {error.message}")


def last(workspace: Workspace) -> tuple[Draft, Path]:
    """The draft that was refused last, and where it is kept."""
    kept = _kept(workspace)
    if not kept:
        raise NotFound("Nothing was blocked in the last 30 days", "give the text itself to remember")
    record: dict[str, Any] = json.loads(kept[-1].read_bytes())
    record.pop("duplicate_of", None)
    for name in ("valid_from", "valid_to", "created"):
        if record.get(name) is not None:
            record[name] = datetime.fromisoformat(record[name])
    return Draft(**record), kept[-1]


def _prune(workspace: Workspace) -> None:
    oldest = f"{workspace.folder.now() - KEPT:%Y%m%dT%H%M%S%f}"
    for path in _kept(workspace):
        if path.name < oldest:
            path.unlink(missing_ok=True)


def _kept(workspace: Workspace) -> list[Path]:
    oldest = f"{workspace.folder.now() - KEPT - timedelta(days=1):%Y%m%dT%H%M%S%f}"
    return [path for path in sorted(_folder(workspace).glob("*.json")) if path.name >= oldest]


def _folder(workspace: Workspace) -> Path:
    return workspace.folder.own / "blocked"
