"""vault-mem why-not."""

from __future__ import annotations

from typing import Any

import click

from vault_mem.cli.common import Command, filter_options, filters_from, finish, open_vault
from vault_mem.cli.console import Console
from vault_mem.cli.recall import Text


@click.command(
    cls=Command,
    examples="""vault-mem why-not mem_651b9d294720 "when is the standup?"
                vault-mem why-not 651b9d oysters --kind fact --json""",
)
@click.argument("id_", metavar="ID")
@click.argument("query")
@click.option("-n", "limit", type=int, default=5, help="How many results the recall has, default 5.")
@click.option("--budget", type=int, metavar="TOKENS", help="The budget the recall has.")
@filter_options
@click.pass_obj
def command(console: Console, /, id_: str, query: str, limit: int, budget: int | None, **filters: Any) -> None:
    """Say at which stage a recall of QUERY drops ID, or where in the answer it is."""
    from vault_mem import messages
    from vault_mem.operations.memory.recall import Request

    vault = open_vault(console)
    shape = Text(vault, explain=False)
    chosen = filters_from(vault, filters)
    result = vault.ask_why_not(id_, Request(query, limit, chosen, budget, shape.frame), shape.cost)
    console.answer(result.to_dict(), messages.why_not(result))
    finish(console, vault, stale=result.stale, pending=result.pending)
