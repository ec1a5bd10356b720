"""Transactions: what a command will do is written down and synced before it is done.

So a crash in between is finished or taken back at the next start, and everything can be undone.

An entry is one JSON file in `.vault-mem/journal/`, named by its operation: `{op}.pending` until every step is
done, then `{op}.json`; `{op}.conflict` where it was taken back. It holds the file contents before and after, so
it is as private as they are. Files that a step displaced are kept beside it for a while (`*.was`, see `late`).
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from vault_mem.errors import Busy, Changed, Conflict, EditRefused, Unsafe, VaultMemError
from vault_mem.notes.edit import edit
from vault_mem.notes.parse import parse
from vault_mem.vault import carry, files, late, machine_folder
from vault_mem.vault.folder import JOURNAL, LOCK, OWN, Folder
from vault_mem.vault.history import ChangeReason, has_date, revisions
from vault_mem.vault.interrupted import PURGING, has_unfinished, request_id
from vault_mem.vault.lock import WAIT_SECONDS, locked, try_lock
from vault_mem.vault.steps import (
    AppendStep,
    DropStep,
    FileStep,
    LineStep,
    State,
    Step,
    ViewBefore,
    as_text,
    from_record,
    read,
)
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE, PUBLIC_MODE, TEMPORARY, native

# The operation that transactions are now parts of (see `parts`).
part_of: ContextVar[str] = ContextVar("part_of", default="")

# Only the holder of the vault writes here, so temporary files are leftovers of a failing disk or a crash.
_ONLY_WHILE_WRITING = (JOURNAL, f"{OWN}/blocked", PURGING)
_REQUEST = re.compile(r"[0-9A-Za-z_-]{1,64}")
_ENTRY = re.compile(r"(\d{6,12}-\d{8}T\d{6}(?:\.[0-9A-Za-z_-]{1,64})?)\.(pending|json|conflict)")
# Purging and pruning leave gaps between the numbers of operations, but never this large.
_LONGEST_GAP = 10_000
# Old entries are looked for after this many commits.
_PRUNE_EVERY = 16
# A folder of this many entries is still listed in a millisecond or two.
MOST_ENTRIES = 2000
# Notes, views and private revisions, whatever the folders are called.
_ELSEWHERE = re.compile(r"(?:[^./\0][^/\0]*/)*(?:[^./\0][^/\0]*\.md|\.history/\d{4}-\d{2}\.jsonl)", re.IGNORECASE)


@dataclass
class Entry:
    """One operation of the journal."""

    op: str
    command: str
    reason: str
    at: datetime
    undoes: str
    part_of: str
    unasked: bool
    ids: list[str]
    steps: list[Step]
    name: str

    def dump(self) -> bytes:
        """As JSON, without `name`, which is the file's."""
        record = vars(self) | {"at": self.at.isoformat(), "steps": [step.record() for step in self.steps]}
        del record["name"]
        return json.dumps(record, ensure_ascii=False).encode()


@dataclass
class Transaction:
    """The changes of one command, made together by `commit`. `unasked`: the tool does it by itself (SPEC V-4)."""

    folder: Folder
    command: str
    reason: str = ""
    undoes: str = ""
    unasked: bool = False
    op: str = ""
    ids: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    written: dict[str, str | bool] = field(default_factory=dict)  # by memory: which part of its text is ours
    whys: dict[str, ChangeReason] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    _undated: dict[str, bytes] = field(default_factory=dict)  # texts before a date was added to them
    _views: dict[str, tuple[str | None, int, str | None]] = field(default_factory=dict)  # see `_view`

    @property
    def keys(self) -> list[str]:
        """The files it changes."""
        return list(dict.fromkeys(step.key for step in self.steps))

    @property
    def notes(self) -> list[str]:
        """Those of them that are notes: what the index must look at again."""
        return [key for key in self.keys if self.folder.is_note(key)]

    @property
    def linking(self) -> list[str]:
        """Those that may have links: notes, and a person's own files."""
        return [key for key in self.keys if self.folder.has_links(key)]

    def create(self, key: str, data: bytes, mtime_ns: int | None = None) -> None:
        """Add a new file; in a protected folder only its owner can read it."""
        self.steps.append(FileStep(key, None, data, _mode(self.folder, key), after_time=mtime_ns))

    def write(self, key: str, before: bytes | None, after: bytes, *, time_ns: int | None = None) -> None:
        """Change a file whose content is `before` (None: no file). It gets a new mtime, so that others see the change.

        `time_ns` is for bringing a text back: the mtime that the file had with exactly this text.
        """
        if before is None:
            self.create(key, after)
            return
        for number, step in enumerate(self.steps):
            if isinstance(step, FileStep) and step.key == key:
                if before not in (step.after, self._undated.get(key)):
                    raise AssertionError(f"{key} is changed twice from different beginnings")
                self.steps[number] = self._dated(replace(step, after=after))
                return
        if before != after:
            was = changed_at(self.folder, key)
            self.steps.append(self._dated(FileStep(key, before, after, before_time=was, after_time=time_ns)))

    def _dated(self, step: FileStep, *, moved_from: str = "") -> FileStep:
        """If only its mtime dates a note, the step writes that date into it: the change sets a new mtime (SPEC S-8).

        If the date cannot be written, the file keeps its mtime. `moved_from` is where the file was before.
        """
        text, after, time_ns = step.before, step.after, step.before_time
        if text is None or after is None or time_ns is None or step.after_time or not self.folder.is_note(step.key):
            return step
        seconds = time_ns // 1_000_000_000
        note = parse(text, moved_from or step.key, mtime=seconds, zone=self.folder.zone)
        moment = datetime.fromtimestamp(seconds, self.folder.zone)
        if not note.dated_by_file or note.memory.created != moment or note.episode:  # an episode has `start`
            return step
        self._undated[step.key] = after
        try:
            if not has_date(after):  # a date that we cannot read is its owner's and stays
                return replace(step, after=edit(after, {"created": moment}))
        except EditRefused:
            pass
        return replace(step, after_time=time_ns)

    def remove(self, key: str, before: bytes) -> None:
        """Remove a file whose content is `before`."""
        found = self.folder.tree.stat(key)
        mode = stat.S_IMODE(found.st_mode) & 0o666 if found else _mode(self.folder, key)
        self.steps.append(FileStep(key, before, None, mode, before_time=changed_at(self.folder, key)))

    def move(self, old: str, before: bytes, new: str, after: bytes, *, keep_mode: bool = False) -> None:
        """Move a file; it keeps its mtime if its content stays the same."""
        found = self.folder.tree.stat(old)
        if found is None:
            raise Changed(f"{old} is gone", "was it moved? Try again")
        mode = stat.S_IMODE(found.st_mode) & 0o666 if keep_mode else _mode(self.folder, new)
        time_ns = found.st_mtime_ns
        kept = time_ns if before == after else None
        change = FileStep(new, before, after, mode, before_time=time_ns, after_time=kept)
        self.steps.append(replace(self._dated(change, moved_from=old), before=None, before_time=None))
        self.remove(old, before)

    def line(self, key: str, id_: str, before: str | None, after: str | None, position: str) -> None:
        """Set or take out the line of a memory in a view."""
        if before != after:
            was = ViewBefore.of(self._view(key), changed_at(self.folder, key), id_)
            self.steps.append(LineStep(key, id_, before, after, position, was))

    def _view(self, key: str) -> str | None:
        """What a view will say after the steps so far. It is kept, so that each step is applied only once."""
        says = as_text(read(self.folder, key))
        said, done, text = self._views.get(key, (says, 0, says))
        if said != says:
            done, text = 0, says
        for step in self.steps[done:]:
            if isinstance(step, LineStep) and step.key == key:
                text, _ = step.applied(text)
        self._views[key] = says, len(self.steps), text
        return text

    def lines(self, key: str, new: Mapping[str, str], position: str) -> None:
        """Add the lines of memories that a view does not mirror yet, by id."""
        was = ViewBefore.of(as_text(read(self.folder, key)), changed_at(self.folder, key), "")
        self.steps += [LineStep(key, id_, None, line, position, was) for id_, line in new.items()]

    def append(self, key: str, line: str) -> None:
        """Add a line at the end of a log, which is created if it is missing."""
        self.steps.append(AppendStep(key, line))

    def drop(self, key: str, lines: list[str]) -> None:
        """Take lines out of a public log for good."""
        self.steps.append(DropStep(key, tuple(lines)))

    def now(self, key: str) -> bytes | None:
        """What a file will say after the steps so far."""
        for step in reversed(self.steps):
            if isinstance(step, FileStep) and step.key == key:
                return step.after
        return read(self.folder, key)

    def commit(self) -> str:
        """Do it: all steps, or none. Returns the operation's name; raises Conflict if a file changed meanwhile."""
        folder = self.folder
        if folder.held and not folder.held():
            raise Busy("the lock of this vault was deleted while it was held", "nothing was written; try again")
        for step in self.steps:
            if not ours(folder, step):
                raise Unsafe(f"{step.key} is not a file that vault-mem writes", "is one of its folders a link?")
            if isinstance(step, FileStep) and not step.loose and read(folder, step.key) != step.before:
                raise Changed(f"{step.key} changed while it was being edited", "nothing was written; try again")
        folder.last_number = last_number(folder) + 1
        self.op = f"{folder.last_number:06d}-{folder.now():%Y%m%dT%H%M%S}"
        self.steps += revisions(self)
        request = request_id.get()
        name = f"{self.op}.{request}" if _REQUEST.fullmatch(request) else self.op
        jobs = carry.jobs_of(name, self.steps)
        pending = f"{JOURNAL}/{name}.pending"
        files.make_folder(folder.tree, JOURNAL, PRIVATE_FOLDER_MODE)
        try:
            files.create(folder.tree, pending, self._entry(name).dump(), PRIVATE_MODE)
            carry.prepare(folder, jobs, self.notices)
            carry.switch(folder, jobs, self.notices)
        except carry.HalfDone:
            raise
        except VaultMemError as error:
            try:
                folder.tree.drop(pending)
            except OSError as another:
                raise carry.still_pending(error) from another
            raise
        if not self.unasked:
            folder.last_op = self.op
        self.notices += _finish(folder, name, jobs)
        if number_of(self.op) % _PRUNE_EVERY == 0:
            with contextlib.suppress(OSError):
                prune(folder)
        return self.op

    def _entry(self, name: str) -> Entry:
        given = (self.op, self.command, self.reason, self.folder.now(), self.undoes, part_of.get(), self.unasked)
        return Entry(*given, self.ids, self.steps, name)


def _finish(folder: Folder, name: str, jobs: list[carry.Job]) -> list[str]:
    """Everything is switched: sync it and mark the entry as done. If that fails, the next command does it."""
    try:
        carry.sync(folder, jobs)
    except VaultMemError as error:
        return [f"the change is made, but the disk did not confirm it: {error.message}"]
    with contextlib.suppress(OSError, VaultMemError):
        carry.clear(folder, jobs)
        late.look_after(folder, [(job.stage, job.change) for job in jobs if isinstance(job.change, FileStep)])
        folder.tree.rename(f"{JOURNAL}/{name}.pending", f"{JOURNAL}/{name}.json")
    return []


@contextmanager
def writing(folder: Folder, wait: float | None = None) -> Iterator[None]:
    """Hold the vault for writing: one writer at a time, after recovering from any crash.

    Raises Busy where another process has been writing for longer than `wait`.
    """
    with folder.writer:
        if folder.writing:  # already held by an operation that this one is part of
            yield
            return
        machine_folder.vet(folder)
        given = folder.wait if wait is None else wait
        with locked(folder.tree, LOCK, "this vault", WAIT_SECONDS if given is None else given) as held:
            folder.held, folder.last_number = held, 0  # others may have written since
            try:
                folder.notices += recover(folder)
                yield
            finally:
                folder.held = None


@contextmanager
def operation(folder: Folder, command: str, reason: str = "", *, unasked: bool = False) -> Iterator[Transaction]:
    """Hold the vault for one transaction, which is committed at the end of the block if it has any steps."""
    with writing(folder):
        transaction = Transaction(folder, command, reason, unasked=unasked)
        yield transaction
        if transaction.steps:
            transaction.commit()


def busy(folder: Folder) -> bool:
    """Whether another process is writing right now."""
    if folder.writing:
        return False
    try:
        with folder.tree.opened(LOCK, os.O_RDWR) as handle:
            return not try_lock(handle)
    except OSError:
        return False


def pending(folder: Folder) -> list[str]:
    """The names of operations that began and did not end."""
    return names(folder, "pending")


def conflicts(folder: Folder) -> list[str]:
    """The names of operations that were taken back because a file had changed since."""
    return names(folder, "conflict")


def entries(folder: Folder) -> Iterator[Entry]:
    """The operations that were done, newest first; entries that are not as we write them are set aside."""
    for name in reversed(names(folder, "json")):
        entry = load(folder, name, "json")
        if entry is not None:
            yield entry


def with_standing(folder: Folder, without: str = "") -> Iterator[tuple[Entry, bool]]:
    """The operations that were done, newest first, and whether each still stands; `without` counts as taken back."""
    undone = {without}
    for entry in entries(folder):
        stands = entry.op not in undone  # if not, and it was an undo, then what it undid stands again
        if entry.undoes and stands:
            undone.add(entry.undoes)
        yield entry, stands


def standing(folder: Folder) -> Iterator[Entry]:
    """The operations that were not undone, newest first."""
    return (entry for entry, stands in with_standing(folder) if stands and not entry.undoes)


def outcome(folder: Folder, request: str) -> dict[str, Any] | None:
    """The operation that a request brought about, or None if it wrote nothing."""
    if not _REQUEST.fullmatch(request):
        return None
    found = [(name, ending) for ending in ("json", "pending") for name in names(folder, ending)]
    named = [load(folder, name, ending) for name, ending in found if name.endswith(f".{request}")]
    asked = [entry for entry in named if entry and not entry.unasked]
    if not asked:
        return None
    last = asked[-1]
    return {"op": last.op, "command": last.command, "reason": last.reason, "at": last.at.isoformat(), "ids": last.ids}


def recover(folder: Folder) -> list[str]:
    """Finish what a crash interrupted, or take it back if a file has changed since. Returns what was done."""
    sweep(folder)
    if not has_unfinished(folder):
        return []
    said = finish_pending(folder)
    if folder.tree.names(JOURNAL, ".parts"):
        from vault_mem.vault import parts

        for whole in parts.left_by_a_crash(folder):
            whole.take_back()
            said.append(f"took back {whole.command}: it did not end")
    return said + late.clear_displaced(folder, Transaction)


def sweep(folder: Folder) -> None:
    """Remove temporary files that a crash or a failing disk left: nothing uses them yet."""
    for parent in _ONLY_WHILE_WRITING:
        for name in folder.tree.names(parent):
            if name.startswith(TEMPORARY):
                folder.tree.drop(f"{parent}/{name}")


def finish_pending(folder: Folder) -> list[str]:
    """Finish or take back every pending transaction. Returns what was done."""
    return [said for name in pending(folder) for said in _finish_or_take_back(folder, name)]


def _finish_or_take_back(folder: Folder, name: str) -> list[str]:
    """Finish or take back one pending operation. An error of the system leaves it pending."""
    entry = load(folder, name, "pending")
    if entry is None:
        return []
    jobs = carry.jobs_of(name, entry.steps)
    files_ = [(job, job.steps[0]) for job in jobs if isinstance(job.steps[0], FileStep)]
    edited = [job.key for job in jobs if job.slipped_in(folder) and not job.optional]
    edited += [step.key for _, step in files_ if not step.loose and step.state(folder) is State.OTHER]
    if edited:
        _take_back(folder, name, jobs)
        return [f"took back {entry.command} ({entry.op}): {edited[0]} had changed since"]
    notices: list[str] = []
    try:
        left = [job for job in jobs if any(step.state(folder) is not State.AFTER for step in job.steps)]
        carry.prepare(folder, left, notices)
        carry.switch(folder, left, notices)
    except carry.HalfDone:
        raise
    except VaultMemError:
        if any(step.state(folder) is State.AFTER for _, step in files_):
            raise
        _take_back(folder, name, jobs)  # nothing was visible yet, so it can be dropped
        return [f"took back {entry.command} ({entry.op}): there was no room to finish it"]
    for job, step in files_:
        job.change = job.change or step
    folder.removed |= {step.key for _, step in files_ if step.after is None}
    return notices + _finish(folder, name, jobs)


def _take_back(folder: Folder, name: str, jobs: list[carry.Job]) -> None:
    for job in reversed(jobs):
        first = job.steps[0]
        if isinstance(first, FileStep | AppendStep) and first.state(folder) is State.AFTER:
            with contextlib.suppress(Conflict):
                first.take_back(folder, job.stage)
    with files.failures(folder.shown(JOURNAL)):
        carry.clear(folder, jobs, undone=True)
        folder.tree.rename(f"{JOURNAL}/{name}.pending", f"{JOURNAL}/{name}.conflict")


def prune(folder: Folder) -> None:
    """Keep the journal within its bounds of age and size; what is pending or in conflict stays."""
    settings = folder.settings
    oldest = (folder.now() - timedelta(days=settings.journal_days)).strftime("%Y%m%dT%H%M%S")
    room = settings.journal_megabytes * 1_000_000
    for number, name in enumerate(reversed(names(folder, "json"))):
        key = f"{JOURNAL}/{name}.json"
        with contextlib.suppress(OSError):
            found = folder.tree.stat(key)
            room -= found.st_size if found else 0
            if name.partition("-")[2] < oldest or room < 0 or number >= MOST_ENTRIES:
                folder.tree.drop(key)


def load(folder: Folder, name: str, ending: str) -> Entry | None:
    """One entry of the journal; one that is not as we write them is set aside: a vault may come from a stranger."""
    key = f"{JOURNAL}/{name}.{ending}"
    try:
        raw = folder.tree.read(key)
    except OSError as error:
        raise VaultMemError(f"cannot read {key}: {error.strerror}") from error
    if raw is None:
        return None
    try:
        entry = _parsed(raw, name)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        machine_folder.set_aside(folder.tree, key, f"not an entry of the journal ({type(error).__name__})")
        return None
    done = ending == "json"  # a pending entry would be carried out, so it must be ours by the present settings
    if not all(ours(folder, step) or (done and was_ours(step)) for step in entry.steps):
        machine_folder.set_aside(folder.tree, key, "it would write what vault-mem does not write")
        return None
    return entry


def put(folder: Folder, entry: Entry) -> None:
    """Replace an entry, or write it if it is new."""
    key = f"{JOURNAL}/{entry.name}.json"
    files.put(folder.tree, key, read(folder, key), entry.dump(), PRIVATE_MODE)


def _parsed(raw: bytes, name: str) -> Entry:
    record = json.loads(raw)
    if name.partition(".")[0] != record["op"]:
        raise ValueError("the entry is of another operation")
    return Entry(
        str(record["op"]),
        str(record["command"]),
        str(record["reason"]),
        datetime.fromisoformat(record["at"]),
        str(record.get("undoes", "")),
        str(record.get("part_of", "")),
        bool(record.get("unasked")),
        [str(id_) for id_ in record.get("ids", ())],
        [from_record(each) for each in record["steps"]],
        name,
    )


def ours(folder: Folder, step: Step) -> bool:
    """Whether a step writes only what we may write; a vault and its journal may come from a stranger."""
    key = step.key
    parts = native(key).split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        return False
    if isinstance(step, AppendStep):
        return folder.is_history(key) or folder.is_log(key)
    if isinstance(step, DropStep):
        return folder.is_history(key)
    if isinstance(step, LineStep):
        return folder.was_view(key)
    plain_mode = step.mode & ~0o666 == 0
    if folder.is_note(key) or folder.was_view(key) or folder.is_kept(key):
        return plain_mode
    edited = isinstance(step, FileStep) and step.before is not None and step.after is not None
    # links in a person's own file, changed when asked for; words of a forgotten memory in a session
    return plain_mode and edited and (folder.has_links(key) or folder.is_session(key))


def was_ours(step: Step) -> bool:
    """Whether a step may have written a file that was ours then: the settings may have renamed its folder since."""
    return bool(_ELSEWHERE.fullmatch(native(step.key)))


def may_be_private(folder: Folder, step: Step) -> bool:
    """Whether a step wrote into the private folder, or into one that may have been it under another name."""
    return folder.is_private(step.key) or not ours(folder, step)


def no_longer_ours(step: Step) -> Conflict:
    """The error for a step that cannot be taken back where it was done."""
    hint = "if its folder has another name in the settings now, give it the old one first; nothing was changed"
    return Conflict(f"{step.key} is not a file that vault-mem writes", hint)


def _mode(folder: Folder, key: str) -> int:
    protected = key.startswith(f"{OWN}/") or folder.is_private(key) or folder.is_session(key)
    return PRIVATE_MODE if protected else PUBLIC_MODE


def changed_at(folder: Folder, key: str) -> int | None:
    """A file's mtime, or None if there is no file; raises if the disk does not tell."""
    try:
        found = folder.tree.stat(key)
    except OSError as error:
        raise VaultMemError(f"cannot read {key}: {error.strerror}") from error
    return found.st_mtime_ns if found else None


def last_number(folder: Folder) -> int:
    """The latest operation's number. Operations have numbers so that their order does not depend on the clock."""
    if not (folder.writing and folder.last_number):
        folder.last_number = max((number_of(name) for name, _ in _listed(folder)), default=0)
    return folder.last_number


def names(folder: Folder, ending: str) -> list[str]:
    """The names of the entries with that ending, in order."""
    return [name for name, its in _listed(folder) if its == ending]


def _listed(folder: Folder) -> list[tuple[str, str]]:
    """All entries of the journal. Files with other names, or with numbers far beyond the rest, are set aside."""
    found: list[tuple[str, str]] = []
    foreign: list[str] = []
    for name, regular in machine_folder.entries(folder.tree, JOURNAL):
        match = _ENTRY.fullmatch(name)
        if match is not None and regular:
            found.append((match.group(1), match.group(2)))
        elif not (name.startswith(TEMPORARY) or name.endswith((".was", ".parts"))) or not regular:
            foreign.append(name)
    found.sort(key=lambda each: (number_of(each[0]), each[0]))
    for number, (before, after) in enumerate(itertools.pairwise(found)):
        if number_of(after[0]) - number_of(before[0]) > _LONGEST_GAP:
            foreign += [f"{name}.{ending}" for name, ending in found[number + 1 :]]
            del found[number + 1 :]
            break
    for name in foreign:
        machine_folder.set_aside(folder.tree, f"{JOURNAL}/{name}", "not an entry of the journal")
    return found


def number_of(name: str) -> int:
    """The number of an operation, from its name."""
    return int(name.partition("-")[0])
