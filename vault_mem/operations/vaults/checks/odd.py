"""Things in place of the tool's own files that are no files: a link, a pipe, a folder (SPEC S-1, S-2)."""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterator

from vault_mem.operations.vaults.checks.finding import Finding
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.folder import GIT_LISTS, OWN, Folder

_FILES = (*GIT_LISTS, ".obsidian/templates.json", ".obsidian/types.json", "REVIEW.md", "SELF.md")
_OWN_FOLDERS = ("blocked", "candidates", "cookies", "edits", "inbox", "journal", "log", "purging", "trash")


def odd_files(workspace: Workspace) -> Iterator[Finding]:
    """Each is named, whether or not this very command would have read it."""
    tree = workspace.folder.tree
    for key, is_folder in _places(workspace.folder):
        found = tree.stat(key)
        if found is None or tree.follows(key):
            continue
        if not (stat.S_ISDIR if is_folder else stat.S_ISREG)(found.st_mode):
            yield Finding(
                f"is {_words(found.st_mode)} and not a {'folder' if is_folder else 'plain file'}; it is left alone",
                key,
                hint="remove it, or put back what belongs there",
            )


def _places(folder: Folder) -> Iterator[tuple[str, bool]]:
    """Where files and folders of ours are, and which of the two each should be."""
    private = folder.settings.private_folder
    folders = [OWN, *(f"{OWN}/{name}" for name in _OWN_FOLDERS), folder.views_folder, "history", f"{private}/.history"]
    yield from ((key, False) for key in (*_FILES, folder.digest, f"{private}/REVIEW.md"))
    yield from ((key, True) for key in folders)
    for parent in folders:
        with contextlib.suppress(OSError), folder.tree.scan(parent) as entries:
            below = {f"{parent}/{entry.name}" for entry in entries}
            yield from ((key, False) for key in sorted(below - {*folders, f"{OWN}/aside"}))


def _words(mode: int) -> str:
    kinds = {
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFDIR: "a folder",
        stat.S_IFREG: "a plain file",
    }
    return kinds.get(stat.S_IFMT(mode), "a device")
