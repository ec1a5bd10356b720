"""close, done, reopen and confirm: what is out of date is closed, never deleted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from vault_mem.errors import Conflict, InvalidInput
from vault_mem.model import Memory
from vault_mem.notes.edit import edit
from vault_mem.notes.parse import read_time
from vault_mem.notes.yamlish import Value
from vault_mem.operations.changing import changes, to_change, to_edit_in
from vault_mem.operations.upkeep.edit_memory import EditResult, write
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.journal import Transaction

DONE, OPEN = "done", "open"


@changes
def close(workspace: Workspace, id_: str, reason: str = "", at: datetime | None = None) -> EditResult:
    """End a memory's validity, now or at a given time; it stays, and `recall --closed` and `--as-of` find it."""
    return _close(workspace, to_change(workspace, id_), "close", reason, at)


@changes
def done(workspace: Workspace, id_: str, reason: str = "", at: datetime | None = None) -> EditResult:
    """End a task: it is done, now or at a given time (SPEC T-7)."""
    memory = to_change(workspace, id_)
    if memory.kind != "task":
        raise InvalidInput(f"{memory.id} is of kind {memory.kind}: only a task can be done", "see close")
    return _close(workspace, memory, "done", reason, at, DONE)


@changes
def reopen(workspace: Workspace, id_: str, reason: str = "") -> EditResult:
    """Make a closed memory valid again; a task that was done is open."""
    memory = to_change(workspace, id_)
    if memory.valid_to is None:
        raise Conflict(f"{memory.id} is not closed", "there is nothing to reopen")
    transaction = Transaction(workspace.folder, "reopen", reason, ids=[memory.id])
    _edit(transaction, workspace, memory, {"valid_to": None} | ({"status": OPEN} if memory.status == DONE else {}))
    views.follow(transaction, memory, replace(memory, valid_to=None))
    return write(workspace, transaction, memory)


@changes
def confirm(workspace: Workspace, id_: str, reason: str = "") -> EditResult:
    """Note that a memory is still true. Nothing else does that; in particular, a recall does not."""
    memory = to_change(workspace, id_)
    now = workspace.folder.now().replace(microsecond=0)
    if memory.closed_at(now):
        raise Conflict(f"{memory.id} is closed", "reopen it first")
    transaction = Transaction(workspace.folder, "confirm", reason, ids=[memory.id])
    _edit(transaction, workspace, memory, {"last_confirmed": now})
    return write(workspace, transaction, memory)


def _close(
    workspace: Workspace, memory: Memory, command: str, reason: str, at: datetime | None, status: str | None = None
) -> EditResult:
    transaction = Transaction(workspace.folder, command, reason, ids=[memory.id])
    close_in(transaction, workspace, memory, _end(workspace, memory, at), status)
    return write(workspace, transaction, memory)


def _end(workspace: Workspace, memory: Memory, at: datetime | None) -> datetime:
    """The moment at which a memory ends; raises if it cannot end then."""
    found = read_time(workspace.folder.now() if at is None else at, workspace.folder.zone)
    if found is None:
        raise InvalidInput(f"it cannot end at {at!r}", "give a time that can be shown in any zone")
    moment = found.replace(microsecond=0)
    if at is None and memory.closed_at(moment):
        raise Conflict(f"{memory.id} is already closed", f"since {memory.valid_to:%Y-%m-%d %H:%M}; see reopen")
    if memory.valid_from and moment < memory.valid_from:
        raise InvalidInput(f"it cannot end before it began, on {memory.valid_from:%Y-%m-%d %H:%M}")
    return moment


def close_in(
    transaction: Transaction, workspace: Workspace, memory: Memory, at: datetime, status: str | None = None
) -> None:
    """Close a memory as part of a transaction."""
    at = at.astimezone(workspace.folder.zone).replace(microsecond=0)
    _edit(transaction, workspace, memory, {"valid_to": at} | ({} if status is None else {"status": status}))
    views.follow(transaction, memory, replace(memory, valid_to=at, status=status or memory.status))


def _edit(transaction: Transaction, workspace: Workspace, memory: Memory, changes: Mapping[str, Value | None]) -> None:
    raw = to_edit_in(transaction, workspace, memory)
    transaction.write(memory.path, raw, edit(raw, changes))
