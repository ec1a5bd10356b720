"""MCP: from starting the server to its first answer, against importing the SDK alone."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

from benchmarks.harness import Figure, Setting, Target, interleaved
from benchmarks.vaults import memories, write_vault

_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
_READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "wake_up", "arguments": {}}}
_LIMIT = Target("≤", 1.5, of_ratio=True)


def run(setting: Setting) -> Iterator[Figure]:
    """Medians, by turns: the SDK alone; start to the first answer; start to what the first tool says."""
    vault = write_vault(setting.folder / "vault", memories(500 if setting.quick else 2_000))
    vault.reindex()
    daemon = find_spec("vault_mem.client") is not None and os.name == "posix"
    environment = dict(os.environ) | ({"VAULT_MEM_DAEMON": "on"} if daemon else {})

    def call(*arguments: str, **options: object) -> None:
        subprocess.run(
            [sys.executable, *arguments], cwd=vault.root, env=environment, check=True, capture_output=True, **options
        )

    def sdk() -> None:
        call("-c", "import mcp")

    def session(*messages: dict[str, object]) -> None:
        """Send, and hang up once every request is answered."""
        with subprocess.Popen(
            [sys.executable, "-m", "vault_mem", "mcp"],
            cwd=vault.root,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as server:
            assert server.stdin is not None and server.stdout is not None
            for message in messages:
                server.stdin.write(json.dumps(message) + "\n")
                server.stdin.flush()
                if "id" in message:
                    answer = json.loads(server.stdout.readline())
                    assert "result" in answer and not answer["result"].get("isError"), answer
            server.kill()  # ending is no part of it

    def first_answer() -> None:
        session(_HELLO)

    def first_tool() -> None:
        session(_HELLO, _READY, _CALL)

    try:
        for each in (sdk, first_answer, first_tool):  # writes the bytecode, starts the daemon where there is one
            each()
        taken = interleaved(5 if setting.quick else 15, sdk, first_answer, first_tool)
        reference, answer, tool = (statistics.median(each) * 1000 for each in taken)
        yield Figure("mcp: start to the first answer", answer, "ms", reference, "import mcp", _LIMIT)
        name = "mcp: start to what wake_up says" + ("" if daemon else ", without a daemon")
        yield Figure(name, tool, "ms", reference, "import mcp", _LIMIT if daemon else None)
    finally:
        if daemon:
            subprocess.run([sys.executable, "-m", "vault_mem", "daemon", "stop"], cwd=vault.root, env=environment)
