"""vault-mem list."""

from __future__ import annotations

from typing import Any

import click

from vault_mem.cli.common import Command, filter_options, filters_from, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import save_and_find


@Command.with_examples("""vault-mem list -n 20
                          vault-mem list --kind task --json
                          vault-mem list --due
                          vault-mem list --closed""")
@click.option("-n", "--limit", "limit", type=click.IntRange(1), default=20, help="How many (default: 20).")
@click.option("--all", "everything", is_flag=True, help="Show all.")
@click.option("--due", is_flag=True, help="Only open tasks with a due date, earliest first.")
@filter_options
def command(console: Console, /, limit: int, everything: bool, due: bool, **filters: Any) -> None:
    """List memories, newest first."""
    vault = open_vault(console)
    listed = vault.list_due if due else vault.list
    result = listed(filters_from(vault, filters), None if everything else limit)
    folder = vault.workspace.folder
    reply(console, vault, result, save_and_find.listed(result, folder.now(), folder.zone, due=due))
