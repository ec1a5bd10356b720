"""Files that belong to no vault: the user's settings, other programs' settings, exports. Links to them are followed."""

from __future__ import annotations

import os
from pathlib import Path

from vault_mem.vault import files
from vault_mem.vault.tree import PRIVATE_MODE, PUBLIC_MODE, Tree

__all__ = ["PRIVATE_MODE", "PUBLIC_MODE", "create", "make_folder", "remove", "replace", "tree_and_key"]


def create(path: Path, data: bytes, mode: int) -> None:
    """Write a new file; raises Conflict if there already is one. A public one gets the user's default mode."""
    files.create(*tree_and_key(path), data, mode)


def replace(path: Path, expected: bytes, data: bytes) -> None:
    """Put `data` in place of `expected`; raises Conflict, and changes nothing, if the file has changed."""
    files.replace(*tree_and_key(path), expected, data)


def remove(path: Path, expected: bytes) -> None:
    """Remove a file; raises Conflict, and puts it back, if it is not as `expected`."""
    files.remove(*tree_and_key(path), expected)


def make_folder(path: Path, mode: int = 0o755) -> None:
    """Make a folder with its parents; an existing one is left as it is."""
    with files.failures(path):
        path.mkdir(mode=mode, parents=True, exist_ok=True)


def tree_and_key(path: Path) -> tuple[Tree, str]:
    """The folder that a file is in, and its name there."""
    real = Path(os.path.realpath(path))
    return Tree(real.parent), real.name
