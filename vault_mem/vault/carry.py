"""Carrying out the steps of an operation: everything is prepared before the first visible change (SPEC S-3).

If preparing fails, nothing has happened. Switching only renames files, so it rarely fails, and what was switched can be
switched back without any disk space. Lines of views are optional: if one cannot be written, a notice says so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from vault_mem.errors import Changed, VaultMemError, WriteFailed
from vault_mem.vault import files, git, marked
from vault_mem.vault.folder import Folder
from vault_mem.vault.steps import (
    AppendStep,
    DropStep,
    FileStep,
    LineStep,
    Stage,
    State,
    Step,
    added_to,
    as_text,
    read,
    without,
)
from vault_mem.vault.tree import PathRefused, parent_of

# A person may save a view while we add a line to it. After this many tries, something else is wrong.
_TRIES = 5
# Steps that take back others of the same operation are numbered from here, so that their file names differ.
TAKING_BACK = 200_000


# From this many files on, several are synced at the same time.
MANY, AT_A_TIME = 16, 8


class HalfDone(WriteFailed):
    """A step failed, and so did taking back the ones before it; the journal finishes it later."""


@dataclass
class Job:
    """What happens to one file. `change` is computed from the file's content if the step does not contain all of it."""

    stage: Stage
    steps: list[Step]
    change: FileStep | AppendStep | None = None
    made: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        """The file."""
        return self.steps[0].key

    @property
    def optional(self) -> bool:
        """Whether the operation goes on if this fails."""
        return isinstance(self.steps[0], LineStep)

    def prepare(self, folder: Folder, *, sync: bool = True) -> None:
        """Work out the change, and write the new content beside its target."""
        self.change = self._work_out(folder)
        if isinstance(self.change, FileStep):
            self.made += self.change.prepare(folder, self.stage, sync=sync)
        elif self.change is not None:
            self.change.prepare(folder)

    def switch(self, folder: Folder) -> None:
        """Make the change."""
        for _ in range(_TRIES - 1 if isinstance(self.steps[0], LineStep | DropStep) else 0):
            if self.change is None:
                return
            try:
                self.change.switch(folder, self.stage)
            except Changed:
                self.prepare(folder)
            else:
                return
        if self.change is not None:
            self.change.switch(folder, self.stage)

    def take_back(self, folder: Folder) -> None:
        """Unmake the change; raises Conflict where somebody has edited the file since."""
        if self.change is not None and self.change.state(folder) is State.AFTER:
            self.change.take_back(folder, self.stage)

    def clear(self, folder: Folder, *, undone: bool = False) -> None:
        """Remove what was prepared and not used; if `undone`, also the folders that were made for it."""
        new = self.stage.prepared_name(self.key)
        if undone or not isinstance(self.change, FileStep) or self.change.kept(folder, self.stage) != new:
            with contextlib.suppress(PathRefused):  # if the folder is a link by now, nothing in it is ours
                folder.tree.drop(new)
        for made in reversed(self.made if undone else []):
            folder.tree.drop_folder(made)

    def slipped_in(self, folder: Folder) -> bool:
        """If a person saved the file just as a crash cut the switch short, put that back; returns whether they did."""
        first = self.steps[0]
        if isinstance(first, FileStep):
            return first.slipped_in(folder, self.stage)
        beside = read(folder, self.stage.prepared_name(self.key))
        if beside is None or isinstance(first, AppendStep):
            return False
        now = read(folder, self.key)
        if (self._put(folder, now)[0] or b"").startswith(beside) or self._put(folder, beside)[0] == now:
            return False  # it is what we prepared (perhaps in part) or displaced
        with files.failures(folder.shown(self.key)):
            return folder.tree.exchange(self.stage.prepared_name(self.key), self.key)

    def _put(self, folder: Folder, raw: bytes | None) -> tuple[bytes | None, int | None]:
        """The file's content after the steps, and the mtime to give it."""
        added = [step for step in self.steps if isinstance(step, LineStep) and step.adds]
        if len(added) == len(self.steps) > 1 and marked.by_id(as_text(raw) or "").keys().isdisjoint(
            step.id for step in added
        ):
            return added_to(raw, added), None
        removed = [step for step in self.steps if isinstance(step, LineStep) and step.takes_out]
        if len(removed) == len(self.steps) > 1:
            after, time = without(raw, removed)
        else:
            after, time = raw, None
            for step in self.steps:
                if isinstance(step, LineStep | DropStep):
                    after, time = step.put(after)
        if after is None and raw is not None:
            after = left_of(folder, self.key)
        return after, time

    def _work_out(self, folder: Folder) -> FileStep | AppendStep | None:
        first = self.steps[0]
        if isinstance(first, AppendStep):
            return first
        if isinstance(first, FileStep):
            return None if first.loose and first.state(folder) is not State.BEFORE else first
        before = read(folder, self.key)
        after, time = self._put(folder, before)
        return None if before == after else FileStep(self.key, before, after, after_time=time)


def left_of(folder: Folder, key: str) -> bytes | None:
    """What stays of a view or log that became empty; None to remove it.

    One that git tracks stays: git cannot merge a deletion with lines that another clone added (SPEC V-11).
    """
    return marked.bare(key).encode() if git.tracked(folder, [f":(literal){key}"]) else None


def jobs_of(name: str, steps: Iterable[Step], first: int = 0) -> list[Job]:
    """One job per file, so that a view is written only once. Logs come first: only they still need disk space."""
    jobs: list[Job] = []
    views: dict[str, Job] = {}
    for number, step in enumerate(steps, first):
        if isinstance(step, LineStep) and step.key in views:
            views[step.key].steps.append(step)
            continue
        jobs.append(Job(Stage(name, number), [step]))
        if isinstance(step, LineStep):
            views[step.key] = jobs[-1]
    return sorted(jobs, key=lambda job: not isinstance(job.steps[0], AppendStep))


def prepare(folder: Folder, jobs: list[Job], notices: list[str]) -> None:
    """Prepare all jobs; if one fails, leave nothing behind."""
    many = len(jobs) >= MANY
    try:
        for job in jobs:
            with _optional_may_fail(job, notices):
                job.prepare(folder, sync=not many)
        if many:
            _sync_prepared(folder, jobs, notices)
    except VaultMemError as error:
        _abandon(folder, jobs, error)
        raise


def _sync_prepared(folder: Folder, jobs: list[Job], notices: list[str]) -> None:
    """Sync what was prepared, several files at a time: that takes a tenth of the time of one after the other."""

    def sync(job: Job) -> None:
        with files.failures(folder.tree.path(job.key)):
            folder.tree.sync_file(job.stage.prepared_name(job.key))

    written = [job for job in jobs if isinstance(job.change, FileStep) and job.change.after is not None]
    with ThreadPoolExecutor(AT_A_TIME) as threads:
        for job, done in [(job, threads.submit(sync, job)) for job in written]:
            with _optional_may_fail(job, notices):
                done.result()


def switch(folder: Folder, jobs: list[Job], notices: list[str]) -> None:
    """Switch all, or none; raises HalfDone if neither worked."""
    begun: list[Job] = []
    try:
        for job in jobs:
            begun.append(job)
            with _optional_may_fail(job, notices):
                job.switch(folder)
    except VaultMemError as error:
        _take_back(folder, begun, error)
        _abandon(folder, jobs, error)
        raise


def _take_back(folder: Folder, begun: list[Job], error: VaultMemError) -> None:
    failed: VaultMemError | None = None
    for job in reversed(begun):
        try:
            job.take_back(folder)
        except Changed:
            continue  # a person's edit on top of ours: it stays
        except VaultMemError as another:
            failed = another
    if failed is not None:
        raise HalfDone(f"{error.message}; half of it is done", "the next command finishes it") from failed


def _abandon(folder: Folder, jobs: list[Job], error: VaultMemError) -> None:
    """Remove what was prepared; what cannot be removed now goes when the next command ends the operation."""
    failed: OSError | None = None
    for job in reversed(jobs):
        try:
            job.clear(folder, undone=True)
        except OSError as another:
            failed = another
    if failed is not None:
        raise still_pending(error) from failed


def still_pending(error: VaultMemError) -> HalfDone:
    """For an operation that failed and could not be taken out of the journal."""
    return HalfDone(f"{error.message}; it is still in the journal", "the next command finishes it")


def clear(folder: Folder, jobs: list[Job], *, undone: bool = False) -> None:
    """Remove what is left of what was prepared."""
    for job in reversed(jobs):
        job.clear(folder, undone=undone)


def sync(folder: Folder, jobs: list[Job]) -> None:
    """Sync the folders, so that the renames survive a power cut."""
    for above in sorted({parent_of(job.key) for job in jobs if job.change is not None}):
        with files.failures(folder.shown(above) if above else folder.root):
            folder.tree.sync_folder(above)


@contextlib.contextmanager
def _optional_may_fail(job: Job, notices: list[str]) -> Iterator[None]:
    try:
        yield
    except VaultMemError as error:
        if not job.optional:
            raise
        job.change = None
        notices.append(f"{job.key} could not be kept up to date: {error.message}")
