"""One operation of many transactions: an import saves note by note, and is one entry of the journal and one undo.

While it goes on, each transaction leaves an entry of its own that names the whole (`part_of`). They are gathered into
one, which knows the notes that were made by their hash alone: ten thousand of them are a megabyte. A sign in the
journal (`{token}.parts`) tells whoever writes next that there are parts which a crash left.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from vault_mem.errors import VaultMemError
from vault_mem.vault import files, journal, own
from vault_mem.vault.folder import JOURNAL, Folder
from vault_mem.vault.steps import FileStep, LineStep, MadeStep, Step, read
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE

# How many transactions are gathered at a time: the journal is listed at each.
MOST_PARTS = 500


@contextmanager
def together(folder: Folder, command: str) -> Iterator[Whole]:
    """Hold the vault for writing; every transaction of the block is part of one operation."""
    with journal.writing(folder):
        whole = Whole(folder, secrets.token_hex(4), command, journal.last_number(folder))
        token = journal.part_of.set(whole.token)
        try:
            yield whole
        finally:
            journal.part_of.reset(token)
            try:
                whole.gather()
                folder.tree.drop(whole.sign)
            except (VaultMemError, OSError) as error:
                folder.notices.append(f"it is several entries of the journal until the next command: {error}")


class Whole:
    """An operation on its way."""

    def __init__(self, folder: Folder, token: str, command: str, since: int) -> None:
        self.folder = folder
        self.token = token
        self.command = command
        self.since = since
        self.sign = f"{JOURNAL}/{token}.parts"
        self._parts = 0

    def part_done(self) -> None:
        """A transaction of it has ended."""
        tree = self.folder.tree
        if not self._parts and not tree.exists(self.sign):
            files.make_folder(tree, JOURNAL, PRIVATE_FOLDER_MODE)
            files.create(tree, self.sign, f"{self.since} {self.command}".encode(), PRIVATE_MODE)
        self._parts += 1
        if self._parts % MOST_PARTS == 0:
            self.gather()

    def gather(self) -> None:
        """Make one entry of all there are; doing it again after a crash makes the same one."""
        folder = self.folder
        since = [name for name in journal.names(folder, "json") if journal.number_of(name) > self.since]
        loaded = [journal.load(folder, name, "json") for name in since]
        mine = [each for each in loaded if each is not None and each.part_of == self.token and not each.unasked]
        if not mine or (len(mine) == 1 and mine[0].command == self.command):
            return
        last = mine[-1]
        steps = _net(folder, [step for entry in mine for step in entry.steps])
        ids = list(dict.fromkeys(id_ for entry in mine for id_ in entry.ids))
        journal.put(folder, replace(last, command=self.command, reason="", ids=ids, steps=steps))
        for entry in mine[:-1]:
            folder.tree.drop(f"{JOURNAL}/{entry.name}.json")


def recover(folder: Folder) -> None:
    """Gather what a crash left in parts; the vault is held for writing, so nobody is at it."""
    for name in folder.tree.names(JOURNAL, ".parts"):
        key = f"{JOURNAL}/{name}"
        try:
            since, _, command = (read(folder, key) or b"").decode().partition(" ")
            Whole(folder, name.removesuffix(".parts"), command, int(since)).gather()
        except ValueError:
            own.set_aside(folder.tree, key, "not the sign of an operation in parts")
        else:
            folder.tree.drop(key)


def _net(folder: Folder, steps: list[Step]) -> list[Step]:
    """What many steps come to: each file, and each line of a view, from what it was first to what it is last."""
    made: dict[str, MadeStep] = {}
    changed: dict[str, FileStep] = {}
    lines: dict[tuple[str, str], LineStep] = {}
    for step in steps:
        if isinstance(step, MadeStep):
            made[step.key] = step
        elif isinstance(step, LineStep):
            first = lines.get((step.key, step.id), step)
            lines[step.key, step.id] = replace(first, after=step.after)
        elif isinstance(step, FileStep):
            _follow(folder, step, made, changed)
    return [*changed.values(), *made.values(), *lines.values()]


def _follow(folder: Folder, step: FileStep, made: dict[str, MadeStep], changed: dict[str, FileStep]) -> None:
    key, after = step.key, step.after
    if after is not None and folder.is_note(key) and (key in made or (step.before is None and key not in changed)):
        made[key] = MadeStep.of(key, after, step.mode)
    elif key in made:
        del made[key]
    else:
        first = changed.get(key, step)
        changed[key] = replace(first, after=after, after_time=step.after_time)
