"""The daemon's process: it listens, runs each request in a thread of its own, and ends without losing anything."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import selectors
import signal
import socket
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from vault_mem import __version__
from vault_mem.daemon import protocol
from vault_mem.daemon.log import open_log, place_of
from vault_mem.daemon.request import Line, Request, run
from vault_mem.daemon.start import LIFE_LOCK, START_SECONDS
from vault_mem.vault import own
from vault_mem.vault.folder import OWN
from vault_mem.vault.lock import try_lock
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE, Tree

if TYPE_CHECKING:
    from vault_mem.cli.console import Console
    from vault_mem.daemon.engine import Engine, Loan
    from vault_mem.library import Vault

GRACE_SECONDS = 30.0  # what is being written is finished first
_LOOK_SECONDS = 2.0
_FIRST_WORD_SECONDS = 10.0


class Server:
    """One daemon, from listening to the end."""

    def __init__(self, root: Path, place: str, *, automatic: bool, idle_seconds: float) -> None:
        self.root = root
        self._place = place
        self._automatic = automatic
        self._idle_seconds = idle_seconds
        self._started = time.time()
        self._engine: Engine | None = None
        self._engine_lock = threading.Lock()
        self._stopping = threading.Event()
        self._running = 0
        self._served = 0
        self._lock = threading.Lock()
        self._last = time.monotonic()
        self._wake_reader, self._wake_writer = os.pipe()
        self._log = logging.getLogger("vault_mem.daemon")

    def serve(self, ready: int | None) -> int:
        """Listen until told to end; returns the exit code of the process."""
        lock = _hold(self.root, self._place)
        if lock is None:
            return 3
        open_log(self.root)
        try:
            listener = _listen(self._place)
        except OSError as error:
            self._log.error("cannot listen: %s", place_of(error))
            return 1
        try:
            self._describe()
            signals = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
            for number in signals:
                signal.signal(number, lambda *_: self.stop("signal"))
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)  # who started us may have held them back
            self._log.info("started: version %s, pid %d%s", __version__, os.getpid(), " (automatic)" * self._automatic)
            if ready is not None:
                os.write(ready, b"1")
                os.close(ready)
            if not self._automatic:
                threading.Thread(target=self._warm, name="warm", daemon=True).start()
            self._accept(listener)
        finally:
            listener.close()
            self._clear(Path(self._place + ".sock"), Path(self._place + ".json"))
        self._finish()
        self._log.info("ended after %d request(s)", self._served)
        os.close(lock)
        return 0

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
                for key, _ in selector.select(_LOOK_SECONDS):
                    if key.fileobj is listener:
                        try:
                            connection, _ = listener.accept()
                        except OSError:  # too many open files, or a client that has left already
                            time.sleep(0.01)
                            continue
                        threading.Thread(target=self._serve, args=(connection,), name="request", daemon=True).start()
                self._look()

    def _look(self) -> None:
        """End where nobody needs us, or there is nothing left to keep."""
        idle = time.monotonic() - self._last
        if not (self.root / "vault-mem.toml").exists() or (self._engine is not None and self._engine.gone):
            self.stop("the vault is gone")
        elif not os.path.exists(self._place + ".sock"):  # noqa: PTH110
            self.stop("the socket is gone")
        elif self._automatic and not self._running and idle > self._idle_seconds:
            self.stop("idle")

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
                    self._control(connection, first[1])
                elif first is not None and first[0] == protocol.REQUEST:
                    self._answer(connection, messages, Request(first[1]))
        except Exception as error:
            self._log.error("request: %s", place_of(error))

    def _control(self, connection: socket.socket, word: bytes) -> None:
        if word == protocol.INBOX:
            self.engine().quiet_soon()
            return
        if word == b"stop":
            self.stop("asked to")
        connection.sendall(protocol.message(protocol.STDOUT, json.dumps(self._status()).encode()))

    def _answer(self, connection: socket.socket, messages: protocol.Messages, request: Request) -> None:
        if request.version != __version__:
            self.stop("a client of another version")
            connection.sendall(protocol.message(protocol.OTHER_VERSION, __version__.encode()))
            return
        with self._lock:
            taken = not self._stopping.is_set()
            self._running += taken
        if not taken:
            connection.sendall(protocol.message(protocol.ENDING))
            return
        try:
            connection.sendall(protocol.message(protocol.ACCEPTED))  # from here on it is done, whoever waits for it
            self._run(Line(connection, messages), request)
        finally:
            with self._lock:
                self._running -= 1
                self._served += 1
                self._last = time.monotonic()
            if self._stopping.is_set():
                os.write(self._wake_writer, b"!")

    def _run(self, line: Line, request: Request) -> None:
        started = time.perf_counter()
        loan = _Later(self, request)
        sound = False
        try:
            code, sound = run(request, line, loan.open)
        finally:
            loan.end(sound=sound)
        taken = (time.perf_counter() - started) * 1000
        line.finish(code)
        self._log.info("%s %s: exit %d, %.0f ms", request.id, request.command or "-", code, taken)

    def engine(self) -> Engine:
        """The open vault; made by whoever needs it first, so that listening does not wait for its imports."""
        with self._engine_lock:
            if self._engine is None:
                from vault_mem.daemon.engine import Engine

                engine = Engine(self.root, os.environ, Path(self._place + ".cookies"))
                engine.watcher.start()
                threading.Thread(target=engine.run, args=(self._stopping.is_set,), name="quiet", daemon=True).start()
                self._engine = engine
            return self._engine

    def _warm(self) -> None:
        try:
            self.engine().index_soon()
        except Exception as error:
            self._log.error("warming up: %s", place_of(error))

    def _finish(self) -> None:
        """Let running commands end; a new daemon starts only after that."""
        deadline = time.monotonic() + GRACE_SECONDS
        while self._running and time.monotonic() < deadline:
            time.sleep(0.01)
        if self._engine is not None:
            self._engine.watcher.stop()

    def _status(self) -> dict[str, object]:
        engine = self._engine
        return {
            "vault": str(self.root),
            "pid": os.getpid(),
            "version": __version__,
            "automatic": self._automatic,
            "uptime_seconds": round(time.time() - self._started, 1),
            "requests": self._served,
            "at_work": self._running,
            "watching": "starting" if engine is None else "events" if engine.watcher.by_events else "scans",
            "private_seen": 0 if engine is None else len(engine.watcher.flags),
            "memory_bytes": _resident(),
        }

    def _describe(self) -> None:
        """Leave a note beside the socket for `daemon status --all`."""
        path = Path(self._place + ".json")
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump({"vault": str(self.root), "pid": os.getpid()}, file)

    @staticmethod
    def _clear(*paths: Path) -> None:
        for path in paths:
            path.unlink(missing_ok=True)


class _Later:
    """A loan from an engine that is made only when the command opens its vault."""

    def __init__(self, server: Server, request: Request) -> None:
        self._server = server
        self._request = request
        self._loan: Loan | None = None

    def open(self, console: Console, what: str) -> Vault:
        from vault_mem.daemon.engine import Loan

        if self._loan is None:
            self._loan = Loan(self._server.engine(), self._request)
        return self._loan.open(console, what)

    def end(self, *, sound: bool) -> None:
        if self._loan is not None:
            self._loan.end(sound=sound)


def _hold(root: Path, place: str) -> int | None:
    """Hold the lock of the one daemon that a vault has, and say in it where we listen; None where another keeps it."""
    tree = Tree(root)
    try:
        own.read(tree, LIFE_LOCK)  # what is not a file is out of the way then
        tree.make_folder(OWN, PRIVATE_FOLDER_MODE)
        handle = tree.open(LIFE_LOCK, os.O_RDWR | os.O_CREAT, PRIVATE_MODE)
    except OSError:
        return None
    deadline = time.monotonic() + START_SECONDS / 2
    try:
        while not try_lock(handle):  # one that is just ending makes way
            if time.monotonic() > deadline:
                os.close(handle)
                return None
            time.sleep(0.02)
    except OSError:
        os.close(handle)
        return None
    with contextlib.suppress(OSError):  # a full disk
        os.truncate(handle, 0)
        os.write(handle, json.dumps({"pid": os.getpid(), "place": place}).encode())
    return handle


def _listen(place: str) -> socket.socket:
    """Listen, where only our own user can reach; what a killed daemon left there is taken away."""
    path = place + ".sock"
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
