"""Which operations may be shown: if only public memories are seen, none that touched or quotes a private one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from vault_mem.model import digits_of
from vault_mem.vault import journal
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.journal import Entry
from vault_mem.vault.steps import FileStep, LineStep, read
from vault_mem.vault.tree import name_of

# The first digits of an id, as they occur in texts and file names.
_DIGITS = re.compile(r"(?:mem_|ep_|-)([0-9a-f]{8})")
_OURS = re.compile(r"(?:mem|ep)_([0-9a-f]{8})[0-9a-f]{4}\.md")


def shown_operations(folder: Folder) -> Iterator[tuple[Entry, bool]]:
    """The operations that may be shown, newest first, and whether each is still in effect."""
    hidden = HiddenOperations(folder)
    return ((entry, stands) for entry, stands in journal.with_standing(folder) if not hidden.hides(entry))


class HiddenOperations:
    """Decides whether operations must be hidden; they must be given newest first.

    What is private now may have been public then, so the newest operation on a memory decides.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._hidden = private_digits(folder) if folder.public else set()
        self._public: set[str] = set()

    def hides(self, entry: Entry) -> bool:
        """Whether an operation must not be shown."""
        if not self._folder.public:
            return False
        self._learn([step for step in entry.steps if isinstance(step, FileStep)])
        if any(journal.may_be_private(self._folder, step) for step in entry.steps):
            return True
        return any(names_one(text, self._hidden) for text in _texts(entry))

    def _learn(self, notes: list[FileStep]) -> None:
        for step in sorted(notes, key=partial(journal.may_be_private, self._folder)):
            digits = digits_of(id_in(step.after or step.before or b""))
            if not journal.may_be_private(self._folder, step):
                if self._folder.is_note(step.key) and step.after is not None and digits not in self._hidden:
                    self._public.add(digits)
            elif digits and digits not in self._public:
                self._hidden.add(digits)


def private_digits(folder: Folder) -> set[str]:
    """The first digits of the ids of all files in the private folder."""
    found = set()
    for _, _, keys in folder.tree.walk(folder.settings.private_folder):
        for key in keys:
            ours = _OURS.fullmatch(name_of(key))
            found.add(ours.group(1) if ours else digits_of(id_in(read(folder, key) or b"")))
    return found - {""}


def names_one(text: str, digits: set[str]) -> bool:
    """Whether a text has the id or the file name of a memory with one of these digits."""
    return not digits.isdisjoint(_DIGITS.findall(text))


def _texts(entry: Entry) -> Iterator[str]:
    """Every text that showing an operation would reveal."""
    yield " ".join((entry.reason, *entry.ids))
    for step in entry.steps:
        yield step.key
        if isinstance(step, FileStep):
            yield from ((raw or b"").decode(errors="replace") for raw in (step.before, step.after))
        elif isinstance(step, LineStep):
            yield from (text or "" for text in (step.id, step.before, step.after))
