"""Running one command for a tool: through the vault's daemon where there is one, else in this process."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vault_mem.cli.console import Console

_one_at_a_time = threading.Lock()


def run_command(arguments: Sequence[str], stdin: bytes = b"") -> tuple[int, str, str]:
    """Run a command line of ours; returns its exit code, standard output and standard error."""
    served = os.environ.get("VAULT_MEM_DAEMON") != "off" and os.name == "posix" and bool(sys.executable)
    return _through_client(arguments, stdin) if served else _in_process(arguments, stdin)


def _through_client(arguments: Sequence[str], stdin: bytes) -> tuple[int, str, str]:
    """By the thin client, as a shell would, but no list of processes shows the arguments: they may be private."""
    first_line = json.dumps(list(arguments)).encode() + b"\n"
    # -P: a file in the agent's folder must not pass for a module of ours
    command = [sys.executable, "-P", "-m", "vault_mem.mcp.child"]
    done = subprocess.run(command, input=first_line + stdin, capture_output=True, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def _in_process(arguments: Sequence[str], stdin: bytes) -> tuple[int, str, str]:
    from vault_mem.cli.console import Console
    from vault_mem.cli.main import run

    out, err = io.StringIO(), io.StringIO()
    console = Console(Path.cwd(), os.environ, io.BytesIO(stdin), out, err)
    with _one_at_a_time:
        code = run(arguments, console)
    threading.Thread(target=_settle, args=(console, arguments)).start()
    return code, out.getvalue(), err.getvalue()


def _settle(console: Console, arguments: Sequence[str]) -> None:
    """What waits for quiet, while the answer is on its way."""
    from vault_mem.cli.main import settle

    with _one_at_a_time:
        settle(console, arguments)
