"""Adoption: a note that a person dropped into the vault gets an id, once it has been left alone for a while."""

from __future__ import annotations

from dataclasses import replace

from vault_mem.errors import VaultMemError
from vault_mem.index.known import OTHER, Known
from vault_mem.notes.edit import edit
from vault_mem.operations.changing import is_quiet
from vault_mem.operations.unasked.declined import declined_in
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.journal import Transaction, operation, writing
from vault_mem.vault.steps import FileStep, read


def adopt(workspace: Workspace) -> list[str]:
    """Write ids into the notes that have none, are quiet, and can be read without a problem. Returns their keys."""
    waiting = [known for known in candidates(workspace) if is_quiet(workspace, known)]
    if not waiting:
        return []
    adopted: list[str] = []
    try:
        with writing(workspace.folder):
            for known in waiting:
                if _adopt(workspace, known):
                    adopted.append(known.key)
    except VaultMemError as error:
        workspace.notices.append(f"ids not written: {error.message}")
    return adopted


def candidates(workspace: Workspace) -> list[Known]:
    """Notes that may be given an id: ours to write, readable, not conflict copies, and without an id of any scheme."""
    declined = declined_in(workspace.folder)
    found = [
        known
        for known in workspace.index.known.without_id()
        if _adoptable(workspace.folder, known) and not declined("adopt", known.key, known.hash)
    ]
    copies = workspace.index.known.originals([known.key for known in found])
    return [known for known in found if known.key not in copies]


def adopt_in(workspace: Workspace, transaction: Transaction) -> None:
    """Add an id to notes without one that this transaction changes anyway."""
    for number, step in enumerate(transaction.steps):
        if not isinstance(step, FileStep) or not step.before or not step.after or id_in(step.after):
            continue
        known = workspace.index.known.files([step.key]).get(step.key)
        if known is not None and not known.declared and _adoptable(workspace.folder, known):
            after = edit(step.after, {"id": known.id})
            transaction.steps[number] = replace(step, after=after)
            views.follow_text(transaction, step.key, None, after)


def _adoptable(folder: Folder, known: Known) -> bool:
    episodes = folder.settings.episodes_folder + "/"
    return (
        folder.settings.adopt_ids != "never"
        and folder.is_owned(known.key)
        and not known.key.startswith(episodes)
        and not known.foreign_id
        and not known.frozen
        and known.type != OTHER
    )


def _adopt(workspace: Workspace, known: Known) -> bool:
    try:
        raw = read(workspace.folder, known.key)
        if raw is None:
            return False
        with operation(workspace.folder, "adopt", "the note had no id", unasked=True) as transaction:
            transaction.write(known.key, raw, edit(raw, {"id": known.id}))
    except VaultMemError as error:
        workspace.notices.append(f"{known.key}: no id written: {error.message}")
        return False
    return True
