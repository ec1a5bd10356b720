"""Which daemon has a vault open: it holds a lock file in the vault, which says where to find it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vault_mem import __version__
from vault_mem.daemon import protocol
from vault_mem.daemon.protocol import LIFE_LOCK
from vault_mem.daemon.start import START_SECONDS, comes_true, control
from vault_mem.vault import machine_folder
from vault_mem.vault.folder import OWN
from vault_mem.vault.lock import try_lock
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE, Tree

_HAND_OVER_SECONDS = START_SECONDS / 2  # another daemon finishes what it is writing first


@dataclass(frozen=True)
class Holder:
    """A daemon that says it has a vault open."""

    pid: int
    address: str
    version: str  # empty: a version in which each vault had its own daemon

    @property
    def folder(self) -> str:
        """Where its socket is."""
        return os.path.dirname(self.address)  # noqa: PTH120


def alive(root: str) -> bool:
    """Whether a daemon has this vault open."""
    try:
        with Tree(Path(root)).opened(LIFE_LOCK, os.O_RDWR) as handle:
            return not try_lock(handle)
    except OSError:  # never held, or the file system has no locks and so no daemon
        return False


def await_end(root: str) -> bool:
    """Wait until no daemon has this vault open any more; returns whether it came true in time."""
    return comes_true(lambda: not alive(root), START_SECONDS)


def holder_elsewhere(root: str, folder: str) -> Holder | None:
    """The daemon that has this vault open, if its socket is in another folder, where we cannot reach it."""
    holder = _holder(root) if alive(root) else None
    return holder if holder is not None and holder.folder != folder else None


def address_of_holder(root: str, own: str) -> tuple[str, str]:
    """The address of the daemon, of any version, that has this vault open, and the vault to name to it.

    If there is none, or we cannot reach it, that is our `own` address. To an older daemon, which has only one vault, no
    vault is named.
    """
    holder = _holder(root) if alive(root) else None
    if holder is None or holder.folder != os.path.dirname(own):  # noqa: PTH120
        return own, root
    return holder.address, root if holder.version else ""


def hold(root: Path, address: str, wake: Callable[[], None]) -> int | None:
    """Take a vault's lock, as the one daemon that has it open, and write into it where we listen; None if we cannot.

    A daemon that we can reach is asked to close the vault. `wake` makes our own engines check whether theirs are gone.
    """
    tree = Tree(root)
    try:
        machine_folder.read(tree, LIFE_LOCK)  # sets aside anything but a regular file
        tree.make_folder(OWN, PRIVATE_FOLDER_MODE)
        handle = tree.open(LIFE_LOCK, os.O_RDWR | os.O_CREAT, PRIVATE_MODE)
    except OSError:
        return None
    try:
        held = try_lock(handle)
        if not held and _asked_to_leave(str(root), address, wake):
            held = comes_true(lambda: try_lock(handle), _HAND_OVER_SECONDS)
    except OSError:
        held = False
    if not held:
        os.close(handle)
        return None
    _write(handle, json.dumps({"pid": os.getpid(), "place": address, "version": __version__}))
    return handle


def release(handle: int) -> None:
    """Let a vault go."""
    _write(handle, "")
    os.close(handle)


def _asked_to_leave(root: str, address: str, wake: Callable[[], None]) -> bool:
    """Ask the daemon that has this vault open to close it; returns whether it may do so."""
    holder = _holder(root)
    if holder is None or holder.address == address:
        wake()
        return True
    if holder.folder != os.path.dirname(address):  # noqa: PTH120
        return False
    return control(holder.address, protocol.STOP, root if holder.version else "") is not None


def _holder(root: str) -> Holder | None:
    try:
        record = json.loads(Tree(Path(root)).read(LIFE_LOCK) or b"")
        return Holder(int(record["pid"]), str(record["place"]), str(record.get("version", "")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _write(handle: int, text: str) -> None:
    with contextlib.suppress(OSError):  # a full disk
        os.truncate(handle, 0)
        os.pwrite(handle, text.encode(), 0)
