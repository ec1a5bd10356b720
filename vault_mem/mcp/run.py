"""Running one command for a tool: through the vault's daemon where there is one, else in this process."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

_one_at_a_time = threading.Lock()


def run_command(arguments: Sequence[str], stdin: bytes = b"") -> tuple[int, str, str]:
    """Run a command line of ours; returns its exit code, standard output and standard error."""
    return _through_client(arguments, stdin) if _has_client() else _in_process(arguments, stdin)


def _has_client() -> bool:
    on = os.environ.get("VAULT_MEM_DAEMON") != "off" and os.name == "posix" and bool(sys.executable)
    return on and importlib.util.find_spec("vault_mem.client") is not None


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
    with _one_at_a_time:
        code = run(arguments, Console(Path.cwd(), os.environ, io.BytesIO(stdin), out, err))
    return code, out.getvalue(), err.getvalue()
