"""vault-mem confirm."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, changed, open_vault_of
from vault_mem.cli.console import Console


@Command.with_examples('vault-mem confirm mem_651b9d294720 --reason "..."')
@click.argument("id_", metavar="ID")
@click.option("--reason", default="", help="Reason, kept in the memory's history.")
def command(console: Console, id_: str, reason: str) -> None:
    """Confirm that a memory is still true (last_confirmed)."""
    vault = open_vault_of(console, id_)
    changed(console, vault, "Confirmed", vault.confirm(id_, reason))
