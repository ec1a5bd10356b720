"""purge: a memory is forgotten and nothing of it is kept: no trash, no journal, no history, no old index version.

It is one operation, which also writes the memory's names to `.vault-mem/purging/{id}.json`. As long as that file
exists, traces are left to remove, after a crash by the next command. The purge's own journal entry stays, without text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from vault_mem.errors import NotFound, Unsafe, VaultMemError
from vault_mem.model import Memory
from vault_mem.notes.parse import parse
from vault_mem.operations import sharing
from vault_mem.operations.changing import changes, freshen_to_change, index_written, read_to_remove
from vault_mem.operations.sessions.sessions import without
from vault_mem.operations.upkeep.forget import ForgetResult, in_trash, log_deletion, plan_forget, trash_key
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import INDEX_ERRORS, Workspace
from vault_mem.result import Result
from vault_mem.vault import history, late
from vault_mem.vault.interrupted import PURGING
from vault_mem.vault.journal import Transaction
from vault_mem.vault.steps import read
from vault_mem.vault.traces import COMMAND, remove_traces


@dataclass(frozen=True)
class Purge(Result):
    """What a purge would delete: the memory, links to it in these notes, and this many revisions."""

    memory: Memory
    references: list[str]
    revisions: int
    in_trash: bool


def preview(workspace: Workspace, id_: str) -> Purge:
    """What a purge would delete; nothing is changed."""
    workspace.freshen()
    memory, trashed = _find_memory(workspace, id_)
    references = []
    if not trashed:
        raw = read_to_remove(workspace, memory)
        planned, _ = plan_forget(workspace.folder, workspace.names, memory, raw, "", COMMAND)
        references = [key for key in planned.notes if key != memory.path]
    return Purge(memory, references, len(history.of_memory(workspace.folder, memory.id)), trashed)


@changes
def purge(
    workspace: Workspace, id_: str, reason: str = "", *, sure: bool = False, update_links: bool = False
) -> ForgetResult:
    """Forget a memory, even one that is already in the trash, and remove every trace of it before returning.

    It cannot be undone, so it takes the full id unless the caller is `sure`.
    """
    freshen_to_change(workspace)
    memory, trashed = _find_memory(workspace, id_)
    if not sure and id_ != memory.id:
        raise Unsafe(f"{id_} means {memory.id}, and a purge keeps nothing of it", "give the full id, or --yes")
    if not trashed:
        _refuse_while_open(workspace, memory)
    transaction, left = _plan(workspace, memory, reason, trashed, update_links)
    if not memory.private or sharing.was_offered(workspace, memory.id):
        sharing.mark_for_removal(workspace, [memory.id], transaction.notes, [memory.path])
    references = [key for key in transaction.notes if key != memory.path]
    op = transaction.commit()
    try:
        index_written(workspace, transaction)
        remove_traces(workspace.folder, workspace.rebuild)
    except (VaultMemError, *INDEX_ERRORS) as error:
        workspace.notices.append(f"it is gone, but traces are left until the next command removes them: {error}")
    return ForgetResult(memory, references, left, op, purged=True)


def _plan(
    workspace: Workspace, memory: Memory, reason: str, trashed: bool, update_links: bool
) -> tuple[Transaction, list[str]]:
    """The transaction, and the files that name the memory and cannot be changed."""
    folder = workspace.folder
    left: list[str] = []
    transaction = Transaction(folder, COMMAND, reason, ids=[memory.id])
    if trashed:
        log_deletion(transaction, memory.id, folder.now().isoformat(), reason)
    else:
        raw = read_to_remove(workspace, memory)
        transaction, left = plan_forget(
            folder, workspace.names, memory, raw, reason, COMMAND, update_links=update_links
        )
        transaction.steps = [step for step in transaction.steps if step.key != trash_key(memory.id)]
    if not memory.private:  # unlike forget, purge also removes its text from the latest monologue
        views.clear_from_monologue(transaction, memory, views.newest_introspection(workspace, but=memory.id))
    for session, before, after in without(folder, [memory.content]):
        transaction.write(session, before, after)
    former = {name for name, ids in workspace.index.known.renames().items() if memory.id in ids}
    stems = sorted({name.rsplit("/", 1)[-1] for name in (*former, memory.path.removesuffix(".md"))})
    record = {"names": stems, "private": memory.private}
    key = f"{PURGING}/{memory.id}.json"
    transaction.write(key, read(folder, key), json.dumps(record, ensure_ascii=False).encode())
    return transaction, left


def _refuse_while_open(workspace: Workspace, memory: Memory) -> None:
    """Raise Unsafe if a program has the file open: what it writes would be lost, or leave a trace (SPEC S-4)."""
    open_ = late.in_use(workspace.folder.tree, memory.path)
    if open_:
        raise Unsafe(f"{memory.path} is open in another program", "close it there, then purge it")
    if open_ is None:
        workspace.notices.append("this system does not tell whether another program has the file open")


def _find_memory(workspace: Workspace, id_: str) -> tuple[Memory, bool]:
    """The memory with that id, and whether it is in the trash."""
    try:
        return workspace.index.get(id_), False
    except NotFound as error:
        folder = workspace.folder
        try:
            trashed = in_trash(folder, id_)
        except NotFound:
            raise error from None
        raw, private = trashed.step.before or b"", folder.is_private(trashed.key)
        memory = parse(raw, trashed.key, mtime=0, zone=folder.zone, private=private).memory
        memory.id = trashed.id
        return memory, True
