"""This machine's folder in the vault (`.vault-mem/`): checked whenever it is read, as a vault may come from a stranger.

Whatever is not as this tool writes it is moved to `.vault-mem/aside/`, never followed and never deleted (SPEC S-2), and
`doctor` names it. Files in it that git tracks came with a clone or a pull, and are all set aside.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vault_mem.vault import files, git
from vault_mem.vault.folder import LOCK, OWN, Folder
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE, PathRefused, Tree, key_of

ASIDE = f"{OWN}/aside"
_REASONS = f"{ASIDE}/reasons.jsonl"

# By vault, the state of git's index when we last checked whether git tracks files in our folder.
_seen: dict[Path, tuple[int, int]] = {}


def entries(tree: Tree, key: str) -> list[tuple[str, bool]]:
    """The names in one of our folders, and whether each is a regular file; a folder that is a link is set aside."""
    try:
        with tree.scan(key) as found:
            return [(entry.name, entry.is_file(follow_symlinks=False)) for entry in found]
    except (PathRefused, NotADirectoryError):
        set_aside(tree, key, "not a folder")
        return []
    except FileNotFoundError:
        return []


def read(tree: Tree, key: str) -> bytes | None:
    """One of our records, or None. One that is huge, or not a regular file, is set aside."""
    try:
        return tree.read(key)
    except PathRefused as error:
        set_aside(tree, key, error.strerror or "")
        return None


def records(tree: Tree, key: str) -> Iterator[dict[str, Any]]:
    """The objects in one of our logs; a line that cannot be read is passed over."""
    for line in (read(tree, key) or b"").splitlines():
        with contextlib.suppress(ValueError):
            record = json.loads(line)
            if isinstance(record, dict):
                yield record


def log(tree: Tree, key: str, line: str) -> None:
    """Add a line to one of our logs."""
    tree.make_folder(OWN, PRIVATE_FOLDER_MODE)
    files.append(tree, key, f"{line}\n".encode(), PRIVATE_MODE)


def set_aside(tree: Tree, key: str, why: str) -> None:
    """Move what is not ours out of the way, as it is. A failure is ignored."""
    plain = key.removeprefix(f"{OWN}/").replace("/", ".")
    with contextlib.suppress(OSError):
        tree.make_folder(ASIDE, PRIVATE_FOLDER_MODE)
        for number in range(1000):
            target = f"{ASIDE}/{plain}" + (f".{number}" if number else "")
            try:
                tree.rename(key, target)
            except FileExistsError:
                continue
            line = json.dumps({"file": target, "was": key, "why": why}) + "\n"
            with tree.opened(_REASONS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE_MODE) as handle:
                os.write(handle, line.encode())
            return


def aside(tree: Tree) -> list[tuple[str, str]]:
    """What was set aside and is still there, and why."""
    reasons: dict[str, str] = {}
    for line in (tree.read(_REASONS) or b"").decode(errors="replace").splitlines():
        with contextlib.suppress(ValueError, TypeError, KeyError):
            record = json.loads(line)
            reasons[str(record["file"])] = str(record["why"])
    found = [f"{ASIDE}/{name}" for name, _ in entries(tree, ASIDE)]
    return [(key, reasons.get(key, "")) for key in sorted(found) if key != _REASONS]


def vet(folder: Folder) -> None:
    """Set aside what git tracks in our folder."""
    stamp = git.index_stamp(git.git_folder(folder.root))
    if stamp is None or _seen.get(folder.root) == stamp:
        return
    with contextlib.suppress(OSError):
        held = [key for key in git.tracked_below(folder, OWN) if key != LOCK]  # a lock file has no content to mistrust
        if held and folder.tree.exists(OWN):
            for key in held:
                set_aside(folder.tree, key_of(key), "it came with git, from another machine")
            folder.notices.append(
                f"git tracks what one machine keeps in {OWN}/, so it was set aside: git rm --cached -r {OWN}"
            )
        _seen[folder.root] = stamp
