"""The vaults that the daemon has open: each is opened by the first request for it, and closed when it is unused.

No vault's files are touched while the list is locked, so that no vault waits for another's disk.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault_mem.daemon.start import START_SECONDS

if TYPE_CHECKING:
    from vault_mem.daemon.engine import Engine
    from vault_mem.vault.folder import Folder

_AGAIN_SECONDS = 30.0  # before trying again to open a vault that another daemon keeps
_END_SECONDS = 2.0  # for background work to end, once all commands have
_POLL_SECONDS = 0.05
# Variables that concern a single command.
_OF_ONE_COMMAND = ("VAULT_MEM_NOW", "VAULT_MEM_VAULT")


@dataclass
class _Entry:
    """One vault's place in the list, which stays there when the vault is closed."""

    lock: threading.Lock = field(default_factory=threading.Lock)  # held while it is looked at or opened
    engine: Engine | None = None
    not_before: float = 0.0


class Vaults:
    """The open vaults of one process. `own_env` fills in what a client's environment may lack."""

    def __init__(self, address: str, own_env: Mapping[str, str]) -> None:
        self._address = address
        self._own_env = {name: own_env[name] for name in ("HOME", "PATH", "LANG", "TZ") if name in own_env}
        self._lock = threading.Lock()
        self._entries: dict[Path, _Entry] = {}
        self._numbers = itertools.count()

    def borrow(self, folder: Folder, check: Callable[[], None] = lambda: None) -> Engine | None:
        """The open vault, to be given back; None if the command has to open its own.

        It has to if it wants another index or model than the first command did, or if another daemon keeps the vault.
        """
        with self._lock:
            entry = self._entries.setdefault(folder.root, _Entry())
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            check()
            if entry.lock.acquire(timeout=_POLL_SECONDS):
                try:
                    engine = self._engine(entry, folder)
                finally:
                    entry.lock.release()
                if engine is None or not engine.serves(folder):
                    return None
                if engine.borrow():
                    return engine
                engine.ended.wait(_POLL_SECONDS)  # it is closing: open it again afterwards
        return None

    def _engine(self, entry: _Entry, folder: Folder) -> Engine | None:
        """The vault's engine, made if necessary; called by one thread at a time."""
        engine = entry.engine
        if engine is not None and engine.gone:  # another vault is at this path now
            engine.end("the vault is gone")
            engine = None
        if engine is None and time.monotonic() >= entry.not_before:
            engine = self._start_engine(folder)
            with self._lock:
                entry.engine = engine
            if engine is None:
                entry.not_before = time.monotonic() + _AGAIN_SECONDS
        return engine

    def _start_engine(self, folder: Folder) -> Engine | None:
        from vault_mem.daemon.engine import Engine
        from vault_mem.daemon.holding import hold, release
        from vault_mem.vault.folder import Folder

        lock = hold(folder.root, self._address, self._wake)
        if lock is None:
            return None
        lasting = {name: value for name, value in folder.env.items() if name not in _OF_ONE_COMMAND}
        cookies = Path(f"{self._address}.cookies", str(next(self._numbers)))
        try:
            engine = Engine(Folder(folder.root, self._own_env | lasting), lock, cookies, self._forget)
            engine.start()
        except BaseException:
            release(lock)
            raise
        return engine

    def keep(self, folder: Folder) -> None:
        """Open a vault at once and keep it open, used or not."""
        engine = self.borrow(folder)
        if engine is not None:
            engine.kept = True
            engine.give_back()
            engine.index_soon()

    def quiet_soon(self, folder: Folder) -> None:
        """Do a vault's quiet work soon."""
        engine = self.borrow(folder)
        if engine is not None:
            engine.quiet_soon()
            engine.give_back()

    def engines(self) -> list[Engine]:
        """All that are open."""
        with self._lock:
            return [entry.engine for entry in self._entries.values() if entry.engine is not None]

    def find(self, root: Path) -> Engine | None:
        """The engine of a vault that is open."""
        return next((engine for engine in self.engines() if engine.root == root), None)

    def status(self) -> list[dict[str, Any]]:
        """The status of each."""
        return [engine.status() for engine in self.engines()]

    def end(self) -> None:
        """Close all, without waiting for long."""
        engines = self.engines()
        for engine in engines:
            engine.end("the daemon ends")
        deadline = time.monotonic() + _END_SECONDS
        for engine in engines:
            engine.ended.wait(max(0.0, deadline - time.monotonic()))

    def _wake(self) -> None:
        for engine in self.engines():
            engine.wake()

    def _forget(self, ended: Engine) -> None:
        with self._lock:
            for entry in self._entries.values():
                if entry.engine is ended:
                    entry.engine = None
        from vault_mem.operations.standby import release_memory

        release_memory()
