"""What operations owe to a store that machines share (SPEC L-3); nothing if the index is this machine's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from vault_mem.errors import StoreError
from vault_mem.operations.workspace import Workspace

if TYPE_CHECKING:
    from vault_mem.index.shared import Shared
    from vault_mem.store.ledger import StoreStatus


def share(workspace: Workspace) -> None:
    """After an answer: give away what others can use, and take out what must not be there."""
    shared = _shared(workspace)
    if shared is None:
        return
    trouble = ""
    try:
        shared.share()
    except StoreError as error:
        trouble = _could_not(error) if shared.owes else f"{error.message}; this machine works without it"
    if trouble != (shared.ledger.get("told") or ""):  # said once, and by `status` and `doctor` from then on
        shared.ledger.put(told=trouble)
        workspace.notices += [trouble] if trouble else []


def owe(workspace: Workspace, ids: Iterable[str], files: Iterable[str], names: Iterable[str] = ()) -> None:
    """Note, before anything is changed, that nothing of these memories may stay, nor of `files` as they are."""
    shared = _shared(workspace)
    if shared is not None:
        shared.owe(ids, files, names)


def withdraw(workspace: Workspace) -> None:
    """Take out of the store what is owed: by the operation that was just done, and by those that could not."""
    shared = _shared(workspace)
    if shared is None or not shared.owes:
        return
    if workspace.done_writing:
        workspace.done_writing()  # a store may be slow: other writers do not wait for it
    try:
        shared.withdraw()
    except StoreError as error:
        workspace.notices.append(_could_not(error))


def was_offered(workspace: Workspace, id_: str) -> bool:
    """Whether a memory was ever among those that this machine shares."""
    shared = _shared(workspace)
    return shared is not None and shared.was_offered(id_)


def status(workspace: Workspace) -> StoreStatus | None:
    """How this machine stands to its store; None if it has none."""
    shared = _shared(workspace)
    return None if shared is None else shared.status()


def _could_not(error: StoreError) -> str:
    return (
        f"it could NOT be removed from the store, which other machines and its operator can read: {error.message}; "
        "the next command tries again, and doctor says so until it is done"
    )


def _shared(workspace: Workspace) -> Shared | None:
    return workspace.index.shared if workspace.folder.shares and workspace.index.is_open else None
