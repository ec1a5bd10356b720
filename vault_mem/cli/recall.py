"""vault-mem recall."""

from __future__ import annotations

from typing import Any

import click

from vault_mem.cli.common import Command, filter_options, filters_from, finish, found_json, open_vault
from vault_mem.cli.console import Console


@click.command(
    cls=Command,
    examples="""vault-mem recall "when is the standup?"
                vault-mem recall 眼鏡の修理 -n 3 --json
                vault-mem recall oysters --kind fact --since 2026-09-01
                cat question.txt | vault-mem recall -""",
)
@click.argument("query")
@click.option("-n", "limit", type=int, default=5, help="How many results, default 5.")
@filter_options
@click.pass_obj
def command(console: Console, /, query: str, limit: int, **filters: Any) -> None:
    """Find the memories that answer QUERY (or standard input, with -), by meaning and by words."""
    from vault_mem import messages

    text = console.read_text() if query == "-" else query  # before the vault is opened: it may take its time
    vault = open_vault(console)
    result = vault.recall(text, limit, filters_from(vault, filters))
    console.answer(
        {
            "results": [found_json(found) for found in result.results],
            "stale": result.stale,
            "pending": result.pending,
            "scaffold": "",
        },
        messages.recalled(result, vault.workspace.folder.now()),
    )
    finish(console, vault, stale=result.stale, pending=result.pending)
