"""Checks of the notes: what cannot be read, whose id is not their own, what leads nowhere, what was copied."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from datetime import timedelta
from functools import partial

from vault_mem.index.graph import Graph
from vault_mem.operations.adopt import candidates
from vault_mem.operations.checks.finding import Finding
from vault_mem.operations.replayed import by_time_alone, take_out
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.journal import Transaction, writing
from vault_mem.vault.steps import read
from vault_mem.vault.tree import beside, name_of
from vault_mem.vault.walk import walk

# Clocks of two machines differ by minutes; more is a mistake.
_SKEW = timedelta(hours=1)
# Sync services say what they did; a number alone says it only beside the original.
_CONFLICT = re.compile(r"[. ]sync-conflict-[\d-]+\w*$| \([^()]*(?:conflict|競合)[^()]*\)$", re.IGNORECASE)
_NUMBERED = re.compile(r" \(\d{1,3}\)$")


def broken_files(workspace: Workspace) -> Iterator[Finding]:
    """Files that cannot be read whole (SPEC V-7)."""
    freshness = workspace.sync()
    problems = freshness.report.problems if freshness.report else workspace.index.state.problems()
    for problem in problems:
        if problem.odd and not workspace.folder.is_owned(problem.path):
            continue  # what an included note calls a kind or a date is its owner's
        hint = "it is searchable as far as it can be read; correct the file, vault-mem never rewrites it"
        if problem.odd:
            hint = "it is kept, and read as if it were not there"
        if "symbolic link" in problem.reason:
            hint = "keep the notes in the vault itself; what lies outside is not read"
        severity = "info" if problem.odd else "warning"
        yield Finding("broken-files", problem.reason, problem.path, problem.line, hint, severity)


def duplicate_ids(workspace: Workspace) -> Iterator[Finding]:
    """Copies that carry the id of another file (SPEC V-5)."""
    for known in workspace.index.state.provisional():
        owners = [key for key, _, id_ in workspace.index.state.claims([known.declared]) if id_ == known.declared]
        owner = owners[0] if owners else "another file"
        yield Finding(
            "duplicate-ids",
            f"has the id {known.declared} of {owner}; it goes by {known.id} for now",
            known.key,
            hint="delete the copy, or delete its id line to make it a memory of its own",
        )


def foreign_ids(workspace: Workspace) -> Iterator[Finding]:
    """Notes whose `id` is of another scheme."""
    for known in workspace.index.state.without_id():
        if known.foreign_id:
            yield Finding(
                "foreign-ids",
                f"has an id of another scheme; it goes by {known.id}, which changes when the file is renamed",
                known.key,
                hint="rename that property to keep both",
                severity="info",
            )


def missing_ids(workspace: Workspace) -> Iterator[Finding]:
    """Notes that wait for an id (SPEC V-6)."""
    waiting = candidates(workspace)
    if waiting:
        seconds = workspace.folder.settings.quiet_seconds
        yield Finding(
            "missing-ids",
            f"{len(waiting)} note(s) get an id once they have been quiet for {seconds} s",
            waiting[0].key,
            severity="info",
        )


def dangling_links(workspace: Workspace) -> Iterator[Finding]:
    """Links that lead to no file of the vault, whatever kind of file."""
    graph = Graph(workspace.index.state, workspace.names)
    for id_, link in graph.dangling():
        place = graph.places[id_]
        name = "a name" if place.private else f"[[{link.target}]]"
        yield Finding(
            "dangling-links",
            f"links to {name}, and no file of the vault has that name",
            place.path,
            severity="info",
        )


def replay_links(workspace: Workspace) -> Iterator[Finding]:
    """Links that an earlier version wrote between notes that only followed one another (SPEC O-3)."""
    found = dict(by_time_alone(workspace))
    if found:
        count = sum(map(len, found.values()))
        yield Finding(
            "replay-links",
            f"{count} link(s) in {len(found)} note(s) join what only followed one another in time",
            next(iter(found)),
            hint="doctor --fix takes them out, and undo brings them back; recall goes by the activity log",
            severity="info",
            fix=take_out,
        )


def summaries(workspace: Workspace) -> Iterator[Finding]:
    """Summaries that their sources have outrun (SPEC T-6)."""
    from vault_mem.operations.summaries import outdated

    for summary in workspace.index.memories("kind = 'summary'"):
        if not summary.closed_at(workspace.folder.now()) and outdated(workspace, summary):
            yield Finding(
                "summaries",
                "a summary whose sources have changed since",
                summary.path,
                hint="write it anew: vault-mem tidy candidates --summaries",
                severity="info",
            )


def copies(workspace: Workspace) -> Iterator[Finding]:
    """Files that a sync service made of two versions of one."""
    folder = workspace.folder
    for _, below, keys in folder.tree.walk():
        below[:] = [key for key in below if not name_of(key).startswith(".")]
        for key in keys:
            name = name_of(key)
            stem, ending = os.path.splitext(name)  # noqa: PTH122 - every file of the vault
            conflict, numbered = _CONFLICT.search(stem), _NUMBERED.search(stem)
            found = conflict or numbered
            if name.startswith(".") or found is None:
                continue
            original = beside(key, stem[: found.start()] + ending)
            if not conflict and not folder.tree.is_file(original):
                continue
            same = folder.is_note(key) and _same_memory(folder, key, original)
            yield Finding(
                "conflict-copies",
                f"looks like a second version of {name_of(original)} that a sync service kept",
                key,
                hint="both say the same: delete it (doctor --fix does, and undo brings it back)"
                if same
                else f"compare it with {name_of(original)}, keep what is right there, and delete it",
                fix=partial(_drop_copy, key, original) if same else None,
            )


def _same_memory(folder: Folder, key: str, original: str) -> bool:
    try:
        raw = folder.tree.read(key) or b""
        return bool(id_in(raw)) and raw == folder.tree.read(original)
    except OSError:
        return False


def _drop_copy(key: str, original: str, workspace: Workspace) -> None:
    folder = workspace.folder
    with writing(folder):
        raw = read(folder, key)
        if raw is not None and raw == read(folder, original):
            transaction = Transaction(folder, "doctor --fix", "a copy that says the same")
            transaction.remove(key, raw)
            transaction.commit()
            workspace.done(transaction)


def clock(workspace: Workspace) -> Iterator[Finding]:
    """Notes from the future: some machine's clock was wrong, or a date was mistyped."""
    folder = workspace.folder
    latest = folder.now() + _SKEW
    for memory in workspace.index.memories(types=("memory", "episode")):
        if memory.created > latest and not _saved_late(workspace, memory.path):
            yield Finding(
                "clock",
                f"was created in the future, on {memory.created.astimezone(folder.zone).date()}",
                memory.path,
                hint="correct `created` in the file; until then it counts as the newest memory",
            )
    for key in walk(folder).files:
        if _saved_late(workspace, key):
            yield Finding(
                "clock",
                "was last changed in the future; until then it never counts as quiet",
                key,
                hint="`touch` it, and check the clock of the machine it came from (doctor --fix touches it)",
                fix=partial(_touch, key) if folder.is_note(key) else None,
            )


def _saved_late(workspace: Workspace, key: str) -> bool:
    found = workspace.folder.tree.stat(key)
    return found is not None and found.st_mtime > time.time() + _SKEW.total_seconds()


def _touch(key: str, workspace: Workspace) -> None:
    workspace.folder.tree.set_time(key)
