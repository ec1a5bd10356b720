"""vault-mem close."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, changed, moment, open_vault_of
from vault_mem.cli.console import Console


@Command.with_examples("""vault-mem close mem_651b9d294720 --reason "the project ended"
                          vault-mem close 651b9d --at 2026-11-01""")
@click.argument("id_", metavar="ID")
@click.option("--reason", default="", help="Reason, kept in the memory's history.")
@click.option("--at", metavar="DATE", help="When it stopped being true (default: now).")
def command(console: Console, id_: str, reason: str, at: str | None) -> None:
    """Mark a memory as no longer true. The file stays; recall leaves it out unless you ask for closed ones."""
    vault = open_vault_of(console, id_)
    changed(console, vault, "Closed", vault.close(id_, reason, moment(at, vault, "--at")))
