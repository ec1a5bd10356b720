"""vault-mem consolidate."""

from __future__ import annotations

from typing import Any

import click

from vault_mem.cli.common import Command, open_vault, reply, scaffolded
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean


@Command.with_examples("""vault-mem consolidate
                          vault-mem consolidate --all --limit 20        # near-duplicates of the whole vault
                          vault-mem consolidate --merge-threshold 0.15""")
@click.option("--all", "whole", is_flag=True, help="Look for pairs in the whole vault, not just among new memories.")
@click.option("--limit", type=click.IntRange(0), default=5, help="Maximum pairs of each kind (default: 5).")
@click.option("--merge-threshold", type=float, help="Maximum distance of a pair.")
@click.option("--window-hours", type=float, default=24, help="How many hours count as new (default: 24).")
@click.option("--window", type=click.IntRange(1), help="Treat the newest N memories as new instead.")
@click.option(
    "--max-replay-events", type=click.IntRange(0), default=100, help="Maximum pairs to replay (default: 100)."
)
@click.option("--public", is_flag=True, help="Use public memories only.")
def command(console: Console, public: bool, **options: Any) -> None:
    """Link new memories that followed one another, then show repetitions and changed facts.

    Among similar pairs, it shows those that repeat each other or state a changed fact. It never merges anything: look
    at a pair, then use `merge`, `forget` or `close`.
    """
    console.public = console.public or public
    vault = open_vault(console)
    stats = vault.consolidate(**options, progress=console.progress("Comparing"))
    data, scaffold = keep_clean.consolidated(stats)
    scaffold = scaffolded(console, vault, scaffold, "candidates") if scaffold else ""
    reply(console, vault, stats, f"{data}\n\n{scaffold}" if scaffold else data, scaffold=scaffold)
