"""vault-mem done."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, changed, moment, open_vault_of
from vault_mem.cli.console import Console


@Command.with_examples("""vault-mem done mem_651b9d294720
                          vault-mem done 651b9d --at 2026-11-01 --reason "paid in cash\"""")
@click.argument("id_", metavar="ID")
@click.option("--reason", default="", help="Reason, kept in the memory's history.")
@click.option("--at", metavar="DATE", help="When it was done (default: now).")
def command(console: Console, id_: str, reason: str, at: str | None) -> None:
    """Mark a task as done. It is kept, with the date. `reopen` opens it again."""
    vault = open_vault_of(console, id_)
    changed(console, vault, "Done", vault.done(id_, reason, moment(at, vault, "--at")))
