"""vault-mem history."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean


@Command.with_examples("vault-mem history\nvault-mem history mem_651b9d294720\nvault-mem history --json -n 5")
@click.argument("id_", metavar="[ID]", required=False)
@click.option("-n", "--limit", "limit", type=click.IntRange(1), default=20, help="How many operations (default: 20).")
def command(console: Console, id_: str | None, limit: int) -> None:
    """Show what happened to a memory, by which command and why. Without an ID, show the vault's latest operations."""
    vault = open_vault(console)
    if id_ is not None:
        result = vault.history(id_)
        reply(console, vault, result, keep_clean.history(result, vault.workspace.folder.zone))
        return
    found = vault.operations(limit)
    console.answer({"operations": [each.to_dict() for each in found]}, keep_clean.operations(found))
    finish(console, vault)
