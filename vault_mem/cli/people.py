"""vault-mem people."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import save_and_find


@Command.with_examples("vault-mem people\nvault-mem people --json\nvault-mem recall tea --person Haruka")
@click.option("--closed", is_flag=True, help="Count closed memories too.")
def command(console: Console, closed: bool) -> None:
    """List the people in the vault, with the number of memories about each."""
    vault = open_vault(console)
    found = vault.people(closed=closed)
    reply(console, vault, found, save_and_find.counts(found, "people"))
