"""Checks of git: whether it can merge the vault, and what merges left behind (SPEC V-11)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

from vault_mem.index.filters import Filters
from vault_mem.model import Memory
from vault_mem.notes import checklist
from vault_mem.notes.checklist import Proposal
from vault_mem.operations.git import git_setup, private_merges
from vault_mem.operations.git.autocommit import last_trouble
from vault_mem.operations.git.merged_files import leftovers, put_right
from vault_mem.operations.upkeep.proposals import file_key, text_of
from vault_mem.operations.upkeep.review import Suggestion, propose
from vault_mem.operations.vaults.checks.finding import Finding
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import git
from vault_mem.vault.steps import read

_REASON = "both took the place of the same memory"


def driver(workspace: Workspace) -> Iterator[Finding]:
    """A clone in which git cannot merge what vault-mem writes."""
    if not git.in_repository(workspace.folder):
        return
    lacking = git_setup.missing_setup(workspace.folder)
    if lacking:
        yield Finding(
            f"git is not set up to merge clones of the vault without conflicts; missing: {', '.join(lacking)}",
            git_setup.ATTRIBUTES if git_setup.ATTRIBUTES in lacking else "",
            hint="doctor --fix writes it; docs/git.md explains it",
            severity="info",
            fix=partial(git_setup.set_up, workspace.folder),
        )


def commits(workspace: Workspace) -> Iterator[Finding]:
    """An autocommit that git refused."""
    trouble = last_trouble(workspace)
    if trouble:
        hint = "fix that, or commit by hand; it is tried again when something changes"
        yield Finding(f"git did not make the commit that was due: {trouble}", hint=hint)


def merged(workspace: Workspace) -> Iterator[Finding]:
    """What a merge left in the files."""
    for each in leftovers(workspace.folder):
        if each.after is None:
            hint = "keep what is right, delete the lines with <<<<<<<, ======= and >>>>>>>, then git add it"
            yield Finding(each.what, each.key, each.line, hint=hint)
        else:
            hint = "doctor --fix repairs it; no line is lost"
            yield Finding(each.what, each.key, each.line, hint=hint, fix=partial(put_right, workspace, each))


def unmerged(workspace: Workspace) -> Iterator[Finding]:
    """Files that one side deleted and the other changed: git stops there, and the change wins."""
    folder = workspace.folder
    waiting = git.unmerged(folder) if git.under_way(folder) else {}
    for key, stages in waiting.items():
        if not folder.tree.is_file(key) or stages >= {2, 3} or 1 not in stages:
            continue
        message = "one side deleted it, the other changed it: the change stays"
        hint = "git add it, or git rm it if it should go (doctor --fix adds it)"
        yield Finding(message, key, hint=hint, fix=partial(git.mark_resolved, folder, key))


def came_back(workspace: Workspace) -> Iterator[Finding]:
    """Public files from git of memories that are private here."""
    pairs = private_merges.came_back(workspace) if git.in_repository(workspace.folder) else []
    for public, private in pairs:
        message = "git brought it back, and it is private on this machine"
        hint = "its text is taken into the private file, and this one removed (doctor --fix does it now)"
        yield Finding(message, public, hint=hint, fix=partial(_absorb, workspace, (public, private)))


def _absorb(workspace: Workspace, pair: tuple[str, str]) -> None:
    private_merges.merge_into_private(workspace, [pair])
    private_merges.remove_mentions(workspace, [])


def superseded(workspace: Workspace) -> Iterator[Finding]:
    """A memory that two others superseded independently, unless that was proposed already."""
    replacing = [record["id"] for record in workspace.index.records(Filters()) if record.get("supersedes")]
    successors: dict[str, list[Memory]] = {}
    for memory in workspace.index.memories(Filters(ids=replacing)):
        for name in memory.supersedes:
            id_ = workspace.graph.resolve(name)
            if id_ is not None:
                successors.setdefault(id_, []).append(memory)
    asked = _asked(workspace) if any(len(each) > 1 for each in successors.values()) else set()
    for id_, memories in successors.items():
        for older, newer in itertools.pairwise(sorted(memories, key=lambda memory: memory.order)):
            if Proposal("supersede", (newer.id, older.id), "", "").id not in asked:
                message = f"{newer.id} and {older.id} both replaced {id_}, and neither replaced the other"
                hint = "doctor --fix proposes in REVIEW.md that the newer one replaces the older too"
                fix = partial(propose, workspace, [Suggestion("supersede", (newer.id, older.id), _REASON)])
                yield Finding(message, newer.path, hint=hint, severity="info", fix=fix)


def _asked(workspace: Workspace) -> set[str]:
    files = [file_key(workspace.folder, private=private) for private in (False, True)]
    return {each.id for key in files for each in checklist.read(text_of(read(workspace.folder, key)))}
