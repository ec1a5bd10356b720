"""Keeps public text free of private memories: it names none of them, and links are written on the private side.

Used by `private` and `publish`, which move a memory between the sides, and by whatever brings old text back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import yaml

from vault_mem.errors import Conflict, EditRefused, Unsafe
from vault_mem.index.links import Means, Names
from vault_mem.model import INVERSE_LINK, Link
from vault_mem.notes.edit import edit
from vault_mem.notes.links import name_key, read_link, stem_of, write_link
from vault_mem.notes.parse import title_in, written_list
from vault_mem.notes.references import Reference, ids_in, named_in, references, rewritten
from vault_mem.vault import journal
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.journal import Transaction
from vault_mem.vault.steps import FileStep, read

# Replaces a private memory's id, or a link that shows its name, in a public text.
SCRUBBED = "(private)"
REVIEW = "REVIEW.md"
CANNOT_EDIT = (EditRefused, yaml.YAMLError, ValueError)


@dataclass
class MovingNote:
    """A note that moves into or out of the private folder, or stays there; `added` are links it takes over."""

    id: str
    key: str
    target: str
    raw: bytes
    means: Means
    title: str = ""
    added: list[Link] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name that links to it will use."""
        return stem_of(self.target)


def keep_apart(transaction: Transaction, names: Names, key: str, raw: bytes) -> bytes:
    """A public note's text without the names of private memories; those get the links instead.

    For old text that is brought back, from a time when they were still public.
    """
    folder = transaction.folder
    private = (
        []
        if folder.is_private(key)
        else [unmoved(folder, names, each) for each in private_notes_named(folder, names, key, raw)]
    )
    if not private:
        return raw
    lost: list[tuple[MovingNote, Reference]] = []
    text = without_private(key, raw, private, True, lost)
    title = title_in(text, key)
    for each, reference in lost:
        carry_over(each, reference, stem_of(key), title)
    for each in private:
        linked, _ = with_links(each.raw, each.added)
        transaction.write(each.key, each.raw, linked)
    return text


def refuse_to_name(transaction: Transaction, names: Names) -> None:
    """Raise Conflict if the transaction would write a private memory's name into a public note."""
    folder = transaction.folder
    steps = [step for step in transaction.steps if isinstance(step, FileStep)]
    leaving = {step.key for step in steps if step.after is None}
    for step in steps:
        if (not folder.has_links(step.key) and step.key != REVIEW) or folder.is_private(step.key):
            continue
        before = private_notes_named(folder, names, step.key, step.before or b"")
        for key in private_notes_named(folder, names, step.key, step.after or b"") - before - leaving:
            if not _hidden_before(folder, key, transaction.undoes):
                raise Conflict(f"{step.key} would name a memory that is private by now", "nothing was changed")


def _hidden_before(folder: Folder, key: str, op: str) -> bool:
    """Whether a note was already private before an operation, so that undoing that operation reveals nothing new."""
    for entry in journal.standing(folder):
        for step in entry.steps:
            if isinstance(step, FileStep) and step.key == key and step.before is None:
                return entry.op < op
    return False


def private_notes_named(folder: Folder, names: Names, key: str, raw: bytes) -> set[str]:
    """The notes of the private folder that a file names, by a link or by an id."""
    links = {names.note(name, key) for name in named_in(raw, key)}
    ids = {names.key_of(id_) for id_ in ids_in(raw)}
    return {each for each in links | ids if each is not None and each != key and folder.is_private(each)}


def unmoved(folder: Folder, names: Names, key: str) -> MovingNote:
    """A `MovingNote` for a note that stays where it is."""
    raw = read(folder, key) or b""
    title = title_in(raw, key)
    return MovingNote(id_in(raw), key, key, raw, names.meaning(key), title)


def without_private(
    key: str, raw: bytes, private: list[MovingNote], scrub: bool, lost: list[tuple[MovingNote, Reference]]
) -> bytes:
    """The text without links to private memories; raises Unsafe if it still names one and may not be scrubbed."""
    members = [each for each in references(raw) if each.key == "members"]
    if any(each.means(reference.target, key) for each in private for reference in members):
        raise Unsafe("the episode has private members", "publish those first, or take them out of it")
    text = rewritten(raw, lambda reference: without_link(key, reference, private, scrub, lost))
    if scrub:
        for each in private:
            if each.id:
                text = re.sub(rb"\b" + each.id.encode() + rb"\b", SCRUBBED.encode(), text)
    count = sum(names_any(key, text, [each]) for each in private if each.id)
    if count:
        raise Unsafe(
            f"its text names {count} private memor{'y' if count == 1 else 'ies'}",
            "publish those first, or turn the names into plain text with --scrub",
        )
    return text


def names_any(key: str, raw: bytes, moving: list[MovingNote]) -> bool:
    """Whether a file has the id of any of these, or a link to it."""
    return any(each.id.encode() in raw or any(each.means(name, key) for name in named_in(raw, key)) for each in moving)


def without_link(
    key: str, reference: Reference, moving: list[MovingNote], scrub: bool, lost: list[tuple[MovingNote, Reference]]
) -> str | Reference | None:
    """What becomes of a link in a public note: if it leads to a private note, it goes, or becomes plain words."""
    each = next((each for each in moving if each.means(reference.target, key)), None)
    if each is None:
        return reference
    if reference.key in ("links", "supersedes"):
        lost.append((each, reference))
        return None
    if not scrub:
        return reference
    lost.append((each, reference))
    shown = reference.display
    telling = not shown or (each.title and name_key(each.title) in name_key(shown)) or each.means(shown, key)
    return SCRUBBED if telling else shown


def renamed(key: str, reference: Reference, moving: list[MovingNote]) -> str | Reference:
    """A reference, with the new name if it leads to what moves."""
    each = next((each for each in moving if each.key != each.target and each.means(reference.target, key)), None)
    return reference.renamed(each.target, each.name, key) if each is not None else reference


def carry_over(each: MovingNote, reference: Reference, name: str, title: str) -> None:
    """Give the private note a link back, in place of one that a public note lost."""
    link = read_link(f"[[{reference.target}|{reference.display}]]" if reference.display else f"[[{reference.target}]]")
    if link is not None:
        type_ = INVERSE_LINK.get(link.type, link.type) if reference.key == "links" else "related"
        each.added.append(Link(name, type_, link.confidence if reference.key == "links" else None, title))


def with_links(raw: bytes, added: list[Link]) -> tuple[bytes, bool]:
    """The note with missing links added, and whether it refused them because it cannot be edited."""
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
