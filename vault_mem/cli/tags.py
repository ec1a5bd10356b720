"""vault-mem tags."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import save_and_find


@Command.with_examples("vault-mem tags\nvault-mem tags --json\nvault-mem list --tag garden")
@click.option("--closed", is_flag=True, help="Count closed memories too.")
def command(console: Console, closed: bool) -> None:
    """List the tags in the vault, with the number of memories for each."""
    vault = open_vault(console)
    found = vault.tags(closed=closed)
    reply(console, vault, found, save_and_find.counts(found, "tags"))
