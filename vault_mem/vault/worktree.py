"""The main checkout of a git worktree. Every command imports this, so it imports next to nothing."""

from __future__ import annotations

import os


def in_main_checkout(folder: str) -> str:
    """The same folder in the main checkout, where this one is in a linked worktree; empty if it is not.

    Private memories, journal and sessions are not in git: the vault of the main checkout is the one that has them.
    """
    path = os.path
    above = folder
    while True:
        git = path.join(above, ".git")
        if path.isfile(git):
            break
        parent = path.dirname(above)
        if parent == above or path.isdir(git):
            return ""
        above = parent
    try:
        with open(git, "rb") as file:  # noqa: PTH123
            said = os.fsdecode(file.read(4096)).strip()
    except OSError:
        return ""
    pointed = path.normpath(path.join(above, said.removeprefix("gitdir: ").strip()))
    git_folder, mark, _ = pointed.rpartition(f"{os.sep}worktrees{os.sep}")
    if not said.startswith("gitdir: ") or not mark or path.basename(git_folder) != ".git":
        return ""
    return path.normpath(path.join(path.dirname(git_folder), path.relpath(folder, above)))
