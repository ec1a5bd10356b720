"""tidy: exact duplicates among the states are closed, never deleted (SPEC T-1, T-2, T-3, T-5)."""

from __future__ import annotations

import contextlib
import json
import re
import time
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from vault_mem.errors import EditRefused, VaultMemError
from vault_mem.model import STATE_KINDS, Memory, digits_of
from vault_mem.notes.links import stem_of
from vault_mem.notes.parse import parse
from vault_mem.operations.changing import changes, commit, is_quiet_file
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.unasked.declined import declined_in
from vault_mem.operations.upkeep.validity import close_in
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result
from vault_mem.vault import files, git, turns
from vault_mem.vault.folder import OWN, Folder
from vault_mem.vault.journal import Transaction
from vault_mem.vault.steps import json_lines, read
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE
from vault_mem.vault.walk import content_hash

# Bounds of one run, so that it never holds a vault for long.
MOST_CLOSED = 200
MOST_READ = 5000

LOG = ".vault-mem/tidy.jsonl"

# Fields that may differ between two notes that say the same.
_NOT_MEANING = set("id created links last_confirmed confidence salience source supersedes aliases".split())

_WORD = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True)
class Duplicate:
    """A state that repeats another, `keep`."""

    id: str
    kind: str
    keep: str


@dataclass(frozen=True)
class TidyReport(Result):
    """What a run looked at and did."""

    at: datetime
    states: dict[str, int]
    closed: int = 0
    merged: int = 0
    summaries: int = 0
    seconds: float = 0.0
    op: str = ""
    dry_run: bool = False
    duplicates: list[Duplicate] = field(default_factory=list)
    waiting: int = 0  # too fresh to be touched unasked


@changes
def tidy(workspace: Workspace, *, dry_run: bool = False, unasked: bool = False) -> TidyReport:
    """Close exact duplicates of states: the one confirmed last stays."""
    started = time.monotonic()
    workspace.freshen()
    now = workspace.folder.now().replace(microsecond=0)
    newest, _ = workspace.index.newest(Filters(kind=STATE_KINDS), MOST_READ)
    states = [memory for memory in newest if not memory.provisional]
    counts = dict(Counter(memory.kind for memory in states))
    by_id = {memory.id: memory for memory in states}
    duplicates = _duplicates(workspace.folder, states)
    waiting = 0
    if unasked:
        duplicates = [each for each in duplicates if not _declined(workspace, by_id[each.id])]
        quiet = [each for each in duplicates if is_quiet_file(workspace, by_id[each.id].path)]
        waiting, duplicates = len(duplicates) - len(quiet), quiet
    duplicates = duplicates[:MOST_CLOSED]
    transaction = Transaction(workspace.folder, "tidy", "tidy: exact duplicates", unasked=unasked)
    transaction.ids = [each.id for each in duplicates]
    transaction.evidence = sorted({each.keep for each in duplicates if not by_id[each.keep].private})
    closed = []
    for each in [] if dry_run else duplicates:
        try:
            close_in(transaction, workspace, by_id[each.id], now)
        except EditRefused as error:
            workspace.notices.append(error.message)
            continue
        closed.append(each)
    if closed:
        commit(workspace, transaction)
    report = TidyReport(
        now,
        counts,
        closed=len(closed),
        seconds=round(time.monotonic() - started, 3),
        op=transaction.op,
        dry_run=dry_run,
        duplicates=duplicates if dry_run else closed,
        waiting=waiting,
    )
    if not dry_run:
        record(workspace.folder, report)
    return report


def record(folder: Folder, report: TidyReport) -> None:
    """Log the report of a run: counts and ids only. The run counts as done even if this fails."""
    line = json.dumps(report.to_dict(), ensure_ascii=False)
    with contextlib.suppress(VaultMemError):
        files.make_folder(folder.tree, OWN, PRIVATE_FOLDER_MODE)
        files.append(folder.tree, LOG, line.encode() + b"\n", PRIVATE_MODE)


def run_due(workspace: Workspace) -> TidyReport | None:
    """Tidy if enough turns have passed since the last time: for the daemon, never in the foreground of a call."""
    folder = workspace.folder
    if not folder.settings.tidy or not turns.tidying_due(folder) or git.under_way(folder):
        return None
    turns.note_tidying(folder)  # first, so that a run that fails is not tried again at every turn
    report = tidy(workspace, unasked=True)
    if report.waiting:
        turns.tidy_again(folder)  # run again soon for those that were not quiet, not after hundreds of turns
    return report


def log(folder: Folder, limit: int = 20) -> list[dict[str, Any]]:
    """The reports of earlier runs, newest first."""
    found = [*json_lines(folder, LOG)][::-1]
    return found[:limit] if limit > 0 else found


def _declined(workspace: Workspace, memory: Memory) -> bool:
    """Whether the owner has undone an unasked closing of this memory."""
    raw = read(workspace.folder, memory.path) or b""
    return declined_in(workspace.folder)("tidy", memory.path, content_hash(raw, len(raw)))


def _duplicates(folder: Folder, states: list[Memory]) -> list[Duplicate]:
    """The states that repeat another: same kind, text, name, side, and meaning in the front matter.

    Notes without text are left alone: the owner may still mean to write them.
    """
    groups: dict[tuple[str, str, str, bool], list[Memory]] = {}
    for memory in states:
        text = normalised(memory.content)
        if text:
            groups.setdefault((memory.kind, text, _chosen_name(memory), memory.private), []).append(memory)
    found = []
    for group in groups.values():
        if len(group) < 2:
            continue
        alike: dict[str, list[Memory]] = {}
        for memory in group:
            alike.setdefault(_meaning(folder, memory), []).append(memory)
        for same in alike.values():
            keep = max(same, key=lambda each: (each.last_confirmed or each.created, each.created, each.id))
            found += [Duplicate(memory.id, memory.kind, keep.id) for memory in same if memory is not keep]
    return sorted(found, key=lambda each: each.id)


def _chosen_name(memory: Memory) -> str:
    """The file name if a person chose it and it has words; our own names only follow from the text."""
    stem = normalised(stem_of(memory.path))
    ours = stem == memory.id or stem.endswith(digits_of(memory.id))
    return "" if ours or not _WORD.search(stem) else stem


def normalised(text: str) -> str:
    """A text without differences that do not matter: width, case, spacing, a full stop at the end."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"\s+", " ", text).strip().rstrip("。.! ")


def _meaning(folder: Folder, memory: Memory) -> str:
    """The front matter that carries meaning, including the owner's own keys, in a form that can be compared."""
    raw = read(folder, memory.path) or b""
    fields = parse(raw, memory.path, mtime=0, zone=folder.zone, private=memory.private).fields
    kept = {key: value for key, value in fields.items() if key not in _NOT_MEANING and value not in (None, [], "")}
    kept |= {"importance": memory.importance, "category": memory.category, "emotion": memory.emotion}
    kept |= {"tags": sorted(memory.tags), "people": sorted(memory.people), "private": memory.private}
    return json.dumps(kept, sort_keys=True, default=str, ensure_ascii=False)
