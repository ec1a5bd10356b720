"""Transactions: what a command will do is written down and synced before it is done.

So a crash in between is finished or taken back at the next start, and everything can be undone.

An entry is one JSON file in `.vault-mem/journal/`, named by its operation: `{op}.pending` until every step is
done, then `{op}.json`; `{op}.conflict` where it was taken back. It holds the file contents before and after, so
it is as private as they are. What a write displaced is kept beside it for a moment (`{op}.{n}.was`): a program
that still had the old file open may have written to it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from vault_mem.errors import Changed, Unsafe, VaultMemError
from vault_mem.vault import files
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import has_date, revisions
from vault_mem.vault.lock import WAIT_SECONDS, locked, try_lock
from vault_mem.vault.steps import (
    AppendStep,
    DropStep,
    FileStep,
    LineStep,
    State,
    Step,
    Was,
    as_text,
    from_record,
    read,
)

# The request that a command carries out, so that its outcome can be asked for after a lost answer.
request_id: ContextVar[str] = ContextVar("request_id", default="")
# The operation that transactions are parts of (see `parts`).
part_of: ContextVar[str] = ContextVar("part_of", default="")

_REQUEST = re.compile(r"[0-9A-Za-z_-]{1,64}")
# So long a displaced file is watched for what a slow editor still writes into it.
_WAS_SECONDS = 10.0
# Old entries are looked for once in so many commits.
_PRUNE_EVERY = 16
# A folder of so many entries is still listed in a millisecond or two.
MOST_ENTRIES = 2000


@dataclass
class Entry:
    """One operation of the journal."""

    op: str
    path: Path
    command: str
    reason: str
    at: datetime
    undoes: str
    unasked: bool
    ids: list[str]
    steps: list[Step]
    part_of: str = ""


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
    steps: list[Step] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    @property
    def keys(self) -> list[str]:
        """The files it changes."""
        return list(dict.fromkeys(step.key for step in self.steps))

    @property
    def notes(self) -> list[str]:
        """Those of them that are notes: what the index must look at again."""
        return [key for key in self.keys if self.folder.is_note(key)]

    def create(self, key: str, data: bytes, mtime_ns: int | None = None) -> None:
        """Add a new file; in a protected folder only its owner can read it."""
        self.steps.append(FileStep(key, None, data, _mode(self.folder, key), after_time=mtime_ns))

    def write(self, key: str, before: bytes | None, after: bytes, *, keep_time: bool = False) -> None:
        """Change a file that says `before`, or is not there; `keep_time` where the change is ours, not the owner's.

        A note without a date is dated by its file: its time stays whatever is changed in it.
        """
        if before is None:
            self.create(key, after)
            return
        for place, step in enumerate(self.steps):
            if isinstance(step, FileStep) and step.key == key:
                if step.after != before:
                    raise AssertionError(f"{key} is changed twice from different beginnings")
                self.steps[place] = replace(step, after=after)
                return
        if before != after:
            time_ns = changed_at(self.folder, key)
            keep_time = keep_time or (self.folder.is_note(key) and not has_date(before))
            self.steps.append(
                FileStep(key, before, after, before_time=time_ns, after_time=time_ns if keep_time else None)
            )

    def remove(self, key: str, before: bytes) -> None:
        """Take a file away that says `before`."""
        path = self.folder.path(key)
        mode = stat.S_IMODE(path.lstat().st_mode) & 0o666 if path.exists() else _mode(self.folder, key)
        self.steps.append(FileStep(key, before, None, mode, before_time=changed_at(self.folder, key)))

    def line(self, key: str, id_: str, before: str | None, after: str | None, place: str) -> None:
        """Set or take out the line of a memory in a view."""
        if before != after:
            text = as_text(read(self.folder, key))
            for step in self.steps:
                if isinstance(step, LineStep) and step.key == key:
                    text, _ = step.applied(text)
            was = Was.of(text, changed_at(self.folder, key), id_)
            self.steps.append(LineStep(key, id_, before, after, place, was))

    def append(self, key: str, line: str) -> None:
        """Add a line at the end of a log, which is made where it is missing."""
        self.steps.append(AppendStep(key, line))

    def drop(self, key: str, lines: list[str]) -> None:
        """Take lines out of a public log for good."""
        self.steps.append(DropStep(key, tuple(lines)))

    def now(self, key: str) -> bytes | None:
        """What a file will say once the steps so far are done."""
        for step in reversed(self.steps):
            if isinstance(step, FileStep) and step.key == key:
                return step.after
        return read(self.folder, key)

    def commit(self) -> str:
        """Do it: all steps, or none. Returns the operation's name; raises Conflict if a file changed meanwhile."""
        for step in self.steps:
            if not ours(self.folder, step):
                raise Unsafe(f"{step.key} leads out of the vault and is not written", "is one of its folders a link?")
            if isinstance(step, FileStep) and not step.loose and read(self.folder, step.key) != step.before:
                raise Changed(f"{step.key} changed while it was being edited", "nothing was written; try again")
        self.op = f"{last_number(self.folder) + 1:06d}-{self.folder.now():%Y%m%dT%H%M%S}"
        self.steps += revisions(
            self.folder, self.op, self.command, self.reason, self.evidence, self.steps, self.written
        )
        request = request_id.get()
        name = f"{self.op}.{request}" if _REQUEST.fullmatch(request) else self.op
        pending = place(self.folder) / f"{name}.pending"
        files.make_folder(pending.parent, files.PRIVATE_FOLDER_MODE)
        files.create(pending, _dump(self), files.PRIVATE_MODE)
        done: list[Step] = []
        try:
            for number, step in enumerate(self.steps):
                try:
                    _apply(self.folder, step, pending.parent / f"{name}.{number}.was")
                except VaultMemError as error:
                    if not isinstance(step, LineStep):
                        raise
                    self.notices.append(f"{step.key} could not be kept up to date: {error.message}")
                    continue
                done.append(step)
        except VaultMemError:
            left = _take_back(self.folder, done)
            if left:
                pending.rename(pending.with_suffix(".conflict"))
            else:
                pending.unlink(missing_ok=True)
            raise
        with contextlib.suppress(OSError):  # left pending, it is found done at the next start
            pending.rename(pending.with_suffix(".json"))
        self.notices += _late_edits(self.folder, name, self.steps)
        if int(self.op[:6]) % _PRUNE_EVERY == 0:
            prune(self.folder)
        return self.op


@contextmanager
def writing(folder: Folder, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the vault for writing: one writer at a time, and what a crash left is put right first.

    Raises Busy where another process has been writing for longer than `wait`.
    """
    with folder.writer:
        if folder.writing:  # already held by an operation that this one is part of
            yield
            return
        with locked(folder.own / "lock", "this vault", wait):
            folder.writing = True
            try:
                recover(folder)
                yield
            finally:
                folder.writing = False


def busy(folder: Folder) -> bool:
    """Whether another is writing this very moment."""
    if folder.writing:
        return False
    try:
        handle = os.open(folder.own / "lock", os.O_RDWR)
    except OSError:
        return False
    try:
        return not try_lock(handle)
    finally:
        os.close(handle)


def pending(folder: Folder) -> list[Path]:
    """Operations that began and did not end."""
    return _entries(folder, "pending")


def changed_ns(folder: Folder) -> int:
    """When an operation last began or ended, by the file system's clock."""
    try:
        return place(folder).stat().st_mtime_ns
    except OSError:
        return 0


def conflicts(folder: Folder) -> list[Path]:
    """Operations that were taken back because a file had changed since."""
    return _entries(folder, "conflict")


def entries(folder: Folder) -> Iterator[Entry]:
    """The operations that were done, newest first; what cannot be read is passed over."""
    for path in reversed(_entries(folder, "json")):
        entry = load(path, folder)
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
    """The operations that nobody took back, newest first."""
    return (entry for entry, stands in with_standing(folder) if stands and not entry.undoes)


def outcome(folder: Folder, request: str) -> dict[str, Any] | None:
    """The operation that a request brought about, or None where it wrote nothing."""
    if not _REQUEST.fullmatch(request):
        return None
    found = sorted(place(folder).glob(f"*.{request}.json")) + sorted(place(folder).glob(f"*.{request}.pending"))
    asked = [entry for path in found if (entry := load(path, folder)) and not entry.unasked]
    if not asked:
        return None
    last = asked[-1]
    return {"op": last.op, "command": last.command, "reason": last.reason, "at": last.at.isoformat(), "ids": last.ids}


def recover(folder: Folder) -> list[str]:
    """Finish what a crash interrupted, or take it back where a file has changed since. Returns what was done."""
    said = []
    for left in place(folder).glob(".vault-mem-*.tmp"):
        left.unlink(missing_ok=True)  # an entry that was being written: nothing had been done yet
    for path in pending(folder):
        entry = load(path, folder)
        if entry is None:  # cut off while it was being written: nothing had been done yet
            path.unlink(missing_ok=True)
            continue
        if not all(ours(folder, step) for step in entry.steps):  # planted: we never write outside our folders
            path.rename(path.with_suffix(".conflict"))
            said.append(f"refused {entry.op}: it would write outside the vault's notes")
            continue
        _sweep(folder, entry.steps)
        states = [step.state(folder) for step in entry.steps]
        changed = [
            step.key
            for step, state in zip(entry.steps, states, strict=True)
            if state is State.OTHER and isinstance(step, FileStep) and not step.loose
        ]
        if not changed:
            for step, state in zip(entry.steps, states, strict=True):
                with contextlib.suppress(VaultMemError) if isinstance(step, LineStep) else contextlib.nullcontext():
                    if state is not State.AFTER:
                        _apply(folder, step)
            path.rename(path.with_suffix(".json"))
            said.append(f"finished {entry.op}")
        else:
            done = [step for step, state in zip(entry.steps, states, strict=True) if state is State.AFTER]
            _take_back(folder, done)
            path.rename(path.with_suffix(".conflict"))
            said.append(f"took back {entry.op}: {changed[0]} had changed since")
    for name, displaced in _displaced(folder).items():
        said += _rescue_from(folder, name, displaced)
    if any(place(folder).glob("*.parts")):
        from vault_mem.vault import parts

        parts.recover(folder)
    return said


def prune(folder: Folder) -> None:
    """Keep the journal within its bounds of age and size; what is pending or in conflict stays."""
    settings = folder.settings
    oldest = (folder.now() - timedelta(days=settings.journal_days)).strftime("%Y%m%dT%H%M%S")
    room = settings.journal_megabytes * 1_000_000
    for number, path in enumerate(reversed(_entries(folder, "json"))):
        try:
            room -= path.stat().st_size
            if path.name[7:] < oldest or room < 0 or number >= MOST_ENTRIES:
                path.unlink()
        except OSError:
            continue


def load(path: Path, folder: Folder) -> Entry | None:
    """One entry of the journal, if it is whole."""
    try:
        record = json.loads(path.read_bytes())
        return Entry(
            str(record["op"]),
            path,
            str(record["command"]),
            str(record["reason"]),
            datetime.fromisoformat(record["at"]),
            str(record.get("undoes", "")),
            bool(record.get("unasked")),
            [str(id_) for id_ in record.get("ids", ())],
            [from_record(each) for each in record["steps"]],
            str(record.get("part_of", "")),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def ours(folder: Folder, step: Step) -> bool:
    """Whether a step writes what is ours to write; a vault, and its journal, may come from a stranger."""
    key = step.key
    inside = folder.contains(folder.path(key))
    if isinstance(step, AppendStep):
        return inside and (folder.is_history(key) or folder.is_log(key))
    if isinstance(step, DropStep):
        return inside and folder.is_history(key)
    if isinstance(step, LineStep):
        return inside and folder.is_view(key)
    plain_mode = step.mode & ~0o666 == 0
    return plain_mode and inside and (folder.is_note(key) or folder.is_view(key) or folder.is_kept(key))


def _mode(folder: Folder, key: str) -> int:
    protected = key.startswith(".vault-mem/") or folder.is_private(key)
    return files.PRIVATE_MODE if protected else files.PUBLIC_MODE


def changed_at(folder: Folder, key: str) -> int | None:
    """When a file was last written, where there is one."""
    try:
        return folder.path(key).lstat().st_mtime_ns
    except OSError:
        return None


def last_number(folder: Folder) -> int:
    """Operations are numbered, so that their order does not hang on the clock."""
    try:
        names = os.listdir(place(folder))  # noqa: PTH208 - once per commit, and a path for each name costs more
        return max((int(name[:6]) for name in names if name[:6].isdigit()), default=0)
    except OSError:
        return 0


def _entries(folder: Folder, ending: str) -> list[Path]:
    try:
        return sorted(place(folder).glob(f"*.{ending}"))
    except OSError:
        return []


def _sweep(folder: Folder, steps: list[Step]) -> None:
    """Remove what an interrupted write left beside its target; what none of the steps wrote is put aside instead."""
    written = [text for step in steps if isinstance(step, FileStep) for text in (step.before, step.after) if text]
    for step in steps:
        for left in folder.path(step.key).parent.glob(".vault-mem-*.tmp"):
            data = left.read_bytes()
            if isinstance(step, FileStep) and not any(text.startswith(data) for text in written):
                left.replace(place(folder) / f"{left.stem}.kept")
            left.unlink(missing_ok=True)


def place(folder: Folder) -> Path:
    """Where the entries are."""
    return folder.own / "journal"


def _apply(folder: Folder, step: Step, keep: Path | None = None) -> None:
    step.apply(folder, keep)


def _take_back(folder: Folder, done: list[Step]) -> list[str]:
    """Undo the steps that were done. Returns the files that had been changed since, and were left."""
    left = []
    for step in reversed(done):
        try:
            if isinstance(step, AppendStep | DropStep):
                step.take_back(folder)
            else:
                _apply(folder, step.reverse())
        except VaultMemError:
            left.append(step.key)
    return left


def _late_edits(folder: Folder, name: str, steps: list[Step]) -> list[str]:
    """What a program wrote into a file that had just been replaced is put back: a person's edit comes first."""
    said = []
    for number, step in enumerate(steps):
        was = place(folder) / f"{name}.{number}.was"
        if isinstance(step, FileStep):
            said += _rescue(folder, was, step)
    return said


def _rescue(folder: Folder, was: Path, step: FileStep) -> list[str]:
    try:
        if _untouched(was) or was.read_bytes() == step.before:
            _drop_old(was)
            return []
        late = was.read_bytes()
        files.replace(folder.path(step.key), step.after or b"", late)
    except FileNotFoundError:
        return []
    except VaultMemError:
        return [f"{step.key}: an edit made at the same moment is kept in {was.relative_to(folder.root)}"]
    was.unlink(missing_ok=True)
    return [f"{step.key}: an edit made at the same moment was kept, and ours there left out"]


def _drop_old(was: Path) -> None:
    if time.time() - was.stat().st_ctime > _WAS_SECONDS:
        was.unlink(missing_ok=True)


def _untouched(was: Path) -> bool:
    """Whether nobody wrote to a file since it was put aside: that was what last changed it."""
    result = was.stat()
    return result.st_mtime_ns < result.st_ctime_ns


def _displaced(folder: Folder) -> dict[str, list[Path]]:
    """What writes displaced and is still kept, by operation."""
    found: dict[str, list[Path]] = {}
    for was in sorted(place(folder).glob("*.was")):
        if _untouched(was):
            _drop_old(was)
            continue
        found.setdefault(was.name.removesuffix(".was").rpartition(".")[0], []).append(was)
    return found


def _rescue_from(folder: Folder, name: str, displaced: list[Path]) -> list[str]:
    found = (load(place(folder) / f"{name}.{ending}", folder) for ending in ("json", "conflict"))
    entry = next((each for each in found if each is not None), None)
    said = []
    for was in displaced:
        number = was.name.removesuffix(".was").rpartition(".")[2]
        step = entry.steps[int(number)] if entry and number.isdigit() and int(number) < len(entry.steps) else None
        if isinstance(step, FileStep) and ours(folder, step):
            said += _rescue(folder, was, step)
        else:
            was.unlink(missing_ok=True)
    return said


def _dump(transaction: Transaction) -> bytes:
    record: dict[str, Any] = {
        "op": transaction.op,
        "command": transaction.command,
        "reason": transaction.reason,
        "at": transaction.folder.now().isoformat(),
        "undoes": transaction.undoes,
        "part_of": part_of.get(),
        "unasked": transaction.unasked,
        "ids": transaction.ids,
        "steps": [step.record() for step in transaction.steps],
    }
    return json.dumps(record, ensure_ascii=False).encode()
