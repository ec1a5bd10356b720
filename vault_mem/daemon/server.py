"""The daemon's process: it listens, runs each request in a thread of its own, and ends without losing anything."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import selectors
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault_mem import __version__
from vault_mem.daemon import protocol
from vault_mem.daemon.log import open_process_log, place_of
from vault_mem.daemon.request import ClientConnection, ClientRequest, environment, run
from vault_mem.daemon.start import END_SECONDS, START_SECONDS, comes_true, control
from vault_mem.daemon.vaults import Vaults
from vault_mem.vault import clock
from vault_mem.vault.lock import try_lock

if TYPE_CHECKING:
    from vault_mem.cli.console import Console
    from vault_mem.daemon.engine import Engine, Loan
    from vault_mem.library import Vault
    from vault_mem.operations.workspace import Workspace
    from vault_mem.vault.folder import Folder

GRACE_SECONDS = 30.0  # what is being written is finished first
_LOOK_SECONDS = 2.0
# A request that waits for its standard input has no vault, and is not waited for longer than this.
_LOAN_SECONDS = 3.0
_FIRST_WORD_SECONDS = 10.0
_EMPTY_SECONDS = 5.0  # without any vault there is little to wait for


class Server:
    """One daemon, from listening to the end."""

    def __init__(self, address: str, env: Mapping[str, str]) -> None:
        self._address = address
        self._env = env
        self._vaults = Vaults(address, env)
        self._started = time.time()
        self._stopping = threading.Event()
        self._running = 0
        self._accepted: set[int] = set()  # requests that have no vault yet
        self._served = 0
        self._lock = threading.Lock()
        self._last = clock.monotonic()
        self._wake_reader, self._wake_writer = os.pipe()
        self._log = logging.getLogger("vault_mem.daemon")

    def serve(self, ready: int | None, keep: Sequence[str] = ()) -> int:
        """Listen until told to end; returns the exit code of the process. The vaults to `keep` are opened at once."""
        lock, taken_over = _take_lock(self._address, wanted=bool(keep))
        if lock is None:
            return 3
        self._log = open_process_log(self._address)
        shutil.rmtree(f"{self._address}.cookies", ignore_errors=True)  # of a daemon that was killed
        try:
            listener = _listen(self._address)
        except OSError as error:
            self._log.error("cannot listen: %s", place_of(error))
            return 1
        try:
            self._describe()
            signals = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
            for number in signals:
                signal.signal(number, lambda *_: self.stop("signal"))
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)  # whoever started us may have blocked them
            self._log.info("started: version %s, pid %d", __version__, os.getpid())
            if ready is not None:
                os.write(ready, b"1")
                os.close(ready)
            for root in dict.fromkeys([*keep, *taken_over]):
                threading.Thread(target=self._keep, args=(root, self._env), name="keep", daemon=True).start()
            self._accept(listener)
        finally:
            listener.close()
            for ending in (".sock", ".json"):
                Path(self._address + ending).unlink(missing_ok=True)
        self._finish()
        shutil.rmtree(f"{self._address}.cookies", ignore_errors=True)
        self._log.info("ended after %d request(s)", self._served)
        return 0  # our locks end with the process: until then, background work may still be running

    def stop(self, why: str) -> None:
        """End soon."""
        if not self._stopping.is_set():
            self._stopping.set()
            self._log.info("ending: %s", why)
            os.write(self._wake_writer, b"!")

    def _accept(self, listener: socket.socket) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)
            selector.register(self._wake_reader, selectors.EVENT_READ)
            while not self._stopping.is_set():
                for key, _ in selector.select(clock.real(_LOOK_SECONDS)):
                    if key.fileobj is listener:
                        try:
                            connection, _ = listener.accept()
                        except OSError:  # too many open files, or a client that has left already
                            time.sleep(0.01)
                            continue
                        threading.Thread(target=self._serve, args=(connection,), name="request", daemon=True).start()
                self._look()

    def _look(self) -> None:
        """End if we are no longer needed. No vault is read here: its disk may hang."""
        if not os.path.exists(self._address + ".sock"):  # noqa: PTH110
            self.stop("the socket is gone")
        elif self._running or self._vaults.engines():
            self._last = clock.monotonic()
        elif clock.monotonic() - self._last > _EMPTY_SECONDS:
            self.stop("no vault is open")

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                if protocol.peer_uid(connection) not in (os.getuid(), -1):
                    self._log.warning("refused another user's process")
                    return
                connection.settimeout(_FIRST_WORD_SECONDS)
                messages = protocol.Messages(connection)
                first = messages.next()
                connection.settimeout(None)
                if first is not None and first[0] == protocol.CONTROL:
                    self._control(connection, *map(os.fsdecode, first[1].split(b"\0")))
                elif first is not None and first[0] == protocol.REQUEST:
                    self._answer(connection, messages, ClientRequest(first[1]))
        except Exception as error:
            self._log.error("request: %s", place_of(error))

    def _control(self, connection: socket.socket, word: str, root: str = "", *env: str) -> None:
        if word == protocol.INBOX:
            with self._at_work():
                self._vaults.quiet_soon(_folder(root, environment(env)))
            return
        if word == protocol.KEEP:
            self._keep(root, environment(env))
        elif word == protocol.STOP:
            self._close_vault(root)
        connection.sendall(protocol.message(protocol.STDOUT, json.dumps(self._status(root)).encode()))

    def _keep(self, root: str, env: Mapping[str, str]) -> None:
        try:
            with self._at_work():
                self._vaults.keep(_folder(root, env))
        except Exception as error:
            self._log.error("opening a vault: %s", place_of(error))

    def _close_vault(self, root: str) -> None:
        """Close one vault; if it is the last, or none is named, end the daemon."""
        engine = self._vaults.find(Path(root)) if root else None
        if not root or (engine is not None and self._vaults.engines() == [engine]):
            self.stop("asked to")
        elif engine is not None:
            # an accepted request that has no vault yet could open it again: wait for those
            accepted = set(self._accepted)
            comes_true(lambda: not accepted & self._accepted, _LOAN_SECONDS)
            engine.end("asked to")
            engine.ended.wait(GRACE_SECONDS)

    def _answer(self, connection: socket.socket, messages: protocol.Messages, request: ClientRequest) -> None:
        if request.version != __version__:  # this installation was updated: imports would now load another version
            self.stop("a client of another version")
            connection.sendall(protocol.message(protocol.OTHER_VERSION, __version__.encode()))
            return
        with self._at_work() as taken:
            if not taken:
                connection.sendall(protocol.message(protocol.ENDING))
                return
            self._accepted.add(id(request))
            try:
                connection.sendall(protocol.message(protocol.ACCEPTED))  # from here on it runs, client or not
                self._run(ClientConnection(connection, messages), request)
            finally:
                self._accepted.discard(id(request))
            self._served += 1

    @contextmanager
    def _at_work(self) -> Iterator[bool]:
        """Keep the daemon from ending during the block; false if it is ending already."""
        with self._lock:
            taken = not self._stopping.is_set()
            self._running += 1
        try:
            yield taken
        finally:
            with self._lock:
                self._running -= 1
                self._last = clock.monotonic()

    def _run(self, line: ClientConnection, request: ClientRequest) -> None:
        started = time.perf_counter()
        loans = _Loans(self._vaults, request, lambda: self._accepted.discard(id(request)))
        sound = False
        try:
            code, sound = run(request, line, loans.open, loans.lend)
        finally:
            taken = (time.perf_counter() - started) * 1000
            loans.end(sound=sound)
        line.finish(code)
        said = "%s %s: exit %d, %.0f ms"
        (loans.log or self._log).info(said, request.id, request.command or "-", code, taken)

    def _finish(self) -> None:
        """Let running commands end; a new daemon starts only after that."""
        comes_true(lambda: not self._running, GRACE_SECONDS)
        self._vaults.end()

    def _status(self, root: str) -> dict[str, Any]:
        """The daemon's status and its open vaults; a named one, if open, in full."""
        vaults = self._vaults.status()
        named = next((each for each in vaults if each["vault"] == root), {})
        own = {
            "pid": os.getpid(),
            "version": __version__,
            "uptime_seconds": round(time.time() - self._started, 1),
            "memory_bytes": _resident(),
            "ending": self._stopping.is_set(),
        }
        return own | {"requests": self._served, "at_work": self._running, **named, "vaults": vaults}

    def _describe(self) -> None:
        """Leave a note beside the socket for `daemon status --all`."""
        path = Path(self._address + ".json")
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump({"pid": os.getpid(), "version": __version__}, file)


class _Loans:
    """What one request has borrowed: of the vault that it means, and of others that it names."""

    def __init__(self, vaults: Vaults, request: ClientRequest, lent: Callable[[], None]) -> None:
        self._vaults = vaults
        self._request = request
        self._lent = lent
        self._loans: dict[Engine, Loan] = {}
        self._alone: list[Workspace] = []

    @property
    def log(self) -> logging.Logger | None:
        """The log of the first vault."""
        return next((engine.log for engine in self._loans), None)

    def open(self, console: Console, what: str) -> Vault:
        """The vault that a command means, by our own rules; opened just for this command if it cannot be lent."""
        from vault_mem.library import Vault
        from vault_mem.vault.find import find_vault
        from vault_mem.vault.folder import Folder
        from vault_mem.vault.interrupted import request_id

        console.check()
        request_id.set(console.request)
        folder = Folder(find_vault(console.vault, console.cwd, console.env), console.env)
        loan = self._loan(folder, console)
        return loan.open(folder, console, what) if loan else Vault.of(self._for_itself(folder, console, what))

    def lend(self, console: Console, root: Path) -> Workspace:
        """Another vault that answers too."""
        from vault_mem.vault.folder import Folder

        folder = Folder(root, console.env)
        loan = self._loan(folder, console)
        return loan.lend(folder, console) if loan else self._for_itself(folder, console, "Indexing")

    def _loan(self, folder: Folder, console: Console) -> Loan | None:
        from vault_mem.daemon.engine import Loan

        loan = next((loan for engine, loan in self._loans.items() if engine.serves(folder)), None)
        if loan is None and (engine := self._vaults.borrow(folder, console.check)) is not None:
            loan = self._loans[engine] = Loan(engine, self._request)
        self._lent()
        return loan

    def _for_itself(self, folder: Folder, console: Console, what: str) -> Workspace:
        from vault_mem.operations.workspace import Workspace

        self._alone.append(Workspace(folder, console.progress(what)))
        return self._alone[-1]

    def end(self, *, sound: bool) -> None:
        """Give everything back."""
        for workspace in self._alone:
            workspace.close()
        for loan in self._loans.values():
            loan.end(sound=sound)


def _folder(root: str, env: Mapping[str, str]) -> Folder:
    """A vault that a client named, found by our own rules."""
    from vault_mem.vault.find import find_vault
    from vault_mem.vault.folder import Folder

    return Folder(find_vault(root, Path("/"), env), env)


def _take_lock(address: str, *, wanted: bool) -> tuple[int | None, list[str]]:
    """Take the lock of the one daemon at an address; None if another keeps it.

    If the system or a person `wanted` this daemon, one that a command started makes way; the vaults that it was told to
    keep are returned.
    """
    handle = os.open(address + ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    with contextlib.suppress(OSError):
        if try_lock(handle):
            return handle, []
        status = control(address, protocol.STOP) if wanted else None
        kept = [each["vault"] for each in (status or {}).get("vaults", ()) if not each["automatic"]]
        # a daemon that is about to exit releases it
        if comes_true(lambda: try_lock(handle), END_SECONDS if wanted else START_SECONDS / 2):
            return handle, kept
    os.close(handle)
    return None, []


def _listen(address: str) -> socket.socket:
    """Listen where only our own user can connect; removes the socket of a daemon that was killed."""
    path = address + ".sock"
    Path(path).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(path)
        os.chmod(path, 0o600)  # noqa: PTH101
        listener.listen(256)
    except OSError:
        listener.close()
        raise
    return listener


def _resident() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
