"""vault-mem views."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import the_vault


@Command.with_examples(
    "vault-mem views rebuild\nvault-mem config set views false        # no more daily logs or MEMORY.md"
)
@click.argument("action", type=click.Choice(["rebuild"]))
def command(console: Console, action: str) -> None:
    """Regenerate memory/*.md, MEMORY.md and the latest monologue from the memories. Your own text in them stays."""
    vault = open_vault(console)
    result = vault.rebuild_views()
    reply(console, vault, result, the_vault.rebuilt(result))
