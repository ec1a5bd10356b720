"""Links between notes: who names a note, changing that, and writing a link between two memories."""

from __future__ import annotations

from collections.abc import Iterator

from vault_mem.errors import EditRefused, VaultMemError
from vault_mem.index.links import Names
from vault_mem.model import Link, Memory
from vault_mem.notes.edit import edit
from vault_mem.notes.links import nameable, write_link
from vault_mem.notes.parse import parse, written_list
from vault_mem.notes.references import Change, named_in, rewritten
from vault_mem.operations.changing import read_to_edit
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction
from vault_mem.vault.tree import PathRefused


def referrers(folder: Folder, names: Names, *notes: str) -> Iterator[tuple[str, bytes]]:
    """The files that name one of these notes, with their bytes. The index says where to look, the files decide."""
    for key in names.naming(*notes):
        raw = bytes_of(folder, key)
        if raw and any(names.note(name, key) in notes for name in named_in(raw, key)):
            yield key, raw


def changed_links(folder: Folder, key: str, raw: bytes, change: Change, *, update_links: bool = False) -> bytes | None:
    """A file with its links changed; None if that is not safe, or not allowed in a person's own file."""
    try:
        if changeable(folder, key, raw) or (update_links and not folder.is_note(key)):
            return rewritten(raw, change, key)
    except EditRefused:
        pass
    return None


def changeable(folder: Folder, key: str, raw: bytes) -> bool:
    """Whether we may change a note: it is in our folders, and was read without a problem (SPEC V-7)."""
    return folder.is_note(key) and all(each.odd for each in parse(raw, key, mtime=0, zone=folder.zone).problems)


def write_link_between(
    workspace: Workspace, transaction: Transaction, names: Names, later: Memory, earlier: Memory
) -> bool:
    """Write a link into the later memory, or into the private one if only one is. Returns whether that was possible."""
    writer, target = (earlier, later) if earlier.private and not later.private else (later, earlier)
    if not nameable(names.of(target.path)):
        return False
    link = write_link(Link(names.of(target.path), title=target.title))
    try:
        raw = read_to_edit(workspace, writer)
        now = transaction.now(writer.path) or raw
        after = edit(now, {"links": [*written_list(now, "links"), link]})
    except EditRefused:
        return False
    transaction.write(writer.path, now, after)
    return True


def bytes_of(folder: Folder, key: str) -> bytes | None:
    """A file's bytes; None if it is gone or may not be read. A failing disk raises: it does not mean "no links"."""
    try:
        return folder.tree.read(key)
    except (PermissionError, PathRefused):
        return None
    except OSError as error:
        raise VaultMemError(f"cannot read {key}: {error.strerror}", "nothing was changed; try again") from error
