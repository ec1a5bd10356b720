"""undo and history: take an operation back, and list what happened."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from vault_mem.errors import Ambiguous, Conflict, NotFound, Unsafe, VaultMemError
from vault_mem.index.files import read_names
from vault_mem.index.links import Names
from vault_mem.model import Memory
from vault_mem.notes.parse import title_in
from vault_mem.notes.references import named_in
from vault_mem.operations.changing import commit
from vault_mem.operations.unasked.declined import decline
from vault_mem.operations.upkeep import proposals
from vault_mem.operations.upkeep.backlinks import changeable, referrers
from vault_mem.operations.upkeep.forget import in_trash, is_episode, lost_links
from vault_mem.operations.upkeep.shown_operations import HiddenOperations, shown_operations
from vault_mem.operations.upkeep.sides import refuse_to_name
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record
from vault_mem.vault import history, journal, marked
from vault_mem.vault.carry import left_of
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import Revision, id_in
from vault_mem.vault.journal import Entry, Transaction, writing
from vault_mem.vault.steps import FileStep, LineStep, MadeStep, State, Step, as_text, read, without
from vault_mem.vault.walk import walk

# How many titles of an operation are shown; an import has thousands.
SHOWN_TITLES = 3
# If an operation added more lines than this to a view, they are removed in one go.
MANY_LINES = 20


@dataclass(frozen=True)
class UndoResult(Result, status="undone"):
    """The operation that was taken back, and the files that changed."""

    op: str
    undone: str
    command: str
    files: list[str]
    titles: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HistoryResult(Result):
    """What happened to one memory; it may be gone by now."""

    id: str
    memory: Memory | None
    created: datetime | None
    revisions: list[Revision] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return as_record(self, "memory", exists=self.memory is not None)


@dataclass(frozen=True)
class Operation(Result):
    """An operation, undone or not. `titles` maps the ids of its first memories to what they were called then."""

    op: str
    at: datetime
    command: str
    reason: str
    ids: list[str]
    files: list[str]
    undone: bool
    unasked: bool
    undoable: bool
    titles: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NextUndo(Result, status="not undone", renamed={"operation": "would_undo"}):
    """What an undo would take back; `since` is a later operation that cannot be undone, if there is one."""

    operation: Operation
    since: Operation | None = None


def undo(workspace: Workspace, op: str | None = None, *, sure: bool = False) -> UndoResult:
    """Take back the last operation, or a named one; raises Conflict if a file was changed since.

    If a later operation cannot be undone, raises Unsafe unless the caller is `sure`.
    """
    folder = workspace.folder
    with writing(folder):
        entry, since = (entry_named(folder, op), None) if op is not None else last(folder)
        if since is not None and not sure:
            raise Unsafe(
                f"{since.command} ({since.op}) cannot be undone; before it came {entry.command} ({entry.op})",
                f"to take that back: vault-mem undo {entry.op.split('-')[0]}, or --yes",
            )
        transaction = plan_undo(folder, _names(workspace), entry)
        commit(workspace, transaction, mirrored=_mirrored(folder, entry))
    return UndoResult(transaction.op, entry.op, entry.command, transaction.keys, _titles(folder, entry))


def _mirrored(folder: Folder, entry: Entry) -> bool:
    """Whether the operation wrote its own lines in the views; an import cut short by a crash did not."""
    lines = [step for step in entry.steps if isinstance(step, LineStep)]
    if not all(folder.is_view(step.key) for step in lines):
        return False  # the views have been renamed since
    made = any(isinstance(step, MadeStep) for step in entry.steps)
    return not made or {step.id for step in lines} >= set(entry.ids)


def _names(workspace: Workspace) -> Names:
    """What links mean, read from the files if the index fails: an undo must not depend on it."""
    try:
        if not workspace.sync().stale:
            return workspace.names
    except (VaultMemError, OSError, sqlite3.Error) as error:
        workspace.notices.append(f"undone without the index: {getattr(error, 'message', error)}")
    return read_names(workspace.folder)


def next_undo(workspace: Workspace) -> NextUndo:
    """What an undo without a number would take back."""
    entry, since = last(workspace.folder)
    return NextUndo(_as_operation(workspace.folder, entry), _as_operation(workspace.folder, since) if since else None)


def plan_undo(folder: Folder, names: Names, entry: Entry) -> Transaction:
    """The transaction that takes an operation back."""
    if not _can_be_undone(entry):
        raise Conflict(f"{entry.command} ({entry.op}) cannot be undone", "nothing was changed")
    transaction = Transaction(folder, "undo", f"undo of {entry.command} ({entry.op})", entry.op, ids=entry.ids)
    transaction.steps += _unmade(folder, [step for step in entry.steps if isinstance(step, MadeStep)])
    many = _many_lines(entry.steps)
    transaction.steps += [_without_lines(folder, key, added) for key, added in many.items()]
    steps = [step for step in reversed(entry.steps) if isinstance(step, FileStep | LineStep) and step.key not in many]
    steps = [step for step in steps if not folder.is_history(step.key)]  # logs only grow
    for step in sorted(map(partial(_where_it_is, folder), steps), key=lambda each: isinstance(each, LineStep)):
        if not journal.ours(folder, step):
            if isinstance(step, LineStep) or step.loose:
                continue  # no longer one of our views
            raise journal.no_longer_ours(step)
        state = step.state(folder)
        if state is State.AFTER:
            reverse = step.reverse()
            if isinstance(reverse, FileStep) and reverse.key.endswith("REVIEW.md"):
                reverse = proposals.undone(reverse)
            if isinstance(reverse, LineStep) and reverse.key == folder.monologue:
                reverse = replace(reverse, after=_still_said(folder, entry, reverse.after))
            transaction.steps.append(reverse)
        elif step.key == folder.monologue:
            continue  # replaced by a newer monologue
        elif isinstance(step, FileStep) and step.loose and step.key.endswith("REVIEW.md"):
            proposals.take_out(transaction, step)
        elif isinstance(step, FileStep) and not step.loose:
            raise Conflict(f"{step.key} was changed since{_by(folder, entry, step)}", "nothing was changed")
        elif state is State.OTHER and isinstance(step, LineStep):
            raise Conflict(f"the line of {step.id} in {step.key} was changed since", "nothing was changed")
    notes = [each for each in transaction.steps if isinstance(each, FileStep) and folder.is_note(each.key)]
    stay = {id_in(each.after) for each in notes if each.after is not None}  # e.g. a rename that is undone
    removed = {each.key: id_in(each.before or b"") for each in notes if each.after is None}
    gone = {key: id_ for key, id_ in removed.items() if id_ and id_ not in stay}
    for id_ in gone.values():
        proposals.drop(transaction, id_)
    _refuse_loose_ends(transaction, names, notes, gone)
    refuse_to_name(transaction, names)
    if entry.unasked:
        decline(transaction, entry)
    return transaction


def _where_it_is(folder: Folder, step: FileStep | LineStep) -> FileStep | LineStep:
    """The step with the note's present path, if the owner has moved it since without changing it (SPEC V-5)."""
    is_note = folder.is_note(step.key) or not journal.ours(folder, step)
    if isinstance(step, LineStep) or not is_note or read(folder, step.key) is not None:
        return step
    after = step.after or b""
    sizes = {key: state.size for key, state in walk(folder).files.items()} if id_in(after) else {}
    same = [key for key, size in sizes.items() if size == len(after) and folder.is_note(key)]
    same = [key for key in same if read(folder, key) == after]
    return replace(step, key=same[0]) if len(same) == 1 else step


def _moved(folder: Folder, made: list[MadeStep]) -> list[MadeStep]:
    """The same steps, with the present paths of notes that the owner has moved since."""
    missing = {step.hash for step in made if step.state(folder) is State.BEFORE}
    if not missing:
        return made
    others = {key for key in walk(folder).files if folder.is_note(key)} - {step.key for step in made}
    moved = {MadeStep.of(key, read(folder, key) or b"", 0).hash: key for key in others}
    return [replace(step, key=moved.get(step.hash, step.key)) if step.hash in missing else step for step in made]


def _unmade(folder: Folder, made: list[MadeStep]) -> list[FileStep]:
    """The steps that remove the notes an operation made."""
    steps = []
    for step in _moved(folder, made):
        state = step.state(folder)
        if state is not State.BEFORE and not journal.ours(folder, step):
            raise journal.no_longer_ours(step)
        if state is State.OTHER:
            raise Conflict(f"{step.key} was changed since", "nothing was changed")
        if state is State.AFTER:
            time_ns = journal.changed_at(folder, step.key)
            steps.append(FileStep(step.key, read(folder, step.key), None, step.mode, before_time=time_ns))
    return steps


def _many_lines(steps: list[Step]) -> dict[str, list[LineStep]]:
    """The lines an operation added, by view, for those views where they are too many to remove one by one."""
    lines: dict[str, list[LineStep]] = {}
    for step in steps:
        if isinstance(step, LineStep) and step.before is None and step.id:
            lines.setdefault(step.key, []).append(step)
    return {key: added for key, added in lines.items() if len(added) > MANY_LINES}


def _without_lines(folder: Folder, key: str, added: list[LineStep]) -> FileStep:
    """The step that removes all added lines from a view in one write."""
    raw = read(folder, key)
    present = marked.by_id(as_text(raw) or "")
    for step in added:
        if present.get(step.id) not in (None, step.after):
            raise Conflict(f"the line of {step.id} in {key} was changed since", "nothing was changed")
    after, time_ns = without(raw, [step.reverse() for step in reversed(added)])
    after = left_of(folder, key) if after is None else after
    return FileStep(key, raw, after, before_time=journal.changed_at(folder, key), after_time=time_ns)


def _still_said(folder: Folder, entry: Entry, text: str | None) -> str | None:
    """What the monologue said before an operation, skipping text from operations that were undone meanwhile."""
    for earlier, stands in journal.with_standing(folder, without=entry.op):
        if earlier.op >= entry.op or earlier.undoes:
            continue
        for step in earlier.steps:
            if isinstance(step, LineStep) and step.key == folder.monologue and step.after == text:
                if stands:
                    return text
                text = step.before
    return text


def _refuse_loose_ends(transaction: Transaction, names: Names, notes: list[FileStep], gone: Collection[str]) -> None:
    """Raise Conflict if an undo out of order would leave dangling links; whatever made those must be undone first."""
    folder = transaction.folder
    changed = {step.key for step in notes}
    for key, raw in referrers(folder, names, *gone) if gone else ():
        if key not in changed and changeable(folder, key, raw) and not is_episode(folder, key, raw):
            target = next(name for name in named_in(raw) if names.note(name, key) in gone)
            where = key if folder.is_shown(key) else "another note"
            raise Conflict(f"{where} links to [[{target}]] since then", "undo that first, or use forget")
    for step in notes:
        if step.before is None and step.after is not None:
            for target in lost_links(folder, names, step.key, step.after):
                raise Conflict(f"{step.key} links to {target}, which was forgotten since", "restore that first")


@dataclass(frozen=True)
class FileChange:
    """What an operation did to one file; None means no file. For a view, only the changed lines."""

    key: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class OperationChanges(Result):
    """An operation with what it changed."""

    operation: Operation
    changes: list[FileChange]


def changes_of(workspace: Workspace, op: str) -> OperationChanges:
    """What an operation changed, file by file."""
    folder = workspace.folder
    for entry, stands in shown_operations(folder):
        if entry.op == op:
            found = _as_operation(folder, entry, undone=not stands)
            return OperationChanges(found, [change for key in found.files for change in _changes(folder, entry, key)])
    raise NotFound(f"No operation {op}", "`vault-mem history` lists what can be undone")


def _changes(folder: Folder, entry: Entry, key: str) -> Iterator[FileChange]:
    steps = [step for step in entry.steps if step.key == key]
    whole = [step for step in steps if isinstance(step, FileStep)]
    lines = [step for step in steps if isinstance(step, LineStep)]
    if whole:
        yield FileChange(key, as_text(whole[0].before), as_text(whole[-1].after))
    elif lines:
        texts = ([step.before for step in lines], [step.after for step in lines])
        yield FileChange(key, *("\n".join(filter(None, each)) for each in texts))
    elif any(isinstance(step, MadeStep) for step in steps):
        yield FileChange(key, None, as_text(read(folder, key)))


def operations(workspace: Workspace, limit: int = 20, before: str = "") -> list[Operation]:
    """The latest operations, newest first; with `before`, only those that came before that one."""
    folder = workspace.folder
    earlier = ((entry, stands) for entry, stands in shown_operations(folder) if not before or entry.op < before)
    return [_as_operation(folder, entry, undone=not stands) for entry, stands in islice(earlier, limit)]


def _as_operation(folder: Folder, entry: Entry, *, undone: bool = False) -> Operation:
    files = [key for key in dict.fromkeys(step.key for step in entry.steps) if not folder.is_history(key)]
    undoable = not undone and _can_be_undone(entry)
    titles = _titles(folder, entry)
    return Operation(
        entry.op, entry.at, entry.command, entry.reason, entry.ids, files, undone, entry.unasked, undoable, titles
    )


def _titles(folder: Folder, entry: Entry) -> dict[str, str]:
    """The titles of an operation's first memories, from the texts that it wrote or removed."""
    found: dict[str, str] = {}
    for step in entry.steps:
        if not isinstance(step, FileStep | MadeStep):
            continue
        raw = read(folder, step.key) if isinstance(step, MadeStep) else step.after or step.before
        if raw and (id_ := id_in(raw)) in entry.ids:
            found.setdefault(id_, title_in(raw, step.key))
        if len(found) == SHOWN_TITLES:
            break
    return {id_: found[id_] for id_ in entry.ids if found.get(id_)}


def history_of(workspace: Workspace, id_: str) -> HistoryResult:
    """What happened to a memory, even one that is gone."""
    workspace.freshen()
    try:
        memory = workspace.index.get(id_)
        wanted = memory.id
    except Ambiguous:
        raise
    except NotFound as error:
        memory = None
        known = {str(record.get("id")) for _, record, _ in history.read_all(workspace.folder)}
        wanted = id_.strip().lower()
        wanted = wanted if wanted.startswith(("mem_", "ep_")) else f"mem_{wanted}"
        matches = [each for each in known if each.startswith(wanted)]
        if len(matches) != 1:
            try:
                matches = [in_trash(workspace.folder, id_).id]
            except NotFound:
                raise error from None
        wanted = matches[0]
    return HistoryResult(
        wanted, memory, memory.created if memory else None, history.of_memory(workspace.folder, wanted)
    )


def _can_be_undone(entry: Entry) -> bool:
    return any(isinstance(step, FileStep | LineStep | MadeStep) for step in entry.steps)


def last(folder: Folder) -> tuple[Entry, Entry | None]:
    """The last operation that somebody asked for and that is still in effect, and a later one that cannot be undone."""
    since = None
    for entry, stands in shown_operations(folder):
        if not stands or entry.undoes or entry.unasked:
            continue
        if _can_be_undone(entry):
            return entry, since
        since = since or entry
    raise NotFound("There is nothing to undo", "`vault-mem history` lists what can be undone")


def entry_named(folder: Folder, op: str) -> Entry:
    """An operation by its number; raises Conflict if it was undone already."""
    wanted = op.zfill(6) if op.isdigit() else op
    for entry, stands in shown_operations(folder):
        if wanted in (entry.op, entry.op.split("-")[0]):
            if not stands:
                raise Conflict(f"{entry.op} was undone already", "undo that undo to do it again: vault-mem history")
            return entry
    raise NotFound(f"No operation {op}", "`vault-mem history` lists what can be undone")


def _by(folder: Folder, entry: Entry, step: FileStep) -> str:
    """For the error message: whether a later operation or a person changed the file."""
    now, hidden_ones = read(folder, step.key), HiddenOperations(folder)
    for later in journal.entries(folder):
        hidden = hidden_ones.hides(later)
        if later.op <= entry.op:
            break
        if any(isinstance(each, FileStep) and each.key == step.key and each.after == now for each in later.steps):
            return "" if hidden else f" by {later.command} ({later.op}): undo that first"
    return " by hand"
