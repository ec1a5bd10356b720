"""Running one command for a tool: through the daemon if possible, else in this process."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vault_mem.cli.console import Console

_one_at_a_time = threading.Lock()
STOPPED = 130


class RunningCommand:
    """A command that can be stopped until it begins to write."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self.cancelled = threading.Event()

    def cancel(self) -> None:
        """Ask it to stop."""
        with self._lock:
            self.cancelled.set()
            if self._process is not None and self._process.poll() is None:
                self._process.send_signal(signal.SIGINT)

    def run(self, arguments: Sequence[str], stdin: bytes = b"") -> tuple[int, str, str]:
        """Run a command line of ours; returns its exit code, standard output and standard error."""
        served = os.environ.get("VAULT_MEM_DAEMON") != "off" and os.name == "posix" and bool(sys.executable)
        return self._through_client(arguments, stdin) if served else self._in_process(arguments, stdin)

    def _through_client(self, arguments: Sequence[str], stdin: bytes) -> tuple[int, str, str]:
        """Run it as from a shell, but keep the arguments, which may be private, out of the process list."""
        first_line = json.dumps(list(arguments)).encode() + b"\n"
        # -P: a file in the agent's folder must not be imported in place of one of our modules
        command = [sys.executable, "-P", "-m", "vault_mem.mcp.child"]
        with self._lock:
            if self.cancelled.is_set():
                return STOPPED, "", ""
            # the child inherits the block, and lifts it once it can pass the signal on to the daemon
            before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            try:
                process = self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,  # a Ctrl-C ends the server, not the command
                )
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        out, err = process.communicate(first_line + stdin)
        return process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")

    def _in_process(self, arguments: Sequence[str], stdin: bytes) -> tuple[int, str, str]:
        from vault_mem.cli.console import Console
        from vault_mem.cli.main import run
        from vault_mem.vault.find import current_folder

        out, err = io.StringIO(), io.StringIO()
        console = Console(current_folder(), os.environ, io.BytesIO(stdin), out, err, cancelled=self.cancelled.is_set)
        with _one_at_a_time:
            code = STOPPED if self.cancelled.is_set() else run(arguments, console)
        threading.Thread(target=_settle, args=(console, arguments)).start()
        return code, out.getvalue(), err.getvalue()


def _settle(console: Console, arguments: Sequence[str]) -> None:
    """Do quiet work while the answer is sent."""
    from vault_mem.cli.main import settle

    with _one_at_a_time:
        settle(console, arguments)
