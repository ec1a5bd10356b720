"""vault-mem similar."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console


@click.command(
    cls=Command,
    examples="""vault-mem similar "Projects/Kiln.md"
                vault-mem similar Kiln -n 10
                vault-mem similar mem_651b9d294720 --json""",
)
@click.argument("note")
@click.option("-n", "limit", type=int, default=5, help="How many results, default 5.")
@click.pass_obj
def command(console: Console, note: str, limit: int) -> None:
    """Find the memories most like NOTE: any note of the vault, by path, name or id, your own ones too."""
    from vault_mem import messages

    vault = open_vault(console)
    result = vault.similar(note, limit)
    console.answer(result.to_dict(), messages.similar(result, vault.workspace.folder.now()))
    finish(console, vault, stale=result.stale, pending=result.pending)
