"""autocommit: one commit per quiet period, for vaults that the user's own settings name. It never pushes."""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from vault_mem.operations.changing import is_quiet_file
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import git, journal
from vault_mem.vault.folder import GIT_LISTS, Folder
from vault_mem.vault.settings import VAULT_FILE


def autocommit(workspace: Workspace) -> str:
    """Commit what changed in the vault, if all of it is quiet. Returns the message, or nothing.

    Not during a merge or rebase, and not while a note waits to become private.
    """
    folder = workspace.folder
    if not _wanted(folder) or not git.in_repository(folder) or git.under_way(folder):
        return ""
    places = _places(folder)
    changed = git.uncommitted(folder, places)
    if not changed or workspace.index.state.flagged() or not all(_is_quiet(workspace, key) for key in changed):
        return ""
    message = _message(folder, changed)
    return message if git.commit(folder, message, places) else ""


def _wanted(folder: Folder) -> bool:
    named = (Path(os.path.realpath(Path(each).expanduser())) for each in folder.settings.autocommit)
    return folder.root in named


def _places(folder: Folder) -> list[str]:
    """Where the public files of a vault are, as far as they are there or git has them."""
    settings = folder.settings
    notes = [each.strip("/") for each in (settings.memories_folder, settings.episodes_folder)]
    places = [*notes, folder.views_folder, "history", folder.digest, "REVIEW.md", "SELF.md", *GIT_LISTS, VAULT_FILE]
    return [key for key in places if folder.tree.exists(key) or git.tracked(folder, [f":(literal){key}"])]


def _is_quiet(workspace: Workspace, key: str) -> bool:
    return is_quiet_file(workspace, key) or not workspace.folder.tree.exists(key)


def _message(folder: Folder, changed: list[str]) -> str:
    """What happened since the last commit, counted; operations on private memories are not."""
    since = git.last_commit(folder)
    counts: Counter[str] = Counter()
    for entry in journal.standing(folder):
        if since is not None and entry.at.astimezone(UTC) < datetime.fromtimestamp(since, UTC):
            break
        if not any(folder.is_private(step.key) for step in entry.steps):
            counts[entry.command] += 1
    what = ", ".join(f"{command} ×{count}" if count > 1 else command for command, count in sorted(counts.items()))
    return f"memory: {what or 'edits by hand'} ({len(changed)} file{'s' * (len(changed) > 1)})"
