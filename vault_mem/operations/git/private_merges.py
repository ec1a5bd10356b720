"""Changes that git brings to memories that are private on this machine: private wins (SPEC V-11, P-3).

Another clone, which has no private files, may have edited or linked a memory that became private here. Its edit is
merged into the private file, and every public line that names the memory is removed.
"""

from __future__ import annotations

from vault_mem.errors import VaultMemError
from vault_mem.model import digits_of
from vault_mem.operations.changing import commit, is_quiet
from vault_mem.operations.git.common_text import taken_in
from vault_mem.operations.upkeep.private import private_transaction
from vault_mem.operations.vaults.views import view_keys
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import git
from vault_mem.vault.history import history_keys
from vault_mem.vault.journal import Transaction, writing
from vault_mem.vault.steps import read, read_if_can


def keep_private(workspace: Workspace) -> list[str]:
    """After git has changed files, let private win. Returns the keys of the changed notes."""
    folder = workspace.folder
    git_dir = git.git_folder(folder.root) if folder.settings.private_moves else None
    stamp = list(git.index_stamp(git_dir) or ()) if git_dir else []
    changed = workspace.index.known.unfollowed() if stamp else []
    if not stamp or (workspace.index.known.get("git_index") == stamp and not changed):
        return []
    if not all(is_quiet(workspace, known) for known in changed):
        return []
    written = merge_into_private(workspace, came_back(workspace))
    written += remove_mentions(workspace, [known.key for known in changed])
    if not written:  # otherwise look once more: what was written may be named elsewhere
        workspace.index.known.put(git_index=stamp)
    return written


def came_back(workspace: Workspace) -> list[tuple[str, str]]:
    """Public notes in git whose memories are private here, each with its private file."""
    folder = workspace.folder
    by_id: dict[str, list[str]] = {}
    for key, declared, _ in workspace.index.known.declared_twice():
        by_id.setdefault(declared, []).append(key)
    pairs = [
        (public, private)
        for keys in by_id.values()
        for private in filter(folder.is_private, keys)
        for public in keys
        if folder.is_note(public) and not folder.is_private(public)
    ]
    held = set(git.tracked(folder, [f":(literal){public}" for public, _ in pairs])) if pairs else set()
    return [(public, private) for public, private in pairs if public in held]


def merge_into_private(workspace: Workspace, pairs: list[tuple[str, str]]) -> list[str]:
    """Merge the public files into the private ones, and remove the public ones."""
    folder = workspace.folder
    written = []
    for public, private in pairs:
        try:
            with writing(folder):
                transaction = Transaction(folder, "private", "git brought back what is private here", unasked=True)
                theirs, ours = read(folder, public), read(folder, private)
                if theirs is None or ours is None:
                    continue
                transaction.write(private, ours, taken_in(folder, public, ours, theirs))
                transaction.remove(public, theirs)
                commit(workspace, transaction)
        except VaultMemError as error:
            workspace.notices.append(f"a public file of a private memory was not taken in: {error.message}")
            continue
        written += [public, private]
        workspace.notices.append(f"a public file that git brought back was taken into {private}")
        if public in git.unmerged(folder):
            git.mark_resolved(folder, public)
    if written:
        workspace.sync()  # so that the id belongs to the private file alone again
    return written


def remove_mentions(workspace: Workspace, changed: list[str]) -> list[str]:
    """Remove private memories' names from the public files that git changed: links, lines of views, revisions."""
    folder, index = workspace.folder, workspace.index
    private = {memory.id: memory for memory in index.private()}
    if not private:
        return []
    names = workspace.names
    public = {key for key in changed if not folder.is_private(key)}
    named = {
        id_ for id_, memory in private.items() if any(each.file in public for each in names.written_to(memory.path))
    }
    keys = [*view_keys(folder), *(key for key in history_keys(folder) if not folder.is_private(key)), "REVIEW.md"]
    logs = b"\n".join(read_if_can(folder, key) for key in keys)
    named |= {id_ for id_ in private if id_.encode() in logs or f"-{digits_of(id_)}".encode() in logs}
    written = []
    for id_ in sorted(named & private.keys()):
        memory = private[id_]
        if not folder.is_private(memory.path):
            continue  # only flagged as private so far; move_flagged moves it
        try:
            with writing(folder):
                transaction, _ = private_transaction(workspace, memory, unasked=True)
                if transaction.steps:
                    commit(workspace, transaction)
                    written += transaction.notes
        except VaultMemError as error:
            workspace.notices.append(f"a public file may still name a private memory: {error.message}")
    return written
