"""The checklist of proposals as a file: where it is, and how operations of all kinds change it."""

from __future__ import annotations

from dataclasses import replace

from vault_mem.notes import checklist
from vault_mem.notes.checklist import Proposal
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction
from vault_mem.vault.steps import FileStep, read

# More open proposals than this are too many to look through; the rest wait until there is room.
MOST_OPEN = 50


def file_key(folder: Folder, *, private: bool) -> str:
    """Where proposals stand."""
    return f"{folder.settings.private_folder}/REVIEW.md" if private else "REVIEW.md"


def waiting(folder: Folder, *, private: bool) -> list[Proposal]:
    """Those that nobody has answered."""
    return checklist.undecided(text_of(read(folder, file_key(folder, private=private))))


def drop(transaction: Transaction, id_: str) -> None:
    """Take proposals about a memory that goes out of the checklist; answers stay."""
    for private in (False, True):
        key = file_key(transaction.folder, private=private)
        text = text_of(transaction.now(key))
        write(transaction, key, checklist.without(text, lambda each: id_ in each.ids))


def take_out(transaction: Transaction, made: FileStep) -> None:
    """Take back the proposals of an operation from a checklist that others have written since; answers stay."""
    before = {each.id for each in checklist.read(text_of(made.before))}
    proposed = {each.id for each in checklist.undecided(text_of(made.after))} - before
    text = text_of(transaction.now(made.key))
    write(transaction, made.key, checklist.without(text, lambda each: each.id in proposed))


def write(transaction: Transaction, key: str, text: str) -> None:
    """Change the checklist. Others write it too, all the time: an undo goes on where they have."""
    now = transaction.now(key)
    if text.encode() == (now or b""):
        return
    transaction.write(key, now, text.encode())
    for number, step in enumerate(transaction.steps):
        if isinstance(step, FileStep) and step.key == key:
            transaction.steps[number] = replace(step, loose=True)


def text_of(raw: bytes | None) -> str:
    """The text of the checklist; empty if there is none."""
    return (raw or b"").decode(errors="replace")


def undone(step: FileStep) -> FileStep:
    """The step that takes a change of the checklist back: what was ticked waits for an answer again."""
    if step.after is None:
        return step
    after = checklist.unticked(step.after.decode(errors="replace")).encode()
    return replace(step, after=after, after_time=step.after_time if after == step.after else None)
