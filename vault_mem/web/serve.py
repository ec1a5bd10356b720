"""Running the server, for this machine only, until Ctrl-C."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import sys
import threading
import time
import webbrowser
from types import FrameType

import uvicorn

from vault_mem.cli.console import Console
from vault_mem.errors import InvalidInput, VaultMemError
from vault_mem.web.answers import daemon
from vault_mem.web.app import application
from vault_mem.web.events import Hub
from vault_mem.web.gate import Gate
from vault_mem.web.vault import SeenVault

# How many seconds running requests have when the server ends.
_PATIENCE = 3
# How often quiet work runs after a change, in seconds.
_QUIET_EVERY = 15.0


class _Server(uvicorn.Server):
    """Also ends the event streams on shutdown, which would otherwise stay open forever."""

    def __init__(self, config: uvicorn.Config, hub: Hub) -> None:
        super().__init__(config)
        self._hub = hub

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal to shut down."""
        self._hub.stop()
        super().handle_exit(sig, frame)


def serve(console: Console, vault: str | None, port: int, *, browser: bool) -> int:
    """Serve the page until Ctrl-C; the first line printed is its address."""
    with contextlib.closing(_bound(port)) as listening:
        port = listening.getsockname()[1]
        opened = SeenVault(vault, watch=True, env=console.env, cwd=console.cwd)
        with opened:
            hub = Hub(opened)
            gate = Gate(application(opened, hub, japanese=_japanese(console), report=console.notice), port)
            address = _say(console, gate, port)
            console.notice("Press Enter for a new address (each works once, within a minute); Ctrl-C to stop.")
            hub.start()
            threading.Thread(target=_work_in_quiet, args=(opened, hub), daemon=True).start()
            threading.Thread(target=_on_enter, args=(console, gate, port), daemon=True).start()
            # without a display, a text browser would take over the terminal
            screen = sys.platform != "linux" or console.env.get("DISPLAY") or console.env.get("WAYLAND_DISPLAY")
            if browser and screen:
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
            config = uvicorn.Config(
                gate,
                log_config=None,
                log_level="critical",  # do not log other programs' invalid requests
                access_log=False,
                lifespan="off",
                loop="asyncio",
                http="h11",
                ws="none",
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=60,
                timeout_graceful_shutdown=_PATIENCE,
            )
            with contextlib.suppress(KeyboardInterrupt):
                _Server(config, hub).run([listening])
            hub.stop()
    return 0


def _bound(port: int) -> socket.socket:
    """A socket that only this machine can reach."""
    # asyncio turns off Nagle's algorithm, which delays each answer by 40 ms, only if the protocol is named explicitly
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        taken = error.errno == errno.EADDRINUSE
        reason = "is taken by another program" if taken else f"cannot be used: {error.strerror}"
        raise InvalidInput(f"port {port} {reason}", "choose another with --port, or leave it out") from error
    return listening


def _say(console: Console, gate: Gate, port: int) -> str:
    address = f"http://127.0.0.1:{port}/open?token={gate.new_token()}"
    console.print(address)
    console.stdout.flush()
    return address


def _on_enter(console: Console, gate: Gate, port: int) -> None:
    # os.read, because sys.stdin would still hold its lock when the process ends
    with contextlib.suppress(OSError):
        while os.read(console.stdin.fileno(), 1024):
            _say(console, gate, port)


def _work_in_quiet(vault: SeenVault, hub: Hub) -> None:
    """Load the index before the first request; then do the quiet work, unless a daemon does."""
    with contextlib.suppress(VaultMemError):
        vault.recall("hello")
    while not hub.over.wait(_QUIET_EVERY):
        lately = vault.folder.settings.quiet_seconds + 2 * _QUIET_EVERY
        if time.monotonic() - hub.changed_at < lately and daemon(vault.folder) is None:
            with contextlib.suppress(VaultMemError):
                vault.settle()


def _japanese(console: Console) -> bool:
    wanted = (console.env.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return next(filter(None, wanted), "").startswith("ja")
