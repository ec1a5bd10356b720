"""vault-mem why-not."""

from __future__ import annotations

from typing import Any

import click

from vault_mem.cli.common import Command, filter_options, filters_from, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.cli.recall import PrintedRecall
from vault_mem.messages import save_and_find


@Command.with_examples("""vault-mem why-not mem_651b9d294720 "when is the standup?"
                          vault-mem why-not 651b9d oysters --kind fact --json""")
@click.argument("id_", metavar="ID")
@click.argument("query")
@click.option("-n", "--limit", "limit", type=int, default=5, help="How many results the recall has (default: 5).")
@click.option("--budget", type=int, metavar="TOKENS", help="Token budget of the recall.")
@filter_options
def command(console: Console, /, id_: str, query: str, limit: int, budget: int | None, **filters: Any) -> None:
    """Explain at which stage a recall of QUERY drops ID, or at which rank it shows it."""
    from vault_mem.operations.memory.recall import Request

    vault = open_vault(console)
    shape = PrintedRecall(console, vault)
    chosen = filters_from(vault, filters)
    result = vault.ask_why_not(id_, Request(query, limit, chosen, budget, shape.frame), shape.cost)
    reply(console, vault, result, save_and_find.why_not(result))
