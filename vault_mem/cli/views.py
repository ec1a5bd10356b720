"""vault-mem views."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console


@click.command(
    cls=Command,
    examples="vault-mem views rebuild\nvault-mem config set views false        # no mirrored files any more",
)
@click.argument("action", type=click.Choice(["rebuild"]))
@click.pass_obj
def command(console: Console, action: str) -> None:
    """Regenerate memory/*.md, MEMORY.md and the latest monologue from the memories; your own text in them stays."""
    vault = open_vault(console)
    result = vault.rebuild_views()
    console.answer(
        result.to_dict(),
        f"{result.memories} public memories mirrored, {len(result.files)} file(s) changed.",
    )
    finish(console, vault)
