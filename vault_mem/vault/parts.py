"""One operation of many transactions: an import saves a few hundred notes at a time, as one entry and one undo.

While it runs, a sign in the journal (`{token}.parts`) says so, and each transaction leaves an entry of its own that
names the operation (`part_of`). These are merged into one entry, which knows new notes only by their hashes, so that
ten thousand of them take a megabyte. The operation is done once the sign is gone. If it fails, or a crash left the
sign, all parts are taken back.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from vault_mem.errors import CallersOwn, VaultMemError, of_system
from vault_mem.vault import carry, files, journal, late, machine_folder, marked
from vault_mem.vault.folder import JOURNAL, Folder
from vault_mem.vault.steps import AppendStep, DropStep, FileStep, LineStep, MadeStep, State, Step, as_text, read
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE

# Entries are merged after this many files, and taken back this many at a time, because their texts are in memory.
MOST_PARTS = 500


@contextmanager
def one_operation(folder: Folder, command: str) -> Iterator[RunningOperation]:
    """Hold the vault for writing; every transaction of the block is part of one operation.

    Ctrl-C ends it early: what was done by then stays, as the operation. Any other error takes everything back.
    """
    with journal.writing(folder):
        whole = RunningOperation(folder, secrets.token_hex(4), command, journal.last_number(folder))
        whole.begin()
        token = journal.part_of.set(whole.token)
        try:
            yield whole
        except KeyboardInterrupt:
            whole.finish()
            raise
        except (Exception, CallersOwn) as error:
            whole.give_up(error)
            raise
        else:
            whole.finish()
        finally:
            journal.part_of.reset(token)


class RunningOperation:
    """An operation that is still going on."""

    def __init__(self, folder: Folder, token: str, command: str, since: int) -> None:
        self.folder = folder
        self.token = token
        self.command = command
        self.since = since
        self.sign = f"{JOURNAL}/{token}.parts"
        self.finished = False
        self._parts = 0

    def begin(self) -> None:
        """Mark the operation as under way."""
        files.make_folder(self.folder.tree, JOURNAL, PRIVATE_FOLDER_MODE)
        files.create(self.folder.tree, self.sign, f"{self.since} {self.command}".encode(), PRIVATE_MODE)

    def part_done(self, files: int = 1) -> None:
        """Note that one of its transactions has ended and wrote that many files."""
        self._parts += files
        if self._parts >= MOST_PARTS:
            self._parts = 0
            self._gather()

    def finish(self) -> None:
        """Merge its parts into one entry; if that fails, take everything back."""
        try:
            self.folder.notices += journal.finish_pending(self.folder)
            self._gather()
            with files.failures(self.folder.shown(self.sign)):
                self.folder.tree.drop(self.sign)
                self.folder.tree.sync_folder(JOURNAL)
        except (VaultMemError, OSError) as error:
            self.give_up(error)
            raise
        self.finished = True

    def give_up(self, error: Exception | CallersOwn) -> None:
        """Take back what was done, or say that the next command will."""
        try:
            journal.finish_pending(self.folder)
            self.take_back()
        except (VaultMemError, OSError):
            cause = error.error if isinstance(error, CallersOwn) else error
            reason = cause if isinstance(cause, VaultMemError) else of_system(cause)
            what = reason.message if reason else type(cause).__name__
            raise carry.HalfDone(f"{what}; part of it is done", "the next command takes it back") from error

    def take_back(self) -> None:
        """Undo all parts, the last first, and drop their entries. Can be repeated after a crash."""
        for entry in reversed(self._entries()):
            steps = list(reversed(entry.steps))
            for first in range(0, len(steps), MOST_PARTS):
                self._undo(entry.name, first, steps[first : first + MOST_PARTS])
            with files.failures(self.folder.shown(JOURNAL)):
                self.folder.tree.drop(f"{JOURNAL}/{entry.name}.json")
        with files.failures(self.folder.shown(self.sign)):
            self.folder.tree.drop(self.sign)

    def _undo(self, name: str, first: int, steps: list[Step]) -> None:
        folder = self.folder
        jobs = carry.jobs_of(name, _undone(folder, steps), carry.TAKING_BACK + first)
        carry.prepare(folder, jobs, folder.notices)
        carry.switch(folder, jobs, folder.notices)
        carry.sync(folder, jobs)
        with files.failures(folder.shown(JOURNAL)):
            carry.clear(folder, jobs)
            late.look_after(folder, [(job.stage, job.change) for job in jobs if isinstance(job.change, FileStep)])
        folder.removed |= {job.key for job in jobs if isinstance(job.change, FileStep) and job.change.after is None}

    def _entries(self) -> list[journal.Entry]:
        """The entries of its parts, in order."""
        since = [name for name in journal.names(self.folder, "json") if journal.number_of(name) > self.since]
        loaded = [journal.load(self.folder, name, "json") for name in since]
        mine = [each for each in loaded if each is not None and each.part_of == self.token and not each.unasked]
        return [each for each in mine if all(journal.ours(self.folder, step) for step in each.steps)]

    def _gather(self) -> None:
        """Merge the parts so far into one entry. Can be repeated after a crash."""
        mine = self._entries()
        if not mine or (len(mine) == 1 and mine[0].command == self.command):
            return
        last = mine[-1]
        steps = _net(self.folder, [step for entry in mine for step in entry.steps])
        ids = list(dict.fromkeys(id_ for entry in mine for id_ in entry.ids))
        journal.put(self.folder, replace(last, command=self.command, reason="", ids=ids, steps=steps))
        with files.failures(self.folder.shown(JOURNAL)):
            for entry in mine[:-1]:
                self.folder.tree.drop(f"{JOURNAL}/{entry.name}.json")


def left_by_a_crash(folder: Folder) -> list[RunningOperation]:
    """Operations that a crash left in parts. The vault is locked, so no other process is working on them."""
    found = []
    for name in folder.tree.names(JOURNAL, ".parts"):
        try:
            since, _, command = (read(folder, f"{JOURNAL}/{name}") or b"").decode().partition(" ")
            found.append(RunningOperation(folder, name.removesuffix(".parts"), command, int(since)))
        except ValueError:
            machine_folder.set_aside(folder.tree, f"{JOURNAL}/{name}", "not the sign of an operation in parts")
    return found


def _undone(folder: Folder, steps: list[Step]) -> list[Step]:
    """The steps that take these back, except where the file has changed since."""
    found: list[Step] = []
    logged: dict[str, list[str]] = {}
    texts = {step.key: as_text(read(folder, step.key)) for step in steps if isinstance(step, LineStep)}
    views = {key: {**marked.by_id(text or ""), "": marked.find(text, "")} for key, text in texts.items()}
    for step in steps:
        if isinstance(step, MadeStep):
            before = read(folder, step.key) if step.state(folder) is State.AFTER else None
            found.append(FileStep(step.key, before, None, step.mode, loose=True))
        elif isinstance(step, FileStep):
            found.append(replace(step.reverse(), loose=True))
        elif isinstance(step, AppendStep):
            logged.setdefault(step.key, []).extend(step.line.split("\n"))
        elif isinstance(step, LineStep) and views[step.key].get(step.id) in (None, step.after):
            found.append(step.reverse())
    return found + [DropStep(key, tuple(lines)) for key, lines in logged.items()]


def _net(folder: Folder, steps: list[Step]) -> list[Step]:
    """The net effect of many steps: each file, and each line of a view, from its first state to its last."""
    made: dict[str, MadeStep] = {}
    changed: dict[str, FileStep] = {}
    lines: dict[tuple[str, str], LineStep] = {}
    logs: list[Step] = []
    for step in steps:
        if isinstance(step, MadeStep):
            made[step.key] = step
        elif isinstance(step, LineStep):
            first = lines.get((step.key, step.id), step)
            lines[step.key, step.id] = replace(first, after=step.after)
        elif isinstance(step, FileStep):
            _follow(folder, step, made, changed)
        else:
            logs.append(step)
    return [*logs, *changed.values(), *made.values(), *lines.values()]


def _follow(folder: Folder, step: FileStep, made: dict[str, MadeStep], changed: dict[str, FileStep]) -> None:
    key, after = step.key, step.after
    if after is not None and folder.is_note(key) and (key in made or (step.before is None and key not in changed)):
        made[key] = MadeStep.of(key, after, step.mode)
    elif key in made:
        del made[key]
    else:
        first = changed.get(key, step)
        changed[key] = replace(first, after=after, after_time=step.after_time)
