"""Conflict copies: second versions of a file that a sync service left beside it (SPEC V-11)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from vault_mem.errors import Conflict
from vault_mem.merging import Merged, encoded
from vault_mem.operations.changing import commit
from vault_mem.operations.git.common_text import merged_with
from vault_mem.operations.vaults import views
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result
from vault_mem.vault import git
from vault_mem.vault.copies import BARE_NUMBER, CONFLICT, NUMBERED
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.journal import Transaction, writing
from vault_mem.vault.steps import read, read_if_can
from vault_mem.vault.tree import beside, name_of


@dataclass(frozen=True)
class SyncCopy:
    """A copy and its original. `same`: both texts are equal; `versions`: the same memory with different texts."""

    key: str
    original: str
    same: bool
    versions: bool


def sync_copies(folder: Folder) -> Iterator[SyncCopy]:
    """All files whose names look like a copy's, in every folder that is not hidden."""
    for _, _, keys in folder.tree.walk_shown():
        for key in keys:
            found = _copy(folder, key)
            if found is not None:
                yield found


def _copy(folder: Folder, key: str) -> SyncCopy | None:
    name = name_of(key)
    stem, ending = os.path.splitext(name)  # noqa: PTH122 - every file of the vault
    conflict, numbered, bare = (each.search(stem) for each in (CONFLICT, NUMBERED, BARE_NUMBER))
    found = conflict or numbered or bare
    if name.startswith(".") or found is None:
        return None
    original = beside(key, stem[: found.start()] + ending)
    if not conflict and not (folder.is_note(key) and folder.tree.is_file(original)):
        return None
    one, other = (read_if_can(folder, each) if folder.is_note(key) else b"" for each in (original, key))
    same_memory = bool(id_in(other)) and id_in(one) == id_in(other)
    if not conflict and not numbered and not same_memory:
        return None
    return SyncCopy(key, original, same_memory and one == other, same_memory and one != other)


def merge_copy(folder: Folder, copy: SyncCopy) -> Merged | None:
    """The two versions merged; None if their common ancestor is unknown."""
    return merged_with(folder, copy.original, read_if_can(folder, copy.original), read_if_can(folder, copy.key))


def take_in(workspace: Workspace, copy: SyncCopy) -> None:
    """Combine the two files into one with everything that both say."""
    folder = workspace.folder
    with writing(folder):
        one, other = read(folder, copy.original), read(folder, copy.key)
        if one is None or other is None:
            return
        reason = "a copy that says the same" if one == other else "two versions that a sync service kept"
        transaction = Transaction(folder, "doctor --fix", reason, ids=[id_in(one)])
        if one != other:
            known = next((key for key in (copy.original, copy.key) if git.version(folder, key, 1)), copy.original)
            found = merged_with(folder, known, one, other)
            if found is None or found.conflicts:
                raise Conflict(
                    "both versions changed the same key or lines", "vault-mem review shows them side by side"
                )
            transaction.write(copy.original, one, encoded(found.text))
            views.follow_text(transaction, copy.original, one, encoded(found.text))
        transaction.remove(copy.key, other)
        commit(workspace, transaction)
        for key, stages in git.unmerged(folder).items() if git.under_way(folder) else ():
            if key in (copy.key, copy.original) or (
                stages == {1} and id_in(git.version(folder, key, 1) or b"") == id_in(one)
            ):
                git.mark_resolved(folder, key)


def renamed_twice(folder: Folder, key: str, other: str) -> bool:
    """Whether a merge under way left two files of one memory, because both sides renamed it.

    If one side also changed much of it, git takes that file for a new one (stage 0), and the other for a file that the
    first side deleted.
    """
    waiting = git.unmerged(folder) if git.under_way(folder) else {}
    if key not in waiting and other not in waiting:
        return False
    sides = [waiting.get(each, {0}) - {1} for each in (key, other)]
    return sides[0] != sides[1] and all(len(each) == 1 for each in sides)


@dataclass(frozen=True)
class SideBySide(Result):
    """Two versions of one memory that only a person can combine."""

    original: str
    copy: str
    left: list[str]
    right: list[str]


def side_by_side(workspace: Workspace) -> list[SideBySide]:
    """The lines that differ between two versions of a memory, for a person to choose from."""
    folder = workspace.folder
    found = []
    for each in sync_copies(folder):
        if not each.versions:
            continue
        texts = [read_if_can(folder, key).decode(errors="replace") for key in (each.original, each.key)]
        one, other = map(str.splitlines, texts)
        left: list[str] = []
        right: list[str] = []
        for step, start, stop, other_start, other_stop in SequenceMatcher(None, one, other).get_opcodes():
            if step != "equal":
                most = max(stop - start, other_stop - other_start)
                left += [*one[start:stop], *[""] * (most - (stop - start))]
                right += [*other[other_start:other_stop], *[""] * (most - (other_stop - other_start))]
        found.append(SideBySide(each.original, each.key, left, right))
    return found
