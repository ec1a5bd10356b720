"""vault-mem show."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault, other_vaults_for, vault_name
from vault_mem.cli.console import Console
from vault_mem.messages import save_and_find


@Command.with_examples("vault-mem show mem_651b9d294720\nvault-mem show 651b9d --json")
@click.argument("id_", metavar="ID")
def command(console: Console, id_: str) -> None:
    """Show one memory, with links in both directions.

    ID is an id or the start of one, a title, a file name, a path or a [[wikilink]].
    """
    vault = open_vault(console)
    others = other_vaults_for(console, vault)
    name = vault_name(console, vault.workspace.folder.root)
    result = vault.show_in(others, id_, name) if others else vault.show(id_)
    console.answer(result.to_dict(), save_and_find.shown(result, vault.workspace.folder.zone))
    if result.vault in ("", name):
        vault.note_used([result.memory.id])
    finish(console, vault, result)
