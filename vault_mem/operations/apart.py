"""What keeps public text apart from private memories: no name of theirs in it, and the links on the private side.

`private` and `publish` move a memory from one side to the other; whatever else brings text back looks here as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import yaml

from vault_mem.errors import Conflict, EditRefused, Unsafe
from vault_mem.model import INVERSE_LINK, Link
from vault_mem.notes.edit import edit
from vault_mem.notes.links import name_key, read_link, write_link
from vault_mem.notes.parse import parse, written_list
from vault_mem.notes.references import Reference, named_in, references, rewritten
from vault_mem.vault import journal
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.journal import Transaction
from vault_mem.vault.names import Means, Names, names_of, stem_of
from vault_mem.vault.steps import FileStep, read
from vault_mem.vault.walk import walk

# What a public text says where it named a private memory by nothing but its name.
SCRUBBED = "(private)"
REVIEW = "REVIEW.md"
CANNOT_EDIT = (EditRefused, yaml.YAMLError, ValueError)


@dataclass
class Moving:
    """A note on its way into the private folder or out of it, or that stays there; `added` are links it takes over."""

    id: str
    key: str
    target: str
    raw: bytes
    means: Means
    title: str = ""
    added: list[Link] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What links will call it."""
        return stem_of(self.target)


def keep_apart(transaction: Transaction, key: str, raw: bytes) -> bytes:
    """A public note's text without the names of memories that are private by now; those get the links instead.

    For what comes back from a time when they were public.
    """
    folder = transaction.folder
    keys = walk(folder).files
    private = private_notes(folder, Names([*keys, key]), but=key)
    lost: list[tuple[Moving, Reference]] = []
    if folder.is_private(key) or not any(names_any(raw, [each]) for each in private if each.id):
        return raw
    text = without_private(raw, private, True, lost)
    title = parse(text, key, mtime=0, zone=folder.zone).memory.title
    for each, reference in lost:
        carry_over(each, reference, stem_of(key), title)
    for each in private:
        linked, _ = with_links(each.raw, each.added)
        transaction.write(each.key, each.raw, linked, keep_time=True)
    return text


def refuse_to_name(transaction: Transaction, names: Names | None = None) -> None:
    """Stop where the transaction would write the name of a private memory into a public note."""
    folder = transaction.folder
    public = [
        step
        for step in transaction.steps
        if isinstance(step, FileStep)
        and step.after
        and (folder.is_note(step.key) or step.key == REVIEW)
        and not folder.is_private(step.key)
    ]
    leaving = {step.key for step in transaction.steps if isinstance(step, FileStep) and step.after is None}
    private = private_notes(folder, names or names_of(folder)) if public else []
    private = [each for each in private if each.id and each.key not in leaving]
    for step in public:
        for each in private:
            new = names_any(step.after or b"", [each]) and not names_any(step.before or b"", [each])
            if new and not _hidden_before(folder, each.key, transaction.undoes):
                raise Conflict(f"{step.key} would name a memory that is private by now", "nothing was changed")


def _hidden_before(folder: Folder, key: str, op: str) -> bool:
    """Whether a private note was there before an operation: what named it then may do so again."""
    for entry in journal.standing(folder):
        for step in entry.steps:
            if isinstance(step, FileStep) and step.key == key and step.before is None:
                return entry.op < op
    return False


def private_notes(folder: Folder, names: Names, but: str = "") -> list[Moving]:
    """The notes of the private folder, as they are; without one that is about to leave it."""
    found = []
    for key in names.keys:
        if folder.is_private(key) and key != but:
            raw = read(folder, key) or b""
            id_ = id_in(raw)
            title = parse(raw, key, mtime=0, zone=folder.zone).memory.title
            found.append(Moving(id_, key, key, raw, names.meaning(key, id_ or "mem_"), title))
    return found


def without_private(raw: bytes, private: list[Moving], scrub: bool, lost: list[tuple[Moving, Reference]]) -> bytes:
    """The text as the public may read it; raises Unsafe where it names private memories and nobody asked to scrub."""
    members = [each for each in references(raw) if each.key == "members"]
    if any(each.means(reference.target) for each in private for reference in members):
        raise Unsafe("the episode has private members", "publish those first, or take them out of it")
    text = rewritten(raw, lambda reference: loosened(reference, private, scrub, lost))
    if scrub:
        for each in private:
            if each.id:
                text = re.sub(rb"\b" + each.id.encode() + rb"\b", SCRUBBED.encode(), text)
    named = sum(names_any(text, [each]) for each in private if each.id)
    if named:
        raise Unsafe(
            f"its text names {named} private memor{'y' if named == 1 else 'ies'}",
            "publish those first, or turn the names into plain text with --scrub",
        )
    return text


def names_any(raw: bytes, moving: list[Moving]) -> bool:
    """Whether a text has the id of any of these, or a link to it."""
    return any(each.id.encode() in raw or any(map(each.means, named_in(raw))) for each in moving)


def loosened(
    reference: Reference, moving: list[Moving], scrub: bool, lost: list[tuple[Moving, Reference]]
) -> str | Reference | None:
    """A public note's link to what is private: none in its properties, plain words in its text where asked for."""
    each = next((each for each in moving if each.means(reference.target)), None)
    if each is None:
        return reference
    if reference.key in ("links", "supersedes"):
        lost.append((each, reference))
        return None
    if not scrub:
        return reference
    lost.append((each, reference))
    shown = reference.display
    telling = not shown or (each.title and name_key(each.title) in name_key(shown)) or each.means(shown)
    return SCRUBBED if telling else shown


def renamed(reference: Reference, moving: list[Moving]) -> str | Reference:
    """A reference to what moves, by its new name."""
    each = next((each for each in moving if each.key != each.target and each.means(reference.target)), None)
    return reference.to(each.name) if each is not None else reference


def carry_over(each: Moving, reference: Reference, name: str, title: str) -> None:
    """The link that the private side gets for one that a public note lost."""
    link = read_link(f"[[{reference.target}|{reference.display}]]" if reference.display else f"[[{reference.target}]]")
    if link is not None:
        type_ = INVERSE_LINK.get(link.type, link.type) if reference.key == "links" else "related"
        each.added.append(Link(name, type_, link.confidence if reference.key == "links" else None, title))


def with_links(raw: bytes, added: list[Link]) -> tuple[bytes, bool]:
    """The note with links added that it has not yet, and whether that could not be done."""
    try:
        present = written_list(raw, "links") if added else []
        known = {name_key(link.target) for link in map(read_link, present) if link is not None}
        new: dict[str, str] = {}
        for link in added:
            if name_key(link.target) not in known:
                new.setdefault(name_key(link.target), write_link(link))
        return (edit(raw, {"links": [*present, *new.values()]}) if new else raw), False
    except CANNOT_EDIT:
        return raw, True
