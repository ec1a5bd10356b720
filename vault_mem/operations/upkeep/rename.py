"""rename: give a memory's file another name, and change the links to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from vault_mem.errors import Conflict, EditRefused, InvalidInput, Unsafe
from vault_mem.index.links import Names
from vault_mem.model import Memory, digits_of
from vault_mem.notes.links import nameable, stem_of
from vault_mem.notes.references import Reference
from vault_mem.notes.write import slug
from vault_mem.operations.changing import changes, commit, memory_written, read_to_edit, to_change
from vault_mem.operations.memory.results import writable
from vault_mem.operations.upkeep.backlinks import changed_links, referrers
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction
from vault_mem.vault.walk import is_ignored

# Characters that some system or sync service does not allow in a file name.
_NOT_IN_NAME = re.compile(r'[/\\:*?"<>|\x00-\x1f\x7f]')
_LONGEST = 200


@dataclass(frozen=True)
class RenameResult(Result):
    """The memory in its new file, the files whose links were changed, and those that still have the old name."""

    memory: Memory
    before: str
    references: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    op: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return as_record(self, status="renamed" if self.op else "unchanged")


@changes
def rename(
    workspace: Workspace, id_: str, name: str, *, exact: bool = False, update_links: bool = False
) -> RenameResult:
    """Rename a memory's file. The first 8 hex digits of the id are appended, unless `exact`.

    Links are changed in our notes, and with `update_links` also in a person's own notes, canvases and bases.
    """
    memory = to_change(workspace, id_)
    raw = read_to_edit(workspace, memory)
    key = new_key(workspace.folder, memory, name, exact)
    if key == memory.path:
        return RenameResult(memory, memory.path)
    transaction, left = plan_rename(workspace.folder, workspace.names, memory, raw, key, update_links=update_links)
    references = [each for each in transaction.linking if each not in (memory.path, key)]
    op = commit(workspace, transaction)
    return RenameResult(memory_written(workspace, transaction, memory.id), memory.path, references, left, op)


def new_key(folder: Folder, memory: Memory, name: str, exact: bool) -> str:
    """The path of the renamed file; raises if it must not have such a name."""
    if memory.private:
        raise Unsafe(f"{memory.id} is private: its file name is only its id", "others can see file names")
    if memory.provisional:
        raise EditRefused(f"{memory.path} has no id of its own yet", "rename it yourself: no link uses its id yet")
    digits = digits_of(memory.id)
    stem = re.sub(r"\.md$", "", writable(name, "the name").strip(), flags=re.IGNORECASE)
    if exact:
        if not stem or _NOT_IN_NAME.search(stem) or not nameable(stem) or stem.endswith((".", " ")):
            raise InvalidInput(f"{name!r} cannot be the name of a note", 'leave out / \\ : * ? " < > | # ^ [ ]')
    else:
        words = slug(stem.removesuffix(digits))
        if not re.search(r"\w", stem.removesuffix(digits)):
            raise InvalidInput(f"{name!r} has no letters to make a name of")
        stem = f"{words}-{digits}"
    key = f"{memory.path.rpartition('/')[0]}/{stem}.md"
    if len(stem.encode()) > _LONGEST:
        raise InvalidInput("the name is too long", f"at most {_LONGEST} bytes")
    if is_ignored(folder, key) or not folder.is_note(key):
        raise InvalidInput(f"a file called {stem}.md is not taken for a memory", "choose another name")
    return key


def plan_rename(
    folder: Folder, names: Names, memory: Memory, raw: bytes, key: str, *, update_links: bool = False
) -> tuple[Transaction, list[str]]:
    """The transaction that renames a memory's file, and the files that name it but cannot be changed."""
    stem = stem_of(key)
    if names.taken(stem) - {memory.path} or folder.tree.exists(key):
        raise Conflict(f"there is a note called {stem} already", "links could not tell the two apart")
    transaction = Transaction(folder, "rename", f"{stem_of(memory.path)} is now {stem}", ids=[memory.id])
    left = []
    after = raw
    for each, text in referrers(folder, names, memory.path):

        def renamed(reference: Reference, source: str = each) -> str | Reference:
            meant = names.note(reference.target, source) == memory.path
            return reference.renamed(key, stem, source) if meant else reference

        changed = changed_links(folder, each, text, renamed, update_links=update_links)
        if each == memory.path:
            after = raw if changed is None else changed
        elif changed is None:
            left.append(each)
        else:
            transaction.write(each, text, changed)
    transaction.move(memory.path, raw, key, after, keep_mode=True)
    if not memory.id.startswith("ep_"):
        views.follow(transaction, memory, replace(memory, path=key))
    return transaction, left
