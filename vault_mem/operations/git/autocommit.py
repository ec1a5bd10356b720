"""autocommit: one commit per quiet period, for vaults named in the user's own settings. It never pushes."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from vault_mem.operations.changing import is_quiet_file
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import git, journal
from vault_mem.vault.find import expanded
from vault_mem.vault.folder import GIT_LISTS, OWN, Folder
from vault_mem.vault.settings import VAULT_FILE

_LAST = "autocommit"


def autocommit(workspace: Workspace) -> str | None:
    """Commit what changed, if all of it is quiet. Returns None if there was nothing to do, else git's error, if any.

    Nothing is committed during a merge or rebase, or while a note waits to become private. After a failure, git is
    asked again only when something has changed.
    """
    folder, state = workspace.folder, workspace.index.known
    if not _wanted(folder) or git.under_way(folder) or not git.on_a_branch(folder):
        return None
    changed = {
        key: known
        for key, known in git.uncommitted(folder, _places(folder)).items()
        if not folder.is_private(key) and not key.startswith(f"{OWN}/")
    }
    if not changed and state.get(_LAST):
        state.put(**{_LAST: None})  # the owner has committed it
    quiet = all(is_quiet_file(workspace, key) or not folder.tree.exists(key) for key in changed)
    if not changed or state.flagged() or not quiet:
        return None
    if (state.get(_LAST) or {}).get("tried") == _fingerprint(folder, changed):
        return None
    trouble = git.commit(folder, _message(folder, changed), changed)
    state.put(**{_LAST: {"tried": _fingerprint(folder, changed), "trouble": trouble}})
    return trouble


def last_trouble(workspace: Workspace) -> str:
    """Why git did not make the last commit that was due; empty if it did, or if autocommit is off."""
    found = workspace.index.known.get(_LAST) if _wanted(workspace.folder) else None
    return str(found["trouble"]) if found else ""


def _fingerprint(folder: Folder, changed: Iterable[str]) -> str:
    """A digest that changes when git's index or the files do."""
    git_dir = git.git_folder(folder.root)
    files = [(key, found.st_mtime_ns if (found := folder.tree.stat(key)) else 0) for key in sorted(changed)]
    return hashlib.sha256(repr((git_dir and git.index_stamp(git_dir), files)).encode()).hexdigest()


def _wanted(folder: Folder) -> bool:
    named = (Path(os.path.realpath(expanded(each, folder.env))) for each in folder.settings.autocommit)
    return folder.root in named


def _places(folder: Folder) -> list[str]:
    """The paths of a vault's public files."""
    settings = folder.settings
    notes = [settings.memories_folder, settings.episodes_folder]
    views = [settings.views_folder, settings.digest_file]
    return [*notes, *views, "history", "REVIEW.md", "SELF.md", *GIT_LISTS, VAULT_FILE]


def _message(folder: Folder, changed: Mapping[str, bool]) -> str:
    """The operations since the last commit, counted by command; those on private memories are not counted."""
    since = git.last_commit(folder)
    counts: Counter[str] = Counter()
    for entry in journal.standing(folder):
        if since is not None and entry.at.astimezone(UTC) < datetime.fromtimestamp(since, UTC):
            break
        if not any(journal.may_be_private(folder, step) for step in entry.steps):
            counts[entry.command] += 1
    what = ", ".join(f"{command} ×{count}" if count > 1 else command for command, count in sorted(counts.items()))
    return f"memory: {what or 'edits by hand'} ({len(changed)} file{'s' * (len(changed) > 1)})"
