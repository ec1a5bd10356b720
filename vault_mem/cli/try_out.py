"""Trying out what setup wrote: a real call with the command line that the agent will use."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping

from vault_mem.setup.options import SetupOptions, server_arguments

_SECONDS = 60.0


def first_answer(options: SetupOptions, program: str | None, env: Mapping[str, str]) -> int:
    """How many memories the agent can see; raises ValueError with the reason if the call fails."""
    start = [program] if program else [sys.executable, "-P", "-m", "vault_mem"]
    if options.surface == "cli":
        vault = ["--vault", str(options.vault)] if options.vault else []
        return int(json.loads(_run_command([*start, *vault, "wake-up", "--json"], b"", options, env))["total"])
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "setup", "version": "1"}}
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "wake_up", "arguments": {}}},
    ]
    lines = b"".join(json.dumps(each).encode() + b"\n" for each in requests)
    answers = [
        json.loads(line)
        for line in _run_command([*start, *server_arguments(options)], lines, options, env).splitlines()
    ]
    result = next(each["result"] for each in answers if each["id"] == 2)
    if result["isError"]:
        raise ValueError(result["content"][0]["text"].split("\n")[0])
    return int(result["structuredContent"]["total"])


def _run_command(command: list[str], stdin: bytes, options: SetupOptions, env: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(
            command, input=stdin, capture_output=True, cwd=options.base, env=dict(env), timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"no answer within {_SECONDS:.0f} s") from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise ValueError(lines[-1] if lines else f"exit code {done.returncode}")
    return done.stdout.decode()
