"""merge: one memory absorbs another, and links to the removed one now lead to the one that stays (SPEC C-3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from vault_mem.errors import Conflict, InvalidInput, Unsafe
from vault_mem.index.links import Names
from vault_mem.model import INVERSE_LINK, Link, Memory
from vault_mem.notes.edit import edit
from vault_mem.notes.links import LINK_KEYS, name_key, nameable, read_link, write_link
from vault_mem.notes.origin import joined
from vault_mem.notes.parse import title_of, written_list, written_words
from vault_mem.notes.references import Change, Reference, named_in, references, rewritten
from vault_mem.notes.text import split
from vault_mem.notes.yamlish import Value
from vault_mem.operations.changing import changes, commit, memory_written, read_to_edit, to_change
from vault_mem.operations.memory.drafts import Draft, check_words, checked
from vault_mem.operations.upkeep.backlinks import changed_links, referrers
from vault_mem.operations.upkeep.by_hand import replace_words
from vault_mem.operations.upkeep.edit_memory import as_written
from vault_mem.operations.upkeep.forget import discard
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction
from vault_mem.vault.steps import FileStep


@dataclass(frozen=True)
class MergeResult(Result, status="merged"):
    """The memory that stays, the removed one, the files whose links were changed, and those that still name it."""

    memory: Memory
    removed: Memory
    references: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    op: str = ""


@changes
def merge(
    workspace: Workspace,
    keep: str,
    remove: str,
    content: str | None = None,
    reason: str = "",
    *,
    allow_secret: bool = False,
    update_links: bool = False,
) -> MergeResult:
    """Merge the memory `remove` into `keep`; `content`, if given, replaces its text.

    Links are changed in our notes, and with `update_links` also in a person's own notes, canvases and bases.
    """
    text = None if content is None else checked(Draft(content), workspace.folder.zone).content
    one, other = to_change(workspace, keep), workspace.index.get(remove)
    _check(workspace.folder, one, other)
    check_words(one.private, {"content": text, "reason": reason}, allow_secret=allow_secret)
    raws = read_to_edit(workspace, one), read_to_edit(workspace, other)
    change = None if text is None else replace_words(workspace, one, raws[0], text)
    kept_with_new_text = change.raw if change else None
    transaction, left = plan_merge(
        workspace.folder,
        workspace.names,
        one,
        raws[0],
        other,
        raws[1],
        kept_with_new_text,
        reason,
        update_links=update_links,
    )
    if change is not None:
        transaction.written[one.id] = change.written
    changed = [key for key in transaction.linking if key not in (one.path, other.path)]
    op = commit(workspace, transaction)
    shown = list(filter(workspace.folder.is_shown, left))
    return MergeResult(memory_written(workspace, transaction, one.id), other, changed, shown, op)


def _check(folder: Folder, keep: Memory, removed: Memory) -> None:
    if keep.id == removed.id:
        raise InvalidInput(f"{keep.id} cannot be merged with itself", "give the ids of two memories")
    for memory in (keep, removed):
        if memory.id.startswith("ep_"):
            raise InvalidInput(f"{memory.id} is an episode", "only memories are merged")
        if memory.closed_at(folder.now()):
            raise Conflict(f"{memory.id} is closed", f"open it first: vault-mem edit {memory.id} --set valid_to=")
    if removed.private and not keep.private:
        raise Unsafe(
            f"{removed.id} is private and {keep.id} is not: the result would be private",
            f"merge the other way round, into {removed.id}",
        )


def plan_merge(
    folder: Folder,
    names: Names,
    keep: Memory,
    keep_raw: bytes,
    removed: Memory,
    raw: bytes,
    kept_with_new_text: bytes | None = None,
    reason: str = "",
    *,
    update_links: bool = False,
) -> tuple[Transaction, list[str]]:
    """The transaction that merges two memories, and the files that will still name the removed one.

    `kept_with_new_text` is the remaining note with a new text, if it gets one.
    """
    transaction = Transaction(folder, "merge", reason, ids=[keep.id, removed.id])
    plan = _Plan(folder, names, keep, removed)
    named = list(referrers(folder, names, keep.path, removed.path))
    # a link to the removed memory would now lead to itself
    after = rewritten(
        keep_raw if kept_with_new_text is None else kept_with_new_text,
        lambda each: None if plan.goes(each.target, keep.path) else each,
    )
    leads_to = (names.note(reference.target, keep.path) for reference in references(after))
    linked = {key for key in leads_to if key is not None}
    moved = plan.links_of_removed(raw)
    left = []
    for key, text in named:
        if key in (keep.path, removed.path):
            continue
        change = _redirected(plan, key, text, linked, moved)
        changed = changed_links(folder, key, text, change, update_links=update_links)
        now = text if changed is None else changed
        if folder.is_owned(key) and any(plan.stays(reference.target, key) for reference in references(now)):
            linked.add(key)
        if changed is not None:
            transaction.write(key, text, changed)
        elif any(plan.goes(name, key) for name in named_in(text, key)):
            left.append(key)
    after = plan.with_fields(after, keep_raw, linked, moved)
    lost = [step for step in transaction.steps if isinstance(step, FileStep)]
    if any(plan.goes(name, keep.path) for name in _link_names(keep_raw)):
        lost.append(FileStep(keep.path, plan.with_link_to_removed(after, keep_raw), after))
    transaction.write(keep.path, keep_raw, after)
    views.leave(transaction, removed.id)
    views.follow(transaction, keep, as_written(folder, keep, after))
    discard(transaction, removed, raw, reason, lost)
    return transaction, left


class _Plan:
    """What becomes of the vault's links when one memory absorbs another."""

    def __init__(self, folder: Folder, names: Names, keep: Memory, removed: Memory) -> None:
        self.folder = folder
        self.names = names
        self.keep = keep
        self.removed = removed
        self.goes = names.meaning(removed.path)
        self.stays = names.meaning(keep.path)
        self.name = names.of(keep.path)

    def links_of_removed(self, raw: bytes) -> list[Link]:
        """The removed memory's links that move over: those in its front matter, and those in its text to real notes."""
        front = {name_key(name) for name in _link_names(raw)}
        return [
            link
            for link in self.removed.links
            if (meant := self.names.note(link.target, self.removed.path)) not in (self.removed.path, self.keep.path)
            and (name_key(link.target) in front or meant)
        ]

    def with_fields(self, after: bytes, keep_raw: bytes, linked: set[str], moved: list[Link]) -> bytes:
        """The remaining note with the other's links, tags and people added, and the higher importance."""
        wanted: dict[str, Value | None] = {}
        links = written_list(after, "links")
        for link in moved:
            key = self.names.note(link.target, self.removed.path) or name_key(link.target)
            if key not in linked:
                linked.add(key)
                links.append(write_link(Link(link.target, link.type, link.confidence, link.title)))
        if links != written_list(after, "links"):
            wanted["links"] = links
        replaced = written_list(after, "supersedes")
        known = {self.names.note(item.strip("[]"), self.keep.path) for item in replaced} | {self.keep.path}
        meant = {each: self.names.note(each, self.removed.path) for each in self.removed.supersedes}
        more = [each for each, key in meant.items() if key not in known]
        if more:
            wanted["supersedes"] = [*replaced, *(f"[[{each}]]" for each in more)]
        if self.removed.importance > self.keep.importance:
            wanted["importance"] = self.removed.importance
        source = joined(self.keep.source, self.removed.source)
        if source != self.keep.source and (self.keep.private or not self.removed.private):
            wanted["source"] = source
        for name in ("tags", "people"):
            present = {name_key(item) for item in getattr(self.keep, name)}
            new = [item for item in getattr(self.removed, name) if name_key(item) not in present]
            if new:
                wanted[name] = [*written_words(keep_raw, name), *new]
        return edit(after, wanted)

    def with_link_to_removed(self, after: bytes, keep_raw: bytes) -> bytes:
        """For `restore`: the note after the merge, but with its former link to the removed memory."""
        had = [
            item
            for item in written_list(keep_raw, "links")
            if (link := read_link(item)) and self.goes(link.target, self.keep.path)
        ]
        return edit(after, {"links": [*written_list(after, "links"), *had]})


def _redirected(plan: _Plan, key: str, raw: bytes, linked: set[str], moved: list[Link]) -> Change:
    """A function that says what becomes of each link of one note."""
    hidden = plan.keep.private and not plan.folder.is_private(key)
    seen = {each.key for each in references(raw) if each.key and plan.stays(each.target, key)}
    if key in linked:  # a link is written only once (SPEC V-3), so not if one already leads to the other
        seen.add("links")

    def change(reference: Reference) -> str | Reference | None:
        if not plan.goes(reference.target, key):
            return reference
        link = read_link(f"[[{reference.target}|{reference.display}]]") or Link("")
        if hidden:  # a public file never names a private memory: the link is written on the other side
            if reference.key == "links" and nameable(plan.names.of(key)):
                type_ = INVERSE_LINK.get(link.type, link.type)
                moved.append(Link(plan.names.of(key), type_, link.confidence, title_of(split(raw).body)))
            return None
        if reference.key in LINK_KEYS:
            if reference.key in seen:
                return None
            seen.add(reference.key)
        if reference.key == "links" and reference.display and link.title:
            return write_link(Link(plan.name, link.type, link.confidence, plan.keep.title))
        return reference.renamed(plan.keep.path, plan.name, key)

    return change


def _link_names(raw: bytes) -> list[str]:
    return [reference.target for reference in references(raw) if reference.key == "links"]
