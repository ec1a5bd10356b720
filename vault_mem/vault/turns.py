"""Turns: how often something was remembered or recalled, to know when to tidy (SPEC T-3).

A count of this machine. Two calls in the same moment may count as one; nothing depends on it.
"""

from __future__ import annotations

import contextlib
import json
import os

from vault_mem.vault import machine_folder
from vault_mem.vault.folder import OWN, Folder
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE, temporary_name

_FILE = f"{OWN}/turns.json"


def count_turn(folder: Folder) -> None:
    """One more turn."""
    turns, last = _read(folder)
    _write(folder, turns + 1, last)


def tidying_due(folder: Folder) -> bool:
    """Whether it is time to tidy: after a few turns the first time, then after many."""
    turns, last = _read(folder)
    settings = folder.settings
    return turns >= settings.tidy_first_turns if last is None else turns - last >= settings.tidy_turns


def note_tidying(folder: Folder) -> None:
    """Note that tidying begins."""
    turns, _ = _read(folder)
    _write(folder, turns, turns)


def tidy_again(folder: Folder) -> None:
    """Note that something is left to tidy, so that `tidying_due` is true again."""
    turns, _ = _read(folder)
    _write(folder, turns, turns - folder.settings.tidy_turns)


def _read(folder: Folder) -> tuple[int, int | None]:
    try:
        raw = machine_folder.read(folder.tree, _FILE)
        if raw is None:
            return 0, None
        record = json.loads(raw)
        last = record["tidied"]
        return max(0, int(record["turns"])), None if last is None else int(last)
    except OSError:
        return 0, None
    except (ValueError, KeyError, TypeError):
        machine_folder.set_aside(folder.tree, _FILE, "not a count of turns")
        return 0, None


def _write(folder: Folder, turns: int, last: int | None) -> None:
    tree, name = folder.tree, temporary_name()
    with contextlib.suppress(OSError):  # recall also works in a read-only vault
        tree.make_folder(OWN, PRIVATE_FOLDER_MODE)
        try:
            with tree.opened(f"{OWN}/{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_MODE) as handle:
                os.write(handle, json.dumps({"turns": turns, "tidied": last}).encode())
            tree.put_over(f"{OWN}/{name}", _FILE)
        finally:
            tree.drop(f"{OWN}/{name}")
