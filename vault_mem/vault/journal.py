"""Transactions: what a command will do is written down and synced before it is done.

So a crash in between is finished or taken back at the next start, and everything can be undone.

An entry is one JSON file in `.vault-mem/journal/`, named by its operation: `{op}.pending` until every
step is done, then `{op}.json`. It holds the file contents before and after, so it is as private as they are.
"""

from __future__ import annotations

import base64
import contextlib
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vault_mem.errors import Conflict, Unsafe, VaultMemError
from vault_mem.vault import files
from vault_mem.vault.folder import Folder
from vault_mem.vault.lock import locked


@dataclass(frozen=True)
class Step:
    """One file's content before and after; None where there is no file."""

    key: str
    before: bytes | None
    after: bytes | None
    mode: int = files.PUBLIC_MODE
    keep_time: bool = False


@dataclass
class Transaction:
    """The changes of one command, made together by `commit`."""

    folder: Folder
    command: str
    reason: str = ""
    op: str = ""
    steps: list[Step] = field(default_factory=list)

    def create(self, key: str, data: bytes) -> None:
        """Add a new file; in the private folder only its owner can read it."""
        mode = files.PRIVATE_MODE if self.folder.is_private(key) else files.PUBLIC_MODE
        self.steps.append(Step(key, None, data, mode))

    def write(self, key: str, before: bytes, after: bytes, *, keep_time: bool = False) -> None:
        """Change a file that says `before`; `keep_time` where the change is ours and not the owner's."""
        if before != after:
            self.steps.append(Step(key, before, after, keep_time=keep_time))

    def append(self, key: str, line: bytes) -> None:
        """Add a line at the end of a file, which is made where it is missing."""
        for place, step in enumerate(self.steps):
            if step.key == key:
                self.steps[place] = Step(key, step.before, (step.after or b"") + line, step.mode)
                return
        before = _read(self.folder, key)
        mode = files.PRIVATE_MODE if self.folder.is_private(key) else files.PUBLIC_MODE
        self.steps.append(Step(key, before, (before or b"") + line, mode))

    def remove(self, key: str, before: bytes) -> None:
        """Take a file away that says `before`."""
        self.steps.append(Step(key, before, None))

    def commit(self) -> str:
        """Do it: all steps, or none. Returns the operation's name; raises Conflict if a file changed meanwhile."""
        for step in self.steps:
            if not _ours(self.folder, step):
                raise Unsafe(f"{step.key} leads out of the vault and is not written", "is one of its folders a link?")
            if _read(self.folder, step.key) != step.before:
                raise Conflict(f"{step.key} changed while it was being edited", "nothing was written; try again")
        stamp = self.folder.now().strftime("%Y%m%dT%H%M%S")
        self.op = f"{stamp}-{secrets.token_hex(4)}"
        pending = _journal(self.folder) / f"{self.op}.pending"
        files.make_folder(pending.parent, files.PRIVATE_FOLDER_MODE)
        files.create(pending, _dump(self), files.PRIVATE_MODE)
        done: list[Step] = []
        try:
            for step in self.steps:
                _apply(self.folder, step)
                done.append(step)
        except VaultMemError:
            _take_back(self.folder, done)
            pending.unlink(missing_ok=True)
            raise
        with contextlib.suppress(OSError):  # left pending, it is found done at the next start
            pending.rename(pending.with_suffix(".json"))
        return self.op


@contextmanager
def writing(folder: Folder) -> Iterator[None]:
    """Hold the vault for writing: one writer at a time, and what a crash left is put right first."""
    with folder.writer:
        if folder.writing:  # already held by an operation that this one is part of
            yield
            return
        with locked(folder.own / "lock", "this vault"):
            folder.writing = True
            try:
                recover(folder)
                yield
            finally:
                folder.writing = False


def pending(folder: Folder) -> list[Path]:
    """Operations that began and did not end."""
    try:
        return sorted(_journal(folder).glob("*.pending"))
    except OSError:
        return []


def conflicts(folder: Folder) -> list[Path]:
    """Operations that were taken back because a file had changed since."""
    try:
        return sorted(_journal(folder).glob("*.conflict"))
    except OSError:
        return []


def recover(folder: Folder) -> list[str]:
    """Finish what a crash interrupted, or take it back where a file has changed since. Returns what was done."""
    said = []
    for entry in pending(folder):
        steps = _load(entry)
        if steps is None:  # cut off while it was being written: nothing had been done yet
            entry.unlink(missing_ok=True)
            continue
        if not all(_ours(folder, step) for step in steps):  # planted: we never write outside our folders
            entry.rename(entry.with_suffix(".conflict"))
            said.append(f"refused {entry.stem}: it would write outside the vault's notes")
            continue
        _sweep(folder, steps)
        states = [_read(folder, step.key) for step in steps]
        untouched = all(state in (step.before, step.after) for state, step in zip(states, steps, strict=True))
        if untouched:
            for step, state in zip(steps, states, strict=True):
                if state != step.after:
                    _apply(folder, step)
            entry.rename(entry.with_suffix(".json"))
            said.append(f"finished {entry.stem}")
        else:
            _take_back(folder, [step for step, state in zip(steps, states, strict=True) if state == step.after])
            entry.rename(entry.with_suffix(".conflict"))
            said.append(f"took back {entry.stem}: a file had changed since")
    return said


def _ours(folder: Folder, step: Step) -> bool:
    """Whether a step writes a note of ours, and nothing else; a vault, and its journal, may come from a stranger."""
    parts = step.key.split("/")
    note = step.key.lower().endswith(".md") and folder.is_owned(step.key)
    plain = note and all(part and not part.startswith(".") for part in parts)
    mode = step.mode in (files.PUBLIC_MODE, files.PRIVATE_MODE)
    return mode and (plain or folder.is_history(step.key)) and folder.contains(folder.path(step.key))


def _sweep(folder: Folder, steps: list[Step]) -> None:
    """Remove what an interrupted write left beside its target."""
    for parent in {folder.path(step.key).parent for step in steps} | {_journal(folder)}:
        for left in parent.glob(".vault-mem-*.tmp"):
            left.unlink(missing_ok=True)


def _journal(folder: Folder) -> Path:
    return folder.own / "journal"


def _apply(folder: Folder, step: Step) -> None:
    path = folder.path(step.key)
    if step.after is None:
        files.remove(path, step.before or b"")
    elif step.before is None:
        private = folder.is_private(step.key)
        files.make_folder(path.parent, files.PRIVATE_FOLDER_MODE if private else 0o755)
        files.create(path, step.after, step.mode)
    else:
        files.replace(path, step.before, step.after, keep_time=step.keep_time)


def _take_back(folder: Folder, done: list[Step]) -> None:
    for step in reversed(done):
        _apply(folder, Step(step.key, step.after, step.before, step.mode, step.keep_time))


def _read(folder: Folder, key: str) -> bytes | None:
    try:
        return folder.path(key).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise VaultMemError(f"cannot read {key}: {error.strerror}") from error


def _dump(transaction: Transaction) -> bytes:
    record: dict[str, Any] = {
        "op": transaction.op,
        "command": transaction.command,
        "reason": transaction.reason,
        "at": transaction.folder.now().isoformat(),
        "steps": [
            {
                "key": step.key,
                "before": _pack(step.before),
                "after": _pack(step.after),
                "mode": step.mode,
                "keep_time": step.keep_time,
            }
            for step in transaction.steps
        ],
    }
    return json.dumps(record, ensure_ascii=False).encode()


def _load(entry: Path) -> list[Step] | None:
    try:
        record = json.loads(entry.read_bytes())
        return [
            Step(
                each["key"], _unpack(each["before"]), _unpack(each["after"]), each["mode"], bool(each.get("keep_time"))
            )
            for each in record["steps"]
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _pack(data: bytes | None) -> Any:
    """Text as text, so that a person can read the journal; other bytes as base64."""
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _unpack(value: Any) -> bytes | None:
    if value is None:
        return None
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else bytes(value.encode())
