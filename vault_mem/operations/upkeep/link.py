"""link and unlink: add or remove a link between two memories by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from vault_mem.errors import Conflict, InvalidInput, NotFound
from vault_mem.index.links import Means
from vault_mem.model import INVERSE_LINK, LINK_TYPES, Link, Memory
from vault_mem.notes.edit import edit
from vault_mem.notes.links import nameable, read_link, write_link
from vault_mem.notes.parse import written_list
from vault_mem.notes.references import Reference, references, rewritten
from vault_mem.operations.changing import changes, commit, read_to_edit, read_to_remove, to_change
from vault_mem.operations.memory.results import writable
from vault_mem.operations.unasked.adopt import adopt_in
from vault_mem.operations.upkeep.edit_memory import as_written
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction


@dataclass(frozen=True)
class LinkResult(Result):
    """A link from `a` to `b`: `status` is linked, changed or already; `path` is the file in which it was written."""

    status: str
    a: Memory
    b: Memory
    type: str
    confidence: float | None
    path: str
    op: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return as_record(self, a=self.a.id, b=self.b.id)


@dataclass(frozen=True)
class UnlinkResult(Result):
    """The files from which a link was removed, and those whose text still names the other memory."""

    a: Memory
    b: Memory
    files: list[str]
    left: list[str] = field(default_factory=list)
    op: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return as_record(self, status="unlinked", a=self.a.id, b=self.b.id)


@dataclass(frozen=True)
class LinkEnd:
    """One of two memories to link: its file's bytes, the name that links use, and a test for names that mean it."""

    memory: Memory
    raw: bytes
    name: str
    means: Means


@changes
def link(workspace: Workspace, a: str, b: str, type_: str | None = None, reason: str = "") -> LinkResult:
    """Link two memories, or change the type of their link. `type_` says what b is to a."""
    from vault_mem.operations.memory.guard import similarity_between

    if type_ is not None and type_ not in LINK_TYPES:
        raise InvalidInput(f"unknown type {type_!r}", f"a link's type is one of {', '.join(LINK_TYPES)}")
    writable(reason, "the reason")
    one, other = _pair(workspace, a, b)
    for memory in (one, other):
        if memory.closed_at(workspace.folder.now()):
            raise Conflict(f"{memory.id} is closed: nothing is linked to it any more", "reopen it first (valid_to)")
    present = next((edge.link for edge in workspace.graph.edges(one.id) if edge.target == other.id), None)
    if present is not None and type_ in (None, present.type):
        return LinkResult("already", one, other, present.type, present.confidence, "")
    wanted = type_ or "related"
    confidence = similarity_between(workspace, one.content, other.content) if wanted == "similar" else None
    transaction = link_transaction(workspace, one, other, wanted, confidence, reason)
    path = transaction.keys[-1]
    adopt_in(workspace, transaction)
    op = commit(workspace, transaction)
    return LinkResult("changed" if present else "linked", one, other, wanted, confidence, path, op)


@changes
def unlink(workspace: Workspace, a: str, b: str, *, body: bool = False, reason: str = "") -> UnlinkResult:
    """Remove the link between two memories, whichever file has it; links in their texts only with `body`."""
    writable(reason, "the reason")
    one, other = _pair(workspace, a, b)
    ends = _ends(workspace, one, other)
    transaction, left = plan_unlink(workspace.folder, *ends, body=body, reason=reason)
    files = list(transaction.notes)
    if not files and left:
        raise Conflict(f"only the text of {' and '.join(left)} names it", "--body turns that link into plain text")
    if not files:
        raise NotFound(f"Not linked: {one.id} and {other.id}", f"`vault-mem show {one.id}` lists its links")
    adopt_in(workspace, transaction)
    op = commit(workspace, transaction)
    return UnlinkResult(one, other, files, left, op)


def link_transaction(
    workspace: Workspace, one: Memory, other: Memory, type_: str, confidence: float | None = None, reason: str = ""
) -> Transaction:
    """The transaction that links two memories of the vault, not committed yet."""
    return plan_link(workspace.folder, *_ends(workspace, one, other, new_link=True), type_, confidence, reason)


def plan_link(
    folder: Folder, a: LinkEnd, b: LinkEnd, type_: str, confidence: float | None = None, reason: str = ""
) -> Transaction:
    """The transaction that links two memories; links between them in front matter are changed to the new type."""
    transaction = Transaction(folder, "link", reason, ids=[a.memory.id, b.memory.id])
    inverse = INVERSE_LINK.get(type_, type_)
    written = False
    for end, other, seen in ((a, b, type_), (b, a, inverse)):
        if not any(each.key == "links" and other.means(each.target, end.memory.path) for each in references(end.raw)):
            continue
        items = written_list(end.raw, "links")
        if other.memory.private and not end.memory.private:
            named = [item for item in items if not _is_to(item, end, other)]
        else:
            named = [_retyped(item, other, seen, confidence) if _is_to(item, end, other) else item for item in items]
            written = True
        transaction.write(end.memory.path, end.raw, edit(end.raw, {"links": named}))
    if written:
        return transaction
    writer, other = _writer_first(a, b)
    if not nameable(other.name):
        raise InvalidInput(f"no link can name {other.memory.path}", "rename the file: without # ^ | [ ]")
    item = write_link(Link(other.name, type_ if writer is a else inverse, confidence, other.memory.title))
    wanted = [*written_list(writer.raw, "links"), item]
    transaction.write(writer.memory.path, writer.raw, edit(writer.raw, {"links": wanted}))
    return transaction


def plan_unlink(
    folder: Folder, a: LinkEnd, b: LinkEnd, *, body: bool = False, reason: str = ""
) -> tuple[Transaction, list[str]]:
    """The transaction that removes the links between two memories, and the files whose text still has one."""
    transaction = Transaction(folder, "unlink", reason, ids=[a.memory.id, b.memory.id])
    left = []
    for end, other in ((a, b), (b, a)):

        def without(reference: Reference, end: LinkEnd = end, other: LinkEnd = other) -> Reference | None:
            gone = reference.key == "links" or (body and not reference.key)
            return None if gone and other.means(reference.target, end.memory.path) else reference

        after = rewritten(end.raw, without)
        transaction.write(end.memory.path, end.raw, after)
        if any(not each.key and other.means(each.target, end.memory.path) for each in references(after)):
            left.append(end.memory.path)
        if body and after != end.raw:
            views.follow(transaction, end.memory, as_written(folder, end.memory, after))
    return transaction, left


def require_memory(folder: Folder, memory: Memory) -> Memory:
    """The memory, unless it is an episode or a note that is not ours."""
    episodes = folder.settings.episodes_folder + "/"
    if memory.id.startswith("ep_") or memory.path.startswith(episodes):
        raise InvalidInput(f"{memory.id} is an episode", "`vault-mem episode add` puts memories into it")
    if not folder.is_owned(memory.path):
        raise InvalidInput(f"{memory.path} is an included note, read-only for vault-mem", "only memories are linked")
    return memory


def _pair(workspace: Workspace, a: str, b: str) -> tuple[Memory, Memory]:
    one, other = to_change(workspace, a), workspace.index.get(b)
    if one.id == other.id:
        raise InvalidInput(f"{one.id} cannot be linked to itself")
    return require_memory(workspace.folder, one), require_memory(workspace.folder, other)


def _ends(workspace: Workspace, a: Memory, b: Memory, *, new_link: bool = False) -> tuple[LinkEnd, LinkEnd]:
    """Both ends. Raises EditRefused if a file that will change (one that names the other, or gets the link) may not."""
    names = workspace.names
    one, other = (
        LinkEnd(each, read_to_remove(workspace, each), names.of(each.path), names.meaning(each.path)) for each in (a, b)
    )
    for end, against in ((one, other), (other, one)):
        gets_it = new_link and _writer_first(end, against)[0] is end
        if gets_it or any(against.means(each.target, end.memory.path) for each in references(end.raw)):
            read_to_edit(workspace, end.memory)
    return one, other


def _writer_first(a: LinkEnd, b: LinkEnd) -> tuple[LinkEnd, LinkEnd]:
    """The end that gets the link, then the other: the later memory, but always the private one (SPEC V-3, P-3)."""
    if a.memory.private != b.memory.private:
        return (a, b) if a.memory.private else (b, a)
    return (a, b) if a.memory.created >= b.memory.created else (b, a)


def _is_to(item: str, end: LinkEnd, other: LinkEnd) -> bool:
    found = read_link(item)
    return found is not None and other.means(found.target, end.memory.path)


def _retyped(item: str, other: LinkEnd, type_: str, confidence: float | None) -> str:
    found = read_link(item) or Link(other.name)
    return write_link(Link(found.target, type_, confidence, found.title or other.memory.title))
