"""vault-mem reopen."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, changed, open_vault_of
from vault_mem.cli.console import Console


@Command.with_examples('vault-mem reopen mem_651b9d294720 --reason "..."')
@click.argument("id_", metavar="ID")
@click.option("--reason", default="", help="Reason, kept in the memory's history.")
def command(console: Console, id_: str, reason: str) -> None:
    """Reopen a closed memory."""
    vault = open_vault_of(console, id_)
    changed(console, vault, "Reopened", vault.reopen(id_, reason))
