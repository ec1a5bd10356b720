"""Vaults with a daemon of their own, and ways to talk to it: as the command does, or over the socket itself."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from conftest import Answer, Command

from vault_mem import Vault, __version__
from vault_mem.daemon import protocol

PATIENCE = 60.0  # how long a test waits for something that an idle machine does at once


class Served(Command):
    """The command of a vault, run through its daemon."""

    @property
    def root(self) -> Path:
        return self.cwd

    @property
    def address(self) -> str:
        return protocol.address_for(str(self.root), self.env)

    def start(self, *arguments: str, **options) -> subprocess.Popen[bytes]:
        """Start the command as a process, while the test goes on."""
        return subprocess.Popen(
            [sys.executable, "-m", "vault_mem", *map(str, arguments)],
            cwd=self.cwd,
            env={**os.environ, **self.env},
            stdin=options.get("stdin", subprocess.PIPE),
            stdout=subprocess.PIPE,
            stderr=options.get("stderr", subprocess.PIPE),
        )

    def in_process(self, *arguments: str, **options) -> Answer:
        return self.spawn(*arguments, env={"VAULT_MEM_DAEMON": "off"}, **options)

    def pid(self) -> int | None:
        """The process id of the daemon that has the vault open, if there is one."""
        if not self.alive():
            return None
        with contextlib.suppress(OSError, ValueError):
            return int(json.loads(Path(self.address + ".json").read_text())["pid"])
        return None

    def alive(self) -> bool:
        try:
            handle = os.open(self.root / ".vault-mem/daemon.lock", os.O_RDWR)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
        return False

    def kill(self) -> None:
        pid = self.pid()
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            wait_for(lambda: not self.alive())

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(PATIENCE)
        connection.connect(self.address + ".sock")
        return connection

    def send(self, *arguments: str, id_: str = "0123456789abcdef", version: str = __version__) -> socket.socket:
        """Send a request over the socket, without waiting for the answer."""
        environment = [f"{name}={value}" for name, value in self.env.items() if name.startswith(("VAULT_", "HOME"))]
        parts = [version, id_, str(self.root), "80", "", str(len(environment)), *environment, *map(str, arguments)]
        connection = self.connect()
        connection.sendall(protocol.message(protocol.REQUEST, b"\0".join(map(os.fsencode, parts))))
        return connection

    def ask(self, *arguments: str, **options) -> Answer:
        """Send a request and return its answer, without starting a process."""
        with self.send(*arguments, **options) as connection:
            return answer_on(connection)

    def ask_json(self, *arguments: str):
        return self.ask(*arguments, "--json").json

    def found(self, query: str, n: int = 5) -> list[str]:
        """The paths that recall finds; fails if the answer is stale."""
        answer = self.ask_json("recall", query, "-n", str(n))
        assert answer["stale"] is False
        return [each["path"] for each in answer["results"]]


def beside(command: Served, name: str, env: dict[str, str] | None = None) -> Served:
    """Make another vault, whose commands go through the same daemon."""
    root = command.root.with_name(name)
    Vault.init(root, env=command.env, timezone="Asia/Tokyo")
    return Served(root.resolve(), command.env | (env or {}))


def answer_on(connection: socket.socket) -> Answer:
    messages = protocol.Messages(connection)
    out, err = b"", b""
    while (received := messages.next()) is not None:
        kind, content = received
        if kind == protocol.STDOUT:
            out += content
        elif kind == protocol.STDERR:
            err += content
        elif kind == protocol.EXIT:
            return Answer(int(content), out.decode(), err.decode())
    raise AssertionError("no answer")


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    """An empty vault below `folder` whose commands go through a daemon; none is left behind."""
    home = folder / "home"
    home.mkdir(parents=True)
    # A socket's path must be short; pytest's folders are not.
    runtime = tempfile.mkdtemp(prefix="vm-", dir="/tmp")
    env = {
        "HOME": str(home),
        "PATH": os.environ.get("PATH", ""),
        "VAULT_MEM_INDEX_DIR": str(folder / "index"),
        "VAULT_MEM_RUNTIME_DIR": runtime,
        "VAULT_MEM_DEBUG": "1",
        "VAULT_MEM_DAEMON": "on",
    }
    root = folder / "vault"
    Vault.init(root, env=env, timezone="Asia/Tokyo")
    command = Served(root.resolve(), env)
    try:
        yield command
    finally:
        command.kill()
        shutil.rmtree(runtime, ignore_errors=True)


def open_things(process: Path) -> tuple[int, int]:
    """Open files and threads of a process, by its folder in /proc."""
    return len(list((process / "fd").iterdir())), len(list((process / "task").iterdir()))


def wait_for(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until it is true; fails if it never is."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def waits_for_input(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process has read all its input, and now waits for more."""
    left = bytearray(4)
    fcntl.ioctl(process.stdin.fileno(), termios.FIONREAD, left)
    return int.from_bytes(left, sys.byteorder) == 0
