"""One operation of many transactions: an import saves note by note, and is one entry of the journal and one undo.

While it goes on, each transaction leaves an entry of its own that names the whole (`part_of`). They are gathered into
one, which knows the notes that were made by their hash alone: ten thousand of them are a megabyte. A sign in the
journal (`{token}.parts`) tells whoever writes next that there are parts which a crash left.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from vault_mem.vault import files, journal
from vault_mem.vault.folder import Folder
from vault_mem.vault.steps import FileStep, LineStep, MadeStep, Step

# So many transactions are gathered at a time: the journal is listed at each.
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
            whole.gather()
            whole.sign.unlink(missing_ok=True)


class Whole:
    """An operation on its way."""

    def __init__(self, folder: Folder, token: str, command: str, since: int) -> None:
        self.folder = folder
        self.token = token
        self.command = command
        self.since = since
        self.sign = journal.place(folder) / f"{token}.parts"
        self._parts = 0

    def part_done(self) -> None:
        """A transaction of it has ended."""
        if not self._parts and not self.sign.exists():
            files.make_folder(self.sign.parent, files.PRIVATE_FOLDER_MODE)
            files.create(self.sign, f"{self.since} {self.command}".encode(), files.PRIVATE_MODE)
        self._parts += 1
        if self._parts % MOST_PARTS == 0:
            self.gather()

    def gather(self) -> None:
        """Make one entry of all there are; doing it again after a crash makes the same one."""
        found = [
            path
            for path in sorted(journal.place(self.folder).glob("*.json"))
            if path.name[:6].isdigit() and int(path.name[:6]) > self.since
        ]
        loaded = [(path, entry) for path in found if (entry := journal.load(path, self.folder))]
        mine = [(path, entry) for path, entry in loaded if entry.part_of == self.token]
        if not mine or (len(mine) == 1 and mine[0][1].command == self.command):
            return
        last_path, last = mine[-1]
        steps = _net(self.folder, [step for _, entry in mine for step in entry.steps])
        record = {
            "op": last.op,
            "command": self.command,
            "reason": "",
            "at": last.at.isoformat(),
            "part_of": self.token,
            "ids": list(dict.fromkeys(id_ for _, entry in mine for id_ in entry.ids)),
            "steps": [step.record() for step in steps],
        }
        before = last_path.read_bytes()
        files.replace(last_path, before, json.dumps(record, ensure_ascii=False).encode())
        for path, _ in mine[:-1]:
            path.unlink(missing_ok=True)


def recover(folder: Folder) -> None:
    """Gather what a crash left in parts; the vault is held for writing, so nobody is at it."""
    for sign in journal.place(folder).glob("*.parts"):
        with contextlib.suppress(OSError, ValueError):
            since, _, command = sign.read_bytes().decode().partition(" ")
            Whole(folder, sign.stem, command, int(since)).gather()
        sign.unlink(missing_ok=True)


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
