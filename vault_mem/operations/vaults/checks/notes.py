"""Checks of the notes: unreadable files, ids that are not their own, dangling links, conflict copies."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from functools import partial

from vault_mem.index.astray import find_astray, messages_for
from vault_mem.index.filters import Filters
from vault_mem.notes.origin import UNKNOWN, trust_of
from vault_mem.operations.git.copies import SyncCopy, merge_copy, renamed_twice, sync_copies, take_in
from vault_mem.operations.unasked.adopt import candidates
from vault_mem.operations.upkeep.replayed import by_time_alone, take_out
from vault_mem.operations.upkeep.summaries import outdated
from vault_mem.operations.vaults.checks.finding import Finding
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.tree import name_of
from vault_mem.vault.walk import EMPTIED, NOT_DOWNLOADED, walk

# The clocks of two machines may differ by minutes; more is a mistake.
_SKEW = timedelta(hours=1)


def broken_files(workspace: Workspace) -> Iterator[Finding]:
    """Files that cannot be read completely (SPEC V-7)."""
    freshness = workspace.sync()
    problems = freshness.report.problems if freshness.report else workspace.index.known.problems()
    for problem in problems:
        if problem.odd and not workspace.folder.is_owned(problem.path):
            continue  # values in an included note are the owner's business
        hint = "it is searchable as far as it can be read; fix the file yourself, vault-mem never rewrites it"
        if problem.odd:
            hint = "it is kept, and read as if it were not there"
        if "symbolic link" in problem.reason:
            hint = "keep the notes in the vault itself; what lies outside is not read"
        if problem.reason in (NOT_DOWNLOADED, EMPTIED):
            hint = "download it (keep the folder on this device), or delete the file if you no longer want it"
        elif not workspace.folder.is_owned(problem.path):
            hint = "it is searched as far as it can be read"
        severity = "info" if problem.odd or not workspace.folder.is_owned(problem.path) else "warning"
        yield Finding(problem.reason, problem.path, problem.line, hint, severity)


def astray(workspace: Workspace) -> Iterator[Finding]:
    """Memories that somebody moved to where nothing is searched (SPEC O-5)."""
    found = find_astray(workspace.folder, workspace.index.known)
    for said in messages_for(workspace.folder, found.values()):
        message, _, hint = said.partition(": ")
        yield Finding(message, hint=hint)


def duplicate_ids(workspace: Workspace) -> Iterator[Finding]:
    """Copies that carry the id of another file (SPEC V-5)."""
    for known in workspace.index.known.declaring_a_taken_id():
        owners = [key for key, _, id_ in workspace.index.known.declaring([known.declared]) if id_ == known.declared]
        owner = owners[0] if owners else "another file"
        renamed = owners and renamed_twice(workspace.folder, owner, known.key)
        yield Finding(
            f"has the id {known.declared} of {owner}; it goes by {known.id} for now",
            known.key,
            hint="both sides of a merge renamed it: doctor --fix makes one file of the two"
            if renamed
            else f"compare the two: keep what is right in {owner} and delete this one, "
            "or delete its id line to make it a memory of its own",
            fix=partial(take_in, workspace, SyncCopy(known.key, owner, same=False, versions=True)) if renamed else None,
        )


def foreign_ids(workspace: Workspace) -> Iterator[Finding]:
    """Notes whose `id` follows another scheme."""
    for known in workspace.index.known.without_id():
        if known.foreign_id and workspace.folder.is_owned(known.key):
            message = f"has an id of another scheme; it goes by {known.id}, which changes when the file is renamed"
            hint = "rename that property to keep both"
            yield Finding(message, known.key, hint=hint, severity="info")


def missing_ids(workspace: Workspace) -> Iterator[Finding]:
    """Notes that wait for an id (SPEC V-6)."""
    waiting = candidates(workspace)
    if waiting:
        seconds = workspace.folder.settings.quiet_seconds
        yield Finding(
            f"{len(waiting)} note(s) get an id once they have been quiet for {seconds} s",
            waiting[0].key,
            severity="info",
        )


def dangling_links(workspace: Workspace) -> Iterator[Finding]:
    """Links that lead to no file of the vault, of whatever kind."""
    graph = workspace.index.graph(every_file=True)
    for id_, link in graph.dangling():
        note = graph.notes[id_]
        if not workspace.folder.is_owned(note.path):
            continue  # in Obsidian, people link to notes that they have yet to write
        name = "a name" if note.private else f"[[{link.target}]]"
        yield Finding(f"links to {name}, and no file of the vault has that name", note.path, severity="info")


def replay_links(workspace: Workspace) -> Iterator[Finding]:
    """Links that an earlier version wrote between notes that only followed one another (SPEC O-3)."""
    found = dict(by_time_alone(workspace))
    if found:
        count = sum(map(len, found.values()))
        message = f"{count} link(s) in {len(found)} note(s) join memories that only followed one another in time"
        hint = "doctor --fix removes them, and undo brings them back; recall uses the activity log instead"
        yield Finding(message, next(iter(found)), hint=hint, severity="info", fix=partial(take_out, workspace))


def summaries(workspace: Workspace) -> Iterator[Finding]:
    """Summaries whose sources have changed since (SPEC T-6)."""
    for summary in workspace.index.memories(Filters(kind="summary", closed=True)):
        if not summary.closed_at(workspace.folder.now()) and outdated(workspace, summary):
            hint = "update it: vault-mem tidy candidates --summaries"
            yield Finding("a summary whose sources have changed since", summary.path, hint=hint, severity="info")


def origins(workspace: Workspace) -> Iterator[Finding]:
    """Memories without a source (SPEC K-6), in one finding, which asks for nothing."""
    own = (each for each in workspace.index.records() if workspace.folder.is_owned(each["path"]))
    known = [trust_of(each.get("source")) != UNKNOWN for each in own]
    if count := known.count(False):
        hint = "vault-mem list --trust none shows them; nothing needs to be done"
        yield Finding(f"{count} of {len(known)} memories do not say where they come from", hint=hint, severity="info")


def copies(workspace: Workspace) -> Iterator[Finding]:
    """Conflict copies that a sync service left."""
    for each in sync_copies(workspace.folder):
        fixed = each.same
        hint = f"compare it with {name_of(each.original)}, keep what is right there, and delete it"
        if each.same:
            hint = "both say the same: delete it (doctor --fix does, and undo brings it back)"
        elif each.versions:
            merged = merge_copy(workspace.folder, each)
            fixed = merged is not None and not merged.conflicts
            if fixed:
                hint = "doctor --fix merges the two, and undo takes that back"
            else:
                hint = "vault-mem review shows them side by side; " + hint
        message = f"looks like a second version of {name_of(each.original)} that a sync service kept"
        yield Finding(message, each.key, hint=hint, fix=partial(take_in, workspace, each) if fixed else None)


def clock(workspace: Workspace) -> Iterator[Finding]:
    """Notes from the future: some machine's clock was wrong, or a date was mistyped."""
    folder = workspace.folder
    latest = folder.now() + _SKEW
    changed_by = int((time.time() + _SKEW.total_seconds()) * 1e9)
    saved_late = dict.fromkeys(key for key, state in walk(folder).files.items() if state.mtime_ns > changed_by)
    for memory in workspace.index.memories(Filters(since=latest, closed=True), ("memory", "episode")):
        if memory.created > latest and memory.path not in saved_late:
            message = f"was created in the future, on {memory.created.astimezone(folder.zone).date()}"
            hint = "fix `created` in the file; until then it counts as the newest memory"
            yield Finding(message, memory.path, hint=hint)
    for key in saved_late:
        message = "was last changed in the future; until then it never counts as quiet"
        hint = "`touch` it, and check the clock of the machine it came from (doctor --fix touches it)"
        yield Finding(message, key, hint=hint, fix=partial(folder.tree.touch, key) if folder.is_note(key) else None)
