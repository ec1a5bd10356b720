"""What operations do with a store that machines share (SPEC L-3); nothing if the vault has no store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from vault_mem.errors import StoreError
from vault_mem.operations.workspace import Workspace

if TYPE_CHECKING:
    from vault_mem.index.shared import Shared
    from vault_mem.store.ledger import StoreStatus


def share(workspace: Workspace) -> None:
    """After an answer: upload rows that other machines can use, and remove what must not be in the store."""
    shared = _shared(workspace)
    if shared is None:
        return
    trouble = ""
    try:
        shared.share()
    except StoreError as error:
        trouble = _could_not(error) if shared.owes else f"{error.message}; this machine works without it"
    if trouble != (shared.ledger.get("told") or ""):  # one notice; after that, `status` and `doctor` report it
        shared.ledger.put(told=trouble)
        workspace.notices += [trouble] if trouble else []


def mark_for_removal(workspace: Workspace, ids: Iterable[str], files: Iterable[str], names: Iterable[str] = ()) -> None:
    """Record what must leave the store, before anything changes: these memories, and these files' present versions."""
    shared = _shared(workspace)
    if shared is not None:
        shared.mark_for_removal(ids, files, names)


def withdraw(workspace: Workspace) -> None:
    """Remove from the store what was marked, now or in earlier operations that could not reach the store."""
    shared = _shared(workspace)
    if shared is None or not shared.owes:
        return
    if workspace.done_writing:
        workspace.done_writing()  # a store may be slow, so let others write meanwhile
    try:
        shared.withdraw()
    except StoreError as error:
        workspace.notices.append(_could_not(error))


def was_offered(workspace: Workspace, id_: str) -> bool:
    """Whether this machine ever shared a memory."""
    shared = _shared(workspace)
    return shared is not None and shared.was_offered(id_)


def status(workspace: Workspace) -> StoreStatus | None:
    """What this machine has shared and still has to; None if it has no store."""
    shared = _shared(workspace)
    return None if shared is None else shared.status()


def _could_not(error: StoreError) -> str:
    return (
        f"it could NOT be removed from the store, which other machines and its operator can read: {error.message}; "
        "the next command tries again, and doctor says so until it is done"
    )


def _shared(workspace: Workspace) -> Shared | None:
    return workspace.index.shared if workspace.folder.shares and workspace.index.is_open else None
