"""MCP: from starting the server to its first answer, against importing the SDK alone; and how much a model reads."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping

from benchmarks.harness import Figure, Setting, Target, interleaved
from benchmarks.vaults import memories, write_vault
from vault_mem.mcp.tools import chosen

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
_HALF = Target("≤", 0.5, of_ratio=True)
_LIMIT = Target("≤", 1.5, of_ratio=True)
_CORE = Target("≤", 6000)


def _sizes() -> Iterator[Figure]:
    """Characters of names, descriptions and schemas: of the five core tools and of all."""
    for which, target in (("core", _CORE), ("all", None)):
        size = sum(
            len(tool.name + tool.description + json.dumps(tool.input_schema(core=which == "core"), ensure_ascii=False))
            for tool in chosen(which)
        )
        yield Figure(f"mcp: what a model reads of the tools, {which}", size, "characters", target=target)


def run(setting: Setting) -> Iterator[Figure]:
    """Sizes; then medians, in turns: importing the SDK, start to first answer, start to the first tool's answer."""
    yield from _sizes()
    vault = write_vault(setting.folder / "vault", memories(500 if setting.quick else 2_000))
    vault.reindex()
    daemon = os.name == "posix"
    environment = dict(os.environ) | ({"VAULT_MEM_DAEMON": "on"} if daemon else {})

    def call(*arguments: str) -> None:
        command = [sys.executable, *arguments]
        subprocess.run(command, cwd=vault.root, env=environment, check=True, capture_output=True)

    def sdk() -> None:
        call("-c", "import mcp")

    def session(*messages: Mapping[str, object]) -> None:
        """Send the messages, and end the server once every request is answered."""
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
            server.kill()  # its ending is not measured

    def first_answer() -> None:
        session(_HELLO)

    def first_tool() -> None:
        session(_HELLO, _READY, _CALL)

    try:
        for each in (sdk, first_answer, first_tool):  # writes the bytecode, and starts the daemon if there is one
            each()
        taken = interleaved(5 if setting.quick else 15, sdk, first_answer, first_tool)
        reference, answer, tool = (statistics.median(each) * 1000 for each in taken)
        yield Figure("mcp: start to the first answer", answer, "ms", reference, "import mcp", _HALF)
        name = "mcp: start to what wake_up says" + ("" if daemon else ", without a daemon")
        yield Figure(name, tool, "ms", reference, "import mcp", _LIMIT if daemon else None)
    finally:
        if daemon:
            stop = [sys.executable, "-m", "vault_mem", "daemon", "stop"]
            subprocess.run(stop, cwd=vault.root, env=environment, capture_output=True, check=False)
