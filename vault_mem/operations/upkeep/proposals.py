"""The checklist of proposals as a file: where it is, and how operations of all kinds change it."""

from __future__ import annotations

from dataclasses import replace

from vault_mem.notes import checklist
from vault_mem.notes.checklist import Proposal
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction
from vault_mem.vault.steps import FileStep, read

# Nobody looks through more open proposals than this; further ones are not added until there is room.
MOST_OPEN = 50


def file_key(folder: Folder, *, private: bool) -> str:
    """The file with the proposals of one side."""
    return f"{folder.settings.private_folder}/REVIEW.md" if private else "REVIEW.md"


def undecided_proposals(folder: Folder, *, private: bool) -> list[Proposal]:
    """The proposals of one side that are not settled yet."""
    return checklist.undecided(text_of(read(folder, file_key(folder, private=private))))


def drop(transaction: Transaction, id_: str) -> None:
    """Remove unanswered proposals about a memory that is being removed."""
    for private in (False, True):
        key = file_key(transaction.folder, private=private)
        text = text_of(transaction.now(key))
        write(transaction, key, checklist.without(text, lambda each: id_ in each.ids))


def take_out(transaction: Transaction, made: FileStep) -> None:
    """Remove an operation's unanswered proposals from a checklist that was changed since."""
    before = {each.id for each in checklist.read(text_of(made.before))}
    proposed = {each.id for each in checklist.undecided(text_of(made.after))} - before
    text = text_of(transaction.now(made.key))
    write(transaction, made.key, checklist.without(text, lambda each: each.id in proposed))


def write(transaction: Transaction, key: str, text: str) -> None:
    """Change the checklist. It changes all the time, so an undo does not stop if it was changed since (`loose`)."""
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
    """The step that undoes a change of the checklist, with ticked proposals waiting for an answer again."""
    if step.after is None:
        return step
    after = checklist.unticked(step.after.decode(errors="replace")).encode()
    return replace(step, after=after, after_time=step.after_time if after == step.after else None)
