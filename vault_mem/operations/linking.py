"""Writing a link between two memories: once, on the later one; a public file never names a private memory."""

from __future__ import annotations

from vault_mem.errors import EditRefused
from vault_mem.model import INVERSE_LINK, Link, Memory
from vault_mem.notes.edit import edit
from vault_mem.notes.links import nameable, write_link
from vault_mem.notes.parse import written_list
from vault_mem.notes.references import Change, rewritten
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction
from vault_mem.vault.names import Names, changeable


def changed_links(folder: Folder, key: str, raw: bytes, change: Change) -> bytes | None:
    """A note with its links changed; None where it is not ours to change, or cannot be changed safely."""
    try:
        return rewritten(raw, change) if changeable(folder, key, raw) else None
    except EditRefused:
        return None


def add_link(
    workspace: Workspace, transaction: Transaction, names: Names, later: Memory, earlier: Memory, type_: str
) -> bool:
    """Link two memories in the later one, or in the private one where only one is. False where it cannot be written."""
    writer, target = (earlier, later) if earlier.private and not later.private else (later, earlier)
    if not nameable(names.of(target.path)):
        return False
    type_ = type_ if writer is later else INVERSE_LINK.get(type_, type_)
    link = write_link(Link(names.of(target.path), type_, title=target.title))
    try:
        raw = workspace.read_to_edit(writer)
        now = transaction.now(writer.path) or raw
        after = edit(now, {"links": [*written_list(now, "links"), link]})
    except EditRefused:
        return False
    transaction.write(writer.path, now, after, keep_time=True)
    return True
