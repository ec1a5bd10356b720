"""publish: a memory moves out of the private folder. Links to private memories move to those memories (SPEC P-2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from vault_mem.errors import EditRefused, InvalidInput
from vault_mem.fields import Form
from vault_mem.index.links import Names
from vault_mem.model import Memory, digits_of, fields_of
from vault_mem.notes.edit import edit
from vault_mem.notes.links import stem_of
from vault_mem.notes.parse import parse
from vault_mem.notes.references import Reference, named_in, rewritten
from vault_mem.notes.write import file_name, slug
from vault_mem.operations.changing import changes, commit, memory_written, read_to_edit, to_change
from vault_mem.operations.memory.drafts import refuse_secrets
from vault_mem.operations.upkeep import sides
from vault_mem.operations.upkeep.forget import is_episode
from vault_mem.operations.upkeep.sides import MovingNote
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result
from vault_mem.vault import history
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.journal import Transaction
from vault_mem.vault.steps import read
from vault_mem.vault.walk import is_ignored


@dataclass(frozen=True)
class PublishResult(Result, status="public"):
    """What became public, and how many of its links were moved to the private memories that they led to."""

    memory: Memory
    links: int = 0
    op: str = ""


@changes
def publish(workspace: Workspace, id_: str, *, scrub: bool = False, allow_secret: bool = False) -> PublishResult:
    """Move a memory out of the private folder."""
    memory = to_change(workspace, id_)
    if not memory.private:
        raise InvalidInput(f"{memory.id} is already public", "`vault-mem private ID` makes it private")
    raw = read_to_edit(workspace, memory)
    transaction, links = public_transaction(workspace, memory, raw, scrub=scrub, allow_secret=allow_secret)
    op = commit(workspace, transaction)
    return PublishResult(memory_written(workspace, transaction, memory.id), links, op)


def public_transaction(workspace: Workspace, memory: Memory, raw: bytes, **how: bool) -> tuple[Transaction, int]:
    """The transaction that makes a memory of the vault public (see `plan_publish`), not committed yet."""
    newest = views.newest_introspection(workspace)
    latest = newest is None or newest.created < memory.created
    return plan_publish(workspace.folder, workspace.names, memory, raw, latest=latest, **how)


def plan_publish(
    folder: Folder,
    names: Names,
    memory: Memory,
    raw: bytes,
    *,
    scrub: bool = False,
    allow_secret: bool = False,
    latest: bool = False,
    unasked: bool = False,
) -> tuple[Transaction, int]:
    """The transaction that makes a memory public, and how many of its links move to private memories."""
    if not allow_secret:
        texts = ("content", *fields_of(Form.TEXT), *fields_of(Form.TEXTS))
        refuse_secrets({name: getattr(memory, name) for name in texts})
    transaction = Transaction(folder, "publish", "made public", ids=[memory.id], unasked=unasked)
    referring = {key for key in names.naming(memory.path) if folder.is_private(key) and folder.is_note(key)}
    keys = sorted((sides.private_notes_named(folder, names, memory.path, raw) | referring) - {memory.path})
    private = [sides.unmoved(folder, names, key) for key in keys]
    lost: list[tuple[MovingNote, Reference]] = []
    text = sides.without_private(memory.path, raw, private, scrub, lost)
    text = edit(text, {"private": False} if id_in(text) else {"id": memory.id, "private": False})
    read_again = parse(text, memory.path, mtime=memory.created.timestamp(), zone=folder.zone).memory
    if read_again.private:
        raise EditRefused(f"{memory.path}: another line of its front matter says private", "remove that line first")
    after = replace(read_again, id=memory.id)  # only what will be public; the file name and view lines use this
    after.path = _public_key(folder, names, after, raw) if folder.is_private(memory.path) else memory.path
    moving = MovingNote(memory.id, memory.path, after.path, raw, names.meaning(memory.path), memory.title)
    for each, reference in lost:
        sides.carry_over(each, reference, stem_of(after.path), after.title)
    links = 0
    for each in private:
        text_there = each.raw
        if any(moving.means(name, each.key) for name in named_in(each.raw)):
            try:
                text_there = rewritten(each.raw, partial(sides.renamed, each.key, moving=[moving]))
            except sides.CANNOT_EDIT:
                text_there = each.raw
        linked, refused = sides.with_links(text_there, each.added)
        if refused:
            transaction.notices.append(f"{each.key}: a link could not be carried over: it could not be read completely")
        links += 0 if refused else len(each.added)
        transaction.write(each.key, each.raw, linked)
    if after.path == memory.path:
        transaction.write(memory.path, raw, text)
    else:
        transaction.move(memory.path, raw, after.path, text)
    if not is_episode(folder, after.path, text):
        views.follow(transaction, None, after)
        if latest:
            views.write_monologue(transaction, after)
    return transaction, links


def _public_key(folder: Folder, names: Names, memory: Memory, raw: bytes) -> str:
    settings = folder.settings
    before = _former_key(folder, memory.id)
    if before and not names.taken(stem_of(before)) and read(folder, before) is None:
        return before
    digits = digits_of(memory.id)
    if is_episode(folder, memory.path, raw):
        key = f"{settings.episodes_folder}/{slug(memory.title)}.md"
        return key if read(folder, key) is None else f"{key.removesuffix('.md')}-{digits}.md"
    month = f"{memory.created.astimezone(folder.zone):%Y-%m}"
    return f"{settings.memories_folder}/{month}/{file_name(memory)}"


def _former_key(folder: Folder, id_: str) -> str:
    """Where the memory was before it became private; empty if unknown, or if notes may not be there."""
    former = [revision.payload.get("was") for revision in history.of_memory(folder, id_) if revision.payload.get("was")]
    key = str(former[-1]) if former else ""
    fit = folder.is_note(key) and not folder.is_private(key) and not is_ignored(folder, key)
    return key if fit and ".." not in key.split("/") else ""
