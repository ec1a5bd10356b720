"""vault-mem export."""

from __future__ import annotations

from typing import Any

import click

from vault_mem.cli.common import Command, filter_options, filters_from, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import the_vault


@Command.with_examples("""vault-mem export memories.jsonl
                          vault-mem export decisions.md --format markdown --category decision
                          vault-mem export ~/copy --format vault --include-private --closed
                          vault-mem export all.jsonl --include-private --closed --force""")
@click.argument("out")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["jsonl", "markdown", "vault"]),
    default="jsonl",
    help="JSON Lines (default), one Markdown file, or a new vault with the files as they are.",
)
@click.option("--include-private", is_flag=True, help="Include private memories; only you can read the files written.")
@click.option("--force", is_flag=True, help="Overwrite OUT if it is an existing file.")
@filter_options
def command(console: Console, /, out: str, format_: str, include_private: bool, force: bool, **filters: Any) -> None:
    """Export memories to OUT. Private memories are left out unless you give --include-private.

    `vault-mem import OUT` reads JSON Lines back into the same memories.
    """
    vault = open_vault(console)
    path = console.path(out)
    chosen = filters_from(vault, filters)
    report = vault.export(path, format_, chosen, include_private=include_private, force=force)
    reply(console, vault, report, the_vault.exported(report))
