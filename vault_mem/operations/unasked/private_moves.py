"""Unasked private moves: a changed `private` property moves the note once it is quiet.

It moves in if the note says so, but out only if the daemon saw its flag change (SPEC P-2).
"""

from __future__ import annotations

from dataclasses import replace

from vault_mem.errors import VaultMemError
from vault_mem.index.known import Known
from vault_mem.notes.parse import flag_in
from vault_mem.operations.changing import index_written, is_quiet, read_to_edit
from vault_mem.operations.unasked.declined import declined_in
from vault_mem.operations.upkeep.private import commit_private, held_by_git, notices, private_transaction
from vault_mem.operations.upkeep.publish import public_transaction
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import git, journal
from vault_mem.vault.journal import writing
from vault_mem.vault.walk import content_hash

# At most this many moves per command, so that nobody waits for more.
MOST_MOVED = 20


def waiting_to_enter(workspace: Workspace) -> list[Known]:
    """Public notes with `private: true` that are still to be moved, except those whose move was undone."""
    flagged = workspace.index.known.flagged() if workspace.folder.settings.private_moves else []
    return _not_declined(workspace, "private", flagged)


def _not_declined(workspace: Workspace, command: str, found: list[Known]) -> list[Known]:
    if not found:
        return []
    folder, declined = workspace.folder, declined_in(workspace.folder)
    return [each for each in found if folder.is_note(each.key) and not declined(command, each.key, each.hash)]


def move_flagged(workspace: Workspace) -> list[str]:
    """Move public notes with `private: true` into the private folder, once they are quiet. Returns their keys."""
    ready = [known for known in waiting_to_enter(workspace) if is_quiet(workspace, known)][:MOST_MOVED]
    if not ready:
        return []
    moved = []
    memories = workspace.index.by_files([known.key for known in ready])
    for known in ready:
        memory = memories.get(known.key)
        if memory is None:  # another process has just taken it out of the index
            continue
        try:
            with writing(workspace.folder):
                held = held_by_git(workspace.folder, memory)
                transaction, noticed = private_transaction(workspace, memory, unasked=True)
                commit_private(workspace, transaction, memory, held)
            index_written(workspace, transaction)  # the store is updated later, once the lock is released
        except VaultMemError as error:
            workspace.notices.append(f"{known.key}: not moved into the private folder: {error.message}")
            continue
        moved.append(known.key)
        new = next(key for key in transaction.notes if workspace.folder.is_private(key) and memory.id in key)
        workspace.notices.append(f"a note that says it is private was moved to {new}")
        workspace.notices += [*transaction.notices, *notices(replace(noticed, in_git=held))]
    return moved


def waiting_to_leave(workspace: Workspace) -> list[Known]:
    """Private notes whose flag this process saw go from true to false, except those whose move was undone.

    Only a process that watches the files can see that. The flag in the file is not enough, because the file may have
    come from anywhere (SPEC P-2).
    """
    seen = workspace.watch.cleared() if workspace.watch and workspace.folder.settings.private_moves else {}
    found = workspace.index.known.files(seen).items()
    return _not_declined(workspace, "publish", [known for key, known in found if known.state == seen[key]])


def move_cleared(workspace: Workspace) -> list[str]:
    """Publish the notes that are leaving, once they are quiet. Returns their keys."""
    folder = workspace.folder
    wait = journal.busy(folder) or git.under_way(folder)
    ready = [] if wait else [known for known in waiting_to_leave(workspace) if is_quiet(workspace, known)]
    memories = workspace.index.by_files([known.key for known in ready])
    moved = []
    for known in ready:
        memory = memories.get(known.key)
        if memory is None:
            continue
        try:
            with writing(folder):
                raw = read_to_edit(workspace, memory)
                if content_hash(raw, len(raw)) != known.hash or flag_in(raw) is not False:
                    continue
                transaction, _ = public_transaction(workspace, memory, raw, unasked=True)
                transaction.commit()
        except VaultMemError as error:
            workspace.notices.append(f"{known.key} stays private: {error.message}")
            continue
        index_written(workspace, transaction)
        moved.append(known.key)
    return moved
