"""vault-mem search."""

from __future__ import annotations

from typing import Any

import click

from vault_mem.cli.common import Command, filter_options, filters_from, finish, open_vault, other_vaults_for, vault_name
from vault_mem.cli.console import Console
from vault_mem.messages import save_and_find


@Command.with_examples("""vault-mem search oysters
                          vault-mem search "KX-1204" --since 2026-09-01
                          vault-mem search 会議 --tag 庭 --json""")
@click.argument("query")
@click.option("-n", "--limit", "limit", type=int, default=20, help="How many results (default: 20).")
@filter_options
def command(console: Console, /, query: str, limit: int, **filters: Any) -> None:
    """Find memories by the words of QUERY and by filters only. Age and mood do not count."""
    vault = open_vault(console)
    text = console.read_text() if query == "-" else query
    chosen, others = filters_from(vault, filters), other_vaults_for(console, vault)
    name = vault_name(console, vault.workspace.folder.root)
    result = vault.search_all(text, limit, chosen, others, name) if others else vault.search(text, limit, chosen)
    document = {name: value for name, value in result.to_dict().items() if name not in ("answered", "left_out")}
    console.answer(document, save_and_find.recalled(result, vault.workspace.folder.now()))
    finish(console, vault, result)
