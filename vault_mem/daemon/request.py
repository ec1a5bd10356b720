"""One request: a command line, run with the console of a client in another process."""

from __future__ import annotations

import io
import os
import queue
import socket
import threading
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from vault_mem.cli.console import Console
from vault_mem.daemon import protocol

if TYPE_CHECKING:
    from vault_mem.library import Vault
    from vault_mem.operations.workspace import Workspace


def environment(pairs: Iterable[str]) -> dict[str, str]:
    """An environment that was sent as `NAME=VALUE`."""
    return {name: value for name, _, value in (each.partition("=") for each in pairs)}


class ClientRequest:
    """A command line as it came from a client."""

    def __init__(self, content: bytes) -> None:
        parts = content.split(b"\0")
        self.version, self.id, cwd, width, terminal, count = map(os.fsdecode, parts[:6])
        self.cwd = Path(cwd)
        self.width = int(width)
        self.terminal = terminal
        self.env = environment(map(os.fsdecode, parts[6 : 6 + int(count)]))
        self.arguments = [os.fsdecode(each) for each in parts[6 + int(count) :]]

    @property
    def command(self) -> str:
        """The command's name, if it is one of ours."""
        from vault_mem.register import command_of

        return command_of(self.arguments)


class ClientConnection:
    """The connection to one client: input on demand, output in order, and whether it still wants the answer."""

    def __init__(self, connection: socket.socket, messages: protocol.Messages) -> None:
        self._connection = connection
        self._messages = messages
        self._input: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._held: list[tuple[bytes, str]] = []
        self.cancelled = threading.Event()
        threading.Thread(target=self._listen, name="listener", daemon=True).start()

    def _listen(self) -> None:
        try:
            while (received := self._messages.next()) is not None:
                kind, content = received
                if kind == protocol.CANCEL:
                    break
                if kind == protocol.STDIN:
                    self._input.put(content)
        except OSError:
            pass
        self.cancelled.set()
        self._input.put(None)

    def read(self) -> bytes:
        """All of the client's standard input."""
        self._send(protocol.WANT_STDIN, b"")
        parts: list[bytes] = []
        while part := self._input.get():
            parts.append(part)
        if part is None:  # the client is gone before the end of its input: half a text must not be acted on
            raise KeyboardInterrupt
        return b"".join(parts)

    def write(self, kind: bytes, text: str) -> None:
        """Output; the answer is held back until the command has ended, so a slow reader does not hold up others."""
        if kind == protocol.STDERR and not self._held:
            self._send(kind, text.encode(errors="replace"))
        else:
            self._held.append((kind, text))

    def finish(self, code: int) -> None:
        """Send what was held back, then the exit code."""
        for kind, text in self._held:
            self._send(kind, text.encode(errors="replace"))
        self._send(protocol.EXIT, str(code).encode())

    def _send(self, kind: bytes, content: bytes) -> None:
        try:
            for start in range(0, max(len(content), 1), protocol.CHUNK):
                self._connection.sendall(protocol.message(kind, content[start : start + protocol.CHUNK]))
        except OSError:
            self.cancelled.set()


class _Output(io.TextIOBase):
    """A command's stdout or stderr."""

    def __init__(self, line: ClientConnection, kind: bytes) -> None:
        self._line = line
        self._kind = kind

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._line.write(self._kind, text)
        return len(text)


class _Input(io.RawIOBase):
    """A command's stdin, asked of the client when it is read."""

    def __init__(self, line: ClientConnection) -> None:
        self._line = line

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._line.read()


def run(
    request: ClientRequest,
    line: ClientConnection,
    opening: Callable[[Console, str], Vault],
    lending: Callable[[Console, Path], Workspace],
) -> tuple[int, bool]:
    """Run a request's command line; returns its exit code and whether it ended well.

    `opening` gives the vault that it means, `lending` others that answer too.
    """
    from vault_mem.cli.main import run as run_command

    console = Console(
        cwd=request.cwd,
        env=request.env,
        stdin=_Input(line),  # type: ignore[arg-type]
        stdout=_Output(line, protocol.STDOUT),  # type: ignore[arg-type]
        stderr=_Output(line, protocol.STDERR),  # type: ignore[arg-type]
        width=request.width,
        interactive="i" in request.terminal,
        terminal="t" in request.terminal,
        colour="c" in request.terminal,
        shows_links="l" in request.terminal,
        request=request.id,
        opening=opening,
        lending=lending,
        cancelled=line.cancelled.is_set,
    )
    try:
        code = run_command(request.arguments, console)
    except Exception:  # raised only if the client asked for the whole trace
        line.write(protocol.STDERR, traceback.format_exc())
        code = 1
    return code, not console.broken_off
