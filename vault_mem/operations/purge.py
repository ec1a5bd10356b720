"""purge: a memory is forgotten and nothing of it is kept: no trash, no journal, no history, no old index version.

That it is under way is written down first (`.vault-mem/purging/{id}.json`, names only), so that what a crash
interrupts is finished at the next start.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from vault_mem.errors import NotFound
from vault_mem.model import Memory
from vault_mem.notes.parse import parse
from vault_mem.operations.forget import DELETIONS, ForgetResult, Trashed, forget, in_trash, log_deletion
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import files, history
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction
from vault_mem.vault.steps import read


def purge(workspace: Workspace, id_: str, reason: str = "") -> ForgetResult:
    """Forget a memory, or one that lies in the trash already, and remove every trace of it before returning."""
    folder = workspace.folder

    def act() -> ForgetResult:
        try:
            memory = workspace.to_change(id_)
        except NotFound as error:
            return _purge_trashed(workspace, id_, reason, error)
        _begin(folder, memory)
        result = forget(workspace, memory.id, reason)
        finish(workspace)
        return ForgetResult(memory, result.references, result.left, purged=True)

    return workspace.changing(act)


def _purge_trashed(workspace: Workspace, id_: str, reason: str, error: NotFound) -> ForgetResult:
    try:
        trashed = in_trash(workspace.folder, id_)
    except NotFound:
        raise error from None
    memory = _memory_of(workspace.folder, trashed)
    _begin(workspace.folder, memory)
    transaction = Transaction(workspace.folder, "forget --purge", reason, ids=[memory.id])
    log_deletion(transaction, memory.id, workspace.folder.now().isoformat(), reason)
    transaction.commit()
    finish(workspace)
    return ForgetResult(memory, [], purged=True)


def _memory_of(folder: Folder, trashed: Trashed) -> Memory:
    raw = trashed.step.before or b""
    memory = parse(raw, trashed.key, mtime=0, zone=folder.zone, private=folder.is_private(trashed.key)).memory
    memory.id = trashed.id
    return memory


def unfinished(folder: Folder) -> list[Path]:
    """Purges that began and did not end."""
    return sorted((folder.own / "purging").glob("*.json"))


def finish(workspace: Workspace) -> None:
    """Remove every trace of what is being purged; the files themselves are gone already."""
    folder = workspace.folder
    for marker in unfinished(folder):
        try:
            names = [str(name) for name in json.loads(marker.read_bytes())["names"]]
        except (OSError, ValueError, KeyError, TypeError):
            names = [marker.stem]
        _scrub_own(folder, marker.stem, names)
        _scrub_history(folder, marker.stem, names)
        workspace.rebuild()
        marker.unlink(missing_ok=True)


def _begin(folder: Folder, memory: Memory) -> None:
    path = folder.own / "purging" / f"{memory.id}.json"
    files.make_folder(path.parent, files.PRIVATE_FOLDER_MODE)
    if not path.exists():
        stem = memory.path.rsplit("/", 1)[-1].removesuffix(".md")
        names = sorted({memory.id, memory.id.partition("_")[2][:8], stem})
        files.create(path, json.dumps({"names": names}, ensure_ascii=False).encode(), files.PRIVATE_MODE)


def _scrub_own(folder: Folder, id_: str, names: list[str]) -> None:
    """This machine's records: entries that mention it are dropped whole, the deletion log keeps the id."""
    (folder.own / "trash" / f"{id_}.json").unlink(missing_ok=True)
    for place in ("journal", "blocked"):
        for path in (folder.own / place).glob("*"):
            if _mentions(path.read_bytes(), names):
                path.unlink(missing_ok=True)
    for path in (folder.own / "trash").glob("*.json"):
        _rewrite(path, lambda text: json.dumps(_scrubbed(json.loads(text), names), ensure_ascii=False), names)
    for path in folder.own.glob("*.jsonl"):
        if folder.key(path) != DELETIONS:
            _rewrite(path, lambda text: _without_lines(text, names), names)


def _scrub_history(folder: Folder, id_: str, names: list[str]) -> None:
    for key in history.history_keys(folder):
        raw = read(folder, key)
        if raw and _mentions(raw, names):
            _rewrite(folder.path(key), lambda text: _history_without(text, id_, names), names)


def _rewrite(path: Path, change: Any, names: list[str]) -> None:
    before = path.read_bytes()
    if _mentions(before, names):
        after = change(before.decode(errors="replace"))
        if after:
            files.replace(path, before, after.encode())
        else:
            files.remove(path, before)


def _history_without(text: str, id_: str, names: list[str]) -> str:
    lines = []
    for line in text.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if isinstance(record, dict) and record.get("id") == id_:
            continue
        if isinstance(record, dict) and _mentions(line.encode(), names):
            line = json.dumps(_scrubbed(record, names), ensure_ascii=False)
        lines.append(line)
    return "".join(line + "\n" for line in lines)


def _scrubbed(value: Any, names: Iterable[str]) -> Any:
    """The same record without links to what is purged."""
    if isinstance(value, dict):
        return {key: _scrubbed(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_scrubbed(each, names) for each in value]
    if not isinstance(value, str):
        return value
    for name in names:
        link = rf"\[\[[^\[\]\n]*{re.escape(name)}[^\[\]\n]*\]\]"
        value = re.sub(rf"^[ \t]*-[ \t]*[\"']?{link}[\"']?[ \t]*\n", "", value, flags=re.MULTILINE)
        value = re.sub(rf"^.*\[id:{re.escape(name)}\].*\n?", "", value, flags=re.MULTILINE)
        value = re.sub(link, "(purged)", value)
    return value


def _without_lines(text: str, names: list[str]) -> str:
    return "".join(line + "\n" for line in text.splitlines() if not _mentions(line.encode(), names))


def _mentions(raw: bytes, names: Iterable[str]) -> bool:
    return any(name.encode() in raw for name in names)
