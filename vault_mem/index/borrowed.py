"""An index that this process cannot write: a copy in a temporary folder is used instead.

Agents run commands in sandboxes where the home folder is read-only, or the disk is full. The copy is brought up to
date like any index, so that answers are fresh and repetitions are recognised; the index itself catches up with the next
command that can write it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from vault_mem.vault.folder import OWN, Folder
from vault_mem.vault.lock import try_lock

# A larger index is read as it is: copying it would take too long.
_MOST_BYTES = 500_000_000
_PREFIX = "vault-mem-index-"
_LEFT_SECONDS = 6 * 3600.0
# An empty file can be made even on a full disk; this is about what a commit of one memory takes.
_PROBE = bytes(64 * 1024)
_copies: dict[Path, Path] = {}
_lock = threading.Lock()


def usable_home(folder: Folder) -> Path:
    """The folder of a vault's index; if it cannot be written, that of a temporary copy, if one can be made."""
    home = folder.index_dir
    with _lock:
        if home in _copies:
            return _copies[home]
        if writable(home):
            return home
        copy = _copy(home, folder)
        if copy is not None:
            _copies[home] = copy
        return copy or home


def writable(home: Path) -> bool:
    """Whether a file can be written and locked in a folder: permissions show neither sandboxes nor full disks."""
    probe = home / f".probe-{secrets.token_hex(4)}"
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(probe, "xb", buffering=0, opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            return file.write(_PROBE) == len(_PROBE) and try_lock(file.fileno())
    except (FileExistsError, NotADirectoryError):
        return True  # not a sandbox: a file is in the way, and opening the index will report it
    except OSError:
        return False
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()


def _copy(home: Path, folder: Folder) -> Path | None:
    place = _temporary(folder.root, folder.env)
    if place is None:
        return None
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    try:
        generation = (home / "current").read_text(encoding="ascii").strip()
        if sum(file.stat().st_size for file in (home / generation).rglob("*") if file.is_file()) > _MOST_BYTES:
            return None
        for kept in home.glob("calibration-*.json"):
            shutil.copyfile(kept, place / kept.name)
        (place / generation).mkdir(mode=0o700)
        for each in (home / generation).rglob("*"):  # not copytree: it would make the copy's folders read-only, too
            target = place / each.relative_to(home)
            target.mkdir(mode=0o700) if each.is_dir() else shutil.copyfile(each, target)
        (place / "current").write_text(generation, encoding="ascii")
    except (OSError, ValueError):  # no index yet, or it is just being replaced: build it from the files
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(mode=0o700)
    return place


def _temporary(root: Path, env: Mapping[str, str]) -> Path | None:
    own = root / OWN
    places = [env.get("TMPDIR"), "/tmp", "/var/tmp", None if own.is_symlink() else str(own)]
    for place in places:
        try:
            if place:
                _clear(Path(place))
                return Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        except OSError:
            continue
    return None


def _clear(place: Path) -> None:
    """Remove what killed processes left."""
    for left in place.glob(f"{_PREFIX}*"):
        found = left.lstat()
        if found.st_uid == os.getuid() and time.time() - found.st_mtime > _LEFT_SECONDS and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
