"""After the daemon died in the middle of a command: report what it did, or do it, but never do it twice."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from vault_mem.cli.common import finish
from vault_mem.cli.console import Console
from vault_mem.cli.main import fail, guarded, run
from vault_mem.cli.remember import answer
from vault_mem.daemon.holding import await_end
from vault_mem.library import Vault
from vault_mem.messages import notices, the_vault
from vault_mem.operations.memory.remember import saved_before
from vault_mem.vault import journal


def resume(root: str, arguments: Sequence[str], request: str, input_sent: bytes = b"") -> int:
    """Answer a request that a daemon had accepted before it died. It may have read the beginning of our input."""
    console = Console.of_process()
    if input_sent:
        console.stdin = _ReplayedInput(input_sent, console.stdin)
    console.request = request
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    console.json = "--json" in options
    if "--no-scaffold" in options:
        console.scaffold = False
    if not await_end(root):
        hint = "it may still finish the command; check before you repeat it"
        return fail(console, console.json, "busy", "the daemon stopped answering but is still working", hint, 6)
    code = guarded(console, lambda: _outcome(root, console, request), console.json)
    if code is None:
        code = run(arguments, console)
    sys.stdout.flush()
    return code


class _ReplayedInput(io.BytesIO):
    """Input of which the beginning was already sent to the daemon, followed by the rest."""

    def __init__(self, sent: bytes, rest: BinaryIO) -> None:
        super().__init__(sent)
        self._rest = rest

    def read(self, size: int | None = -1, /) -> bytes:
        """All of it; `size` is ignored."""
        return super().read() + self._rest.read()


def _outcome(root: str, console: Console, request: str) -> int | None:
    """Report what the request wrote; returns None if it wrote nothing and can be run again."""
    vault = Vault(Path(root), env=console.env, cwd=console.cwd)
    with journal.writing(vault.workspace.folder):  # finishes or rolls back an interrupted operation
        record = journal.outcome(vault.workspace.folder, request)
    if record is None:
        return None
    console.note(notices.DAEMON_DIED)
    if record["command"] == "remember" and record["ids"]:
        return answer(console, vault, saved_before(vault.workspace, record["ids"][0]))
    console.answer(
        {"status": "done", "operation": record["op"], "command": record["command"]},
        the_vault.DONE_BEFORE.format_map(record),
    )
    finish(console, vault)
    return 0
