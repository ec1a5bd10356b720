"""vault-mem list."""

from __future__ import annotations

from typing import Any

import click

from vault_mem.cli.common import Command, filter_options, filters_from, finish, open_vault
from vault_mem.cli.console import Console


@click.command(
    cls=Command,
    examples="""vault-mem list -n 20
                vault-mem list --kind task --json
                vault-mem list --due
                vault-mem list --closed""",
)
@click.option("-n", "limit", type=click.IntRange(1), default=20, help="How many, default 20.")
@click.option("--all", "everything", is_flag=True, help="All of them.")
@click.option("--due", is_flag=True, help="Only open tasks that are due on a day, the earliest first.")
@filter_options
@click.pass_obj
def command(console: Console, /, limit: int, everything: bool, due: bool, **filters: Any) -> None:
    """List memories, newest first."""
    from vault_mem.notes.excerpt import cut
    from vault_mem.operations.memory.due import due_on
    from vault_mem.operations.memory.results import marks

    vault = open_vault(console)
    listed = vault.list_due if due else vault.list
    result = listed(filters_from(vault, filters), None if everything else limit)
    if console.json:
        console.print_json(result.to_dict())
    else:
        zone, now = vault.workspace.folder.zone, vault.workspace.folder.now()
        for memory in result.memories:
            day = (due_on(memory, zone) if due else None) or memory.created.astimezone(zone).date()
            told = ["private"] if memory.private else []
            told += marks(memory, now, zone, result.superseded_by.get(memory.id, ""))
            mark = f" ({', '.join(told)})" if told else ""
            console.print(f"{memory.id}  {day.isoformat()}  {cut(memory.title, 70)}{mark}")
        shown = len(result.memories)
        if shown < result.total:
            console.print(f"{shown} of {result.total}; --all shows the rest.")
        elif not result.total:
            console.print("No memories.")
    finish(console, vault, stale=result.stale, pending=result.pending)
