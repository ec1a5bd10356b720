"""Turns: how often something was remembered or recalled, to know when to tidy (SPEC T-3).

A count of this machine. Two calls in the same moment may count as one; nothing depends on it.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from vault_mem.vault.folder import Folder


def count(folder: Folder) -> None:
    """One more turn."""
    turns, last = _read(folder)
    _write(folder, turns + 1, last)


def due(folder: Folder) -> bool:
    """Whether it is time to tidy: after a few turns the first time, then after many."""
    turns, last = _read(folder)
    settings = folder.settings
    return turns >= settings.tidy_first_turns if last is None else turns - last >= settings.tidy_turns


def begin(folder: Folder) -> None:
    """Note that tidying begins."""
    turns, _ = _read(folder)
    _write(folder, turns, turns)


def again(folder: Folder) -> None:
    """Note that there is something left to tidy: it is time again."""
    turns, _ = _read(folder)
    _write(folder, turns, turns - folder.settings.tidy_turns)


def _file(folder: Folder) -> Path:
    return folder.own / "turns.json"


def _read(folder: Folder) -> tuple[int, int | None]:
    try:
        record = json.loads(_file(folder).read_bytes())
        last = record["tidied"]
        return int(record["turns"]), None if last is None else int(last)
    except (OSError, ValueError, KeyError, TypeError):
        return 0, None


def _write(folder: Folder, turns: int, last: int | None) -> None:
    with contextlib.suppress(OSError):  # a vault that cannot be written is recalled from all the same
        folder.own.mkdir(mode=0o700, exist_ok=True)
        _file(folder).write_text(json.dumps({"turns": turns, "tidied": last}), encoding="ascii")
