"""vault-mem similar."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import save_and_find


@Command.with_examples("""vault-mem similar "Projects/Kiln.md"
                          vault-mem similar Kiln -n 10
                          vault-mem similar mem_651b9d294720 --json""")
@click.argument("note")
@click.option("-n", "--limit", "limit", type=int, default=5, help="How many results (default: 5).")
def command(console: Console, note: str, limit: int) -> None:
    """Find the memories most like NOTE, any note in the vault (by path, name or id), including your own."""
    vault = open_vault(console)
    result = vault.similar(note, limit)
    reply(console, vault, result, save_and_find.similar(result, vault.workspace.folder.now()))
