"""Starting the daemon, ending it, and asking it about itself, from the outside."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from vault_mem.client import connect
from vault_mem.daemon import protocol
from vault_mem.vault.lock import try_lock

START_SECONDS = 15.0  # a daemon listens before it loads anything; past this, something is wrong
END_SECONDS = 35.0  # it finishes what it is writing first
_POLL_SECONDS = 0.01
# The environment that Python itself needs. Anything else comes with each command: what one
# client has in its environment is not for the others to see.
_OWN_ENVIRONMENT = (
    *("HOME", "USER", "LANG", "LC_", "TZ", "PATH", "TMPDIR", "XDG_", "VAULT_MEM_RUNTIME_DIR", "VAULT_MEM_PACE"),
    *("HF_HOME", "HF_HUB_", "HTTP_", "HTTPS_", "NO_PROXY", "http_", "https_", "no_proxy", "SSL_"),
    *("PYTHON", "LD_", "DYLD_", "LANCE", "OPENBLAS_", "MALLOC_", "RUST_"),
)


def running(address: str) -> bool:
    """Whether a daemon lives there, listening or not."""
    try:
        handle = os.open(address + ".lock", os.O_RDWR)
    except OSError:
        return False
    try:
        return not try_lock(handle)
    finally:
        os.close(handle)


def await_end(address: str, seconds: float = START_SECONDS) -> bool:
    """Wait until the daemon that listened there has ended; returns whether it did in time."""
    return comes_true(lambda: not running(address), seconds)


def comes_true(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait for a condition; returns whether it came true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def start(address: str, env: Mapping[str, str] = os.environ) -> bool:
    """Make sure a daemon listens at `address`, started once however many ask. Returns whether there is one now."""
    try:
        handle = os.open(address + ".start", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return False
    try:
        if not comes_true(lambda: try_lock(handle), START_SECONDS):
            return False
        connection = connect(address)
        if connection is not None:  # another was faster
            connection.close()
            return True
        return _spawn(address, env)
    except OSError:
        return False
    finally:
        os.close(handle)


def _spawn(address: str, env: Mapping[str, str]) -> bool:
    """Start a process that outlives us; returns whether it said that it listens."""
    reading, writing = os.pipe()
    try:
        subprocess.Popen(
            [sys.executable, "-P", "-m", "vault_mem.daemon", "--address", address, "--ready", str(writing)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={name: value for name, value in env.items() if name.startswith(_OWN_ENVIRONMENT)},
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


def control(address: str, word: str, root: str = "", env: Mapping[str, str] | None = None) -> dict[str, Any] | None:
    """Send a CONTROL message to the daemon at `address`; returns its status, or None if there is no daemon."""
    connection = connect(address)
    if connection is None:
        return None
    try:
        connection.settimeout(END_SECONDS)
        connection.sendall(protocol.control(word, root, env))
        answer = protocol.Messages(connection).next()
        status = dict(json.loads(answer[1])) if answer else None
    except (OSError, ValueError):
        return None
    finally:
        connection.close()
    if status is not None and "vaults" not in status:  # an older version, with one vault per daemon
        status |= {"vaults": [status | {"unused_seconds": 0}], "ending": word == protocol.STOP}
    return status
