"""vault-mem export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from vault_mem.cli.common import Command, filter_options, filters_from, finish, open_vault
from vault_mem.cli.console import Console


@click.command(
    cls=Command,
    examples="""vault-mem export memories.jsonl
                vault-mem export decisions.md --format markdown --category decision
                vault-mem export ~/copy --format vault --include-private --closed
                vault-mem export all.jsonl --include-private --closed --force""",
)
@click.argument("out")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["jsonl", "markdown", "vault"]),
    default="jsonl",
    help="JSON Lines (default), one Markdown file, or a new vault with the files as they are.",
)
@click.option("--include-private", is_flag=True, help="Private memories too; what is written is readable by you alone.")
@click.option("--force", is_flag=True, help="Overwrite OUT if it is a file that exists.")
@filter_options
@click.pass_obj
def command(console: Console, /, out: str, format_: str, include_private: bool, force: bool, **filters: Any) -> None:
    """Write memories to OUT, to read or to move. Private memories stay here unless --include-private is given.

    JSON Lines can be imported again (`vault-mem import OUT`) and give the same memories.
    """
    from vault_mem import messages

    vault = open_vault(console)
    path = console.cwd / Path(out).expanduser()
    chosen = filters_from(vault, filters)
    report = vault.export(path, format_, chosen, include_private=include_private, force=force)
    console.answer(report.to_dict(), messages.exported(report))
    finish(console, vault)
