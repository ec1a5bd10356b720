"""Starting and ending the daemon of a vault, from the outside."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vault_mem.client import connect
from vault_mem.daemon import protocol
from vault_mem.vault.folder import OWN
from vault_mem.vault.lock import try_lock
from vault_mem.vault.tree import Tree

START_SECONDS = 15.0  # a daemon listens before it loads anything; past this, something is wrong
END_SECONDS = 35.0  # it finishes what it is writing first
_POLL_SECONDS = 0.01
# The lock that a vault's daemon holds as long as it lives; the file tells its process, and where it listens.
LIFE_LOCK = f"{OWN}/daemon.lock"


@dataclass(frozen=True)
class Elsewhere:
    """A daemon that was started with another folder for sockets, where nobody with ours can meet it."""

    pid: int
    folder: str


def elsewhere(root: str, place: str) -> Elsewhere | None:
    """The daemon of this vault, if one lives and does not listen at `place`."""
    if not alive(root):
        return None
    try:
        told = json.loads(Tree(Path(root)).read(LIFE_LOCK) or b"")
        pid, other = int(told["pid"]), str(told["place"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Elsewhere(pid, os.path.dirname(other)) if other != place else None  # noqa: PTH120


def alive(root: str) -> bool:
    """Whether a daemon of this vault lives, listening or not."""
    try:
        with Tree(Path(root)).opened(LIFE_LOCK, os.O_RDWR) as handle:
            return not try_lock(handle)
    except OSError:  # nobody has ever held it, or the file system has no locks and so no daemon
        return False


def await_end(root: str, seconds: float = START_SECONDS) -> bool:
    """Wait until no daemon of this vault lives any more; whether that came true in time."""
    deadline = time.monotonic() + seconds
    while alive(root):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def start(root: str, place: str, *, automatic: bool, env: Mapping[str, str] = os.environ) -> bool:
    """Have a daemon listen at `place`; however many ask at once, one of them starts it. Whether there is one now."""
    try:
        handle = os.open(place + ".start", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return False
    try:
        deadline = time.monotonic() + START_SECONDS
        while not try_lock(handle):
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)
        connection = connect(place)
        if connection is not None:  # another was faster
            connection.close()
            return True
        return _spawn(root, automatic, env)
    except OSError:
        return False
    finally:
        os.close(handle)


def _spawn(root: str, automatic: bool, env: Mapping[str, str]) -> bool:
    """Start a process of its own that outlives us; whether it said that it listens."""
    kept = {name: value for name, value in env.items() if name not in ("VAULT_MEM_NOW", "VAULT_MEM_VAULT")}
    reading, writing = os.pipe()
    try:
        command = [sys.executable, "-P", "-m", "vault_mem.daemon", root, "--ready", str(writing)]
        subprocess.Popen(
            [*command, "--automatic"] if automatic else command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=kept,
            pass_fds=[writing],
            start_new_session=True,
        )
        os.close(writing)
        writing = -1
        ready, _, _ = select.select([reading], [], [], START_SECONDS)
        return bool(ready) and os.read(reading, 1) == b"1"
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)


def control(place: str, word: str) -> bytes | None:
    """Ask the daemon at `place` something about itself; None where there is none."""
    connection = connect(place)
    if connection is None:
        return None
    try:
        connection.sendall(protocol.message(protocol.CONTROL, word.encode()))
        answer = protocol.Messages(connection).next()
    except OSError:
        return None
    finally:
        connection.close()
    return answer[1] if answer else None


def stop(root: str, place: str) -> bool:
    """End the daemon of a vault, after what it is writing; whether it ended. One that is elsewhere goes on."""
    if control(place, "stop") is None and elsewhere(root, place) is not None:
        return False
    return await_end(root, END_SECONDS)
