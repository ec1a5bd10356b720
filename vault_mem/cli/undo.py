"""vault-mem undo."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console


@click.command(
    cls=Command, examples="vault-mem undo\nvault-mem undo 000042\nvault-mem history        # what can be undone"
)
@click.argument("op", required=False)
@click.pass_obj
def command(console: Console, op: str | None) -> None:
    """Take back the last operation, or the one named OP; undo an undo to do it again.

    Nothing is changed where a file was edited since (exit code 5).
    """
    vault = open_vault(console)
    result = vault.undo(op)
    console.answer(
        {
            "status": "undone",
            "op": result.op,
            "undone": result.undone,
            "command": result.command,
            "files": result.files,
        },
        f"Undone: {result.command} ({result.undone}), {len(result.files)} file(s).\n"
        f"Do it again: vault-mem undo {result.op.split('-')[0]}",
    )
    finish(console, vault)
