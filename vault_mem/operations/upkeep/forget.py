"""forget: a memory goes to the trash, and references to it are removed; restore brings both back."""

from __future__ import annotations

import contextlib
import difflib
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from vault_mem.errors import Conflict, NotFound, VaultMemError
from vault_mem.index.links import Names
from vault_mem.model import Memory, digits_of
from vault_mem.notes.edit import edit
from vault_mem.notes.links import WIKILINK, name_key, path_key, stem_of
from vault_mem.notes.parse import parse, title_in, written_list
from vault_mem.notes.references import Reference, references, rewritten
from vault_mem.notes.write import file_name
from vault_mem.operations.changing import changes, commit, memory_written, read_to_remove, to_change
from vault_mem.operations.sessions.sessions import without
from vault_mem.operations.upkeep import proposals
from vault_mem.operations.upkeep.backlinks import changed_links, referrers
from vault_mem.operations.upkeep.sides import keep_apart
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record
from vault_mem.vault import machine_folder
from vault_mem.vault.folder import OWN, Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.journal import Transaction, may_be_private, no_longer_ours, ours, was_ours
from vault_mem.vault.steps import FileStep, read
from vault_mem.vault.steps import from_record as step_from
from vault_mem.vault.traces import DELETIONS

_TRASH = f"{OWN}/trash"


@dataclass(frozen=True)
class ForgetResult(Result):
    """What was forgotten, the files from which references were removed, and those that still name it."""

    memory: Memory
    references: list[str]
    left: list[str] = field(default_factory=list)
    op: str = ""
    purged: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return as_record(self, "purged", status="purged" if self.purged else "forgotten")


@dataclass(frozen=True)
class RestoreResult(Result, status="restored"):
    """The restored memory, and the files in which a reference to it could not be restored."""

    memory: Memory
    not_put_back: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Trashed:
    """A memory in the trash."""

    id: str
    at: datetime
    reason: str
    key: str
    step: FileStep
    references: list[FileStep]

    @property
    def title(self) -> str:
        """What it was called."""
        return title_in(self.step.before or b"", self.key)

    def to_dict(self) -> dict[str, str]:
        """As JSON."""
        return {"id": self.id, "title": self.title, "at": self.at.isoformat(), "reason": self.reason, "path": self.key}


@changes
def forget(workspace: Workspace, id_: str, reason: str = "", *, update_links: bool = False) -> ForgetResult:
    """Put one memory into the trash and remove every reference to it, as one operation.

    With `update_links`, also those in a person's own notes. Its sentences are removed from the sessions, too.
    """
    memory = to_change(workspace, id_)
    raw = read_to_remove(workspace, memory)
    transaction, left = plan_forget(workspace.folder, workspace.names, memory, raw, reason, update_links=update_links)
    references = [step.key for step in transaction.steps if _is_reference(workspace.folder, step, memory)]
    for key, before, after in without(workspace.folder, [memory.content]):
        transaction.write(key, before, after)
    op = commit(workspace, transaction, soon=True)
    _empty_old(workspace.folder)
    shown = workspace.folder.is_shown
    return ForgetResult(memory, list(filter(shown, references)), list(filter(shown, left)), op)


def plan_forget(
    folder: Folder,
    names: Names,
    memory: Memory,
    raw: bytes,
    reason: str,
    command: str = "forget",
    *,
    update_links: bool = False,
) -> tuple[Transaction, list[str]]:
    """The transaction that forgets a memory, and the files that will still name it."""
    transaction = Transaction(folder, command, reason, ids=[memory.id])
    left = []
    for key, text in referrers(folder, names, memory.path):
        if key == memory.path:
            continue

        def without(reference: Reference, key: str = key) -> Reference | None:
            return None if names.note(reference.target, key) == memory.path else reference

        keeps = is_episode(folder, key, text)
        after = None if keeps else changed_links(folder, key, text, without, update_links=update_links)
        if after is None or after == text:
            left.append(key)
        else:
            transaction.write(key, text, after)
    views.leave(transaction, memory.id)
    discard(transaction, memory, raw, reason)
    return transaction, left


def discard(
    transaction: Transaction, memory: Memory, raw: bytes, reason: str, lost: list[FileStep] | None = None
) -> None:
    """Move a memory's file to the trash, with the references for `restore` to put back: `lost`, or all removed ones."""
    folder = transaction.folder
    steps = transaction.steps if lost is None else lost
    references = [step.record() for step in steps if _is_reference(folder, step, memory)]
    proposals.drop(transaction, memory.id)
    transaction.remove(memory.path, raw)
    at = folder.now().isoformat()
    file = transaction.steps[-1].record()
    record = {"id": memory.id, "at": at, "reason": reason, "file": file, "references": references}
    key = trash_key(memory.id)
    transaction.write(key, read(folder, key), json.dumps(record, ensure_ascii=False).encode())
    log_deletion(transaction, memory.id, at, reason)


def log_deletion(transaction: Transaction, id_: str, at: str, reason: str) -> None:
    """Add a line to the deletion log, without any content (SPEC F-4)."""
    line = {"id": id_, "at": at, "command": transaction.command, "reason": reason}
    transaction.append(DELETIONS, json.dumps(line, ensure_ascii=False))


def _is_reference(folder: Folder, step: object, memory: Memory) -> bool:
    return isinstance(step, FileStep) and folder.has_links(step.key) and step.key != memory.path


def is_episode(folder: Folder, key: str, raw: bytes) -> bool:
    """Whether a note is an episode. Episodes keep links to forgotten members and just do not show them (SPEC W-2)."""
    return key.startswith(folder.settings.episodes_folder + "/") or id_in(raw).startswith("ep_")


def trash(folder: Folder) -> list[Trashed]:
    """What is in the trash, newest first."""
    names = [
        name for name, regular in machine_folder.entries(folder.tree, _TRASH) if regular and name.endswith(".json")
    ]
    found = [_load(folder, f"{_TRASH}/{name}") for name in names]
    shown = [each for each in found if each and not (folder.public and may_be_private(folder, each.step))]
    return sorted(shown, key=lambda each: each.at, reverse=True)


@changes
def restore(workspace: Workspace, id_: str) -> RestoreResult:
    """Bring a forgotten memory back with the references to it. Returns it, and what could not be restored."""
    workspace.freshen()
    trashed = in_trash(workspace.folder, id_)
    if workspace.index.has(trashed.id):
        raise Conflict(f"{trashed.id} is in the vault already", "forget that one first")
    transaction, missing = plan_restore(workspace.folder, workspace.names, trashed)
    commit(workspace, transaction)
    return RestoreResult(memory_written(workspace, transaction, trashed.id), missing)


def plan_restore(folder: Folder, names: Names, trashed: Trashed) -> tuple[Transaction, list[str]]:
    """The transaction that brings a memory back, and the references that cannot be restored."""
    transaction = Transaction(folder, "restore", "taken out of the trash", ids=[trashed.id])
    if not ours(folder, trashed.step):
        raise no_longer_ours(trashed.step)
    raw = trashed.step.before or b""
    key = trashed.key
    memory = parse(raw, key, mtime=0, zone=folder.zone, private=folder.is_private(key)).memory
    if read(folder, key) is not None:
        key = f"{key.rpartition('/')[0]}/{file_name(memory)}"
    raw = keep_apart(transaction, names, key, raw)
    lost = lost_links(folder, names, key, raw)
    if lost:
        raw = rewritten(raw, lambda reference: None if reference.target in lost else reference)
    memory = parse(raw, key, mtime=0, zone=folder.zone, private=folder.is_private(key)).memory
    transaction.create(key, raw, trashed.step.before_time)
    missing = [f"{key}: [[{target}]]" for target in lost]
    missing += [step.key for step in trashed.references if not _put_back(transaction, step)]
    memory.path = key
    memory.id = trashed.id
    views.follow(transaction, None, memory)
    kept = trash_key(trashed.id)
    transaction.remove(kept, read(folder, kept) or b"")
    log_deletion(transaction, trashed.id, folder.now().isoformat(), "restored")
    return transaction, missing


def lost_links(folder: Folder, names: Names, key: str, raw: bytes) -> list[str]:
    """A note's links to memories that were forgotten meanwhile; an episode may keep them (SPEC W-2)."""
    if id_in(raw).startswith("ep_"):
        return []
    forgotten = {id_ for each in trash(folder) for id_ in (each.id, digits_of(each.id))}
    return [
        reference.target
        for reference in references(raw)
        if names.find(reference.target, key) is None
        and (reference.name.rpartition("/")[2] in forgotten or reference.name[-8:] in forgotten)
    ]


def _put_back(transaction: Transaction, step: FileStep) -> bool:
    """Put lost links back into a note, keeping what the owner has changed since."""
    now = transaction.now(step.key)
    if now is None or step.before is None or step.after is None:
        return False
    if now == step.after:
        transaction.write(step.key, now, step.before, time_ns=step.before_time)
        return True
    try:
        after = _with_lines_of(now, step.after, step.before)
        for key in ("links", "supersedes"):
            present = written_list(after, key)
            lost = [item for item in written_list(step.before, key) if item not in written_list(step.after, key)]
            wanted = [*present, *(item for item in lost if item not in present)]
            if wanted != present:
                after = edit(after, {key: wanted})
    except (VaultMemError, ValueError):
        return False
    transaction.write(step.key, now, after)
    return True


def _with_lines_of(now: bytes, was: bytes, wanted: bytes) -> bytes:
    """Undo the change from `wanted` to `was` in `now`, line by line, where a changed line is still there just once."""
    lines = now.split(b"\n")
    one, other = was.split(b"\n"), wanted.split(b"\n")
    for tag, low, high, start, end in difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if tag == "replace" and high - low == end - start:
            for before, after in zip(one[low:high], other[start:end], strict=True):
                if lines.count(before) == 1 and b"[[" in after and not after.lstrip().startswith(b"- "):
                    lines[lines.index(before)] = after
    return b"\n".join(lines)


def in_trash(folder: Folder, id_: str) -> Trashed:
    """The forgotten memory with that id, the beginning of one, or its former path, file name, wikilink or title."""
    given = id_.strip()
    link = WIKILINK.fullmatch(given)
    name = name_key(link[1] if link else given)
    wanted = name if name.startswith(("mem_", "ep_")) else f"mem_{name}"
    all_ = trash(folder)
    found = (
        [each for each in all_ if each.id == wanted]
        or [each for each in all_ if each.id.startswith(wanted)]
        or [each for each in all_ if name.removesuffix(".md") in (path_key(each.key), name_key(stem_of(each.key)))]
        or [each for each in all_ if name_key(each.title) == name]
    )
    if len(found) != 1:
        reason = "More than one forgotten memory matches" if found else "Not in the trash:"
        raise NotFound(f"{reason} {id_}", "`vault-mem restore --list` shows what can be restored")
    return found[0]


def _load(folder: Folder, key: str) -> Trashed | None:
    """A memory in the trash; a damaged or foreign record is set aside (SPEC S-2)."""
    try:
        raw = machine_folder.read(folder.tree, key)
        if raw is None:
            return None
        record = json.loads(raw)
        steps = [step_from(each) for each in (record["file"], *record["references"])]
        file, *references = [step for step in steps if isinstance(step, FileStep)]
        at = datetime.fromisoformat(record["at"])
        known = all(ours(folder, step) or was_ours(step) for step in (file, *references))
        if not known or trash_key(str(record["id"])) != key:
            raise ValueError("not a memory of this vault")
        return Trashed(str(record["id"]), at, str(record["reason"]), file.key, file, references)
    except OSError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError):
        machine_folder.set_aside(folder.tree, key, "not a memory that was forgotten")
        return None


def trash_key(id_: str) -> str:
    """Where a forgotten memory is kept."""
    return f"{_TRASH}/{id_}.json"


def _empty_old(folder: Folder) -> None:
    oldest = folder.now() - timedelta(days=folder.settings.trash_days)
    with contextlib.suppress(OSError, VaultMemError):  # the next forget tries again
        for trashed in trash(folder):
            if trashed.at < oldest:
                folder.tree.drop(trash_key(trashed.id))
