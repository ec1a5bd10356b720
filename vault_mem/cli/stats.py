"""vault-mem stats."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console
from vault_mem.messages import agents_day, the_vault
from vault_mem.result import as_record


@Command.with_examples("vault-mem stats\nvault-mem stats --plot\nvault-mem stats --json")
@click.option("--plot", is_flag=True, help="Draw the growth by month.")
@click.option("--public", is_flag=True, help="Count public memories only.")
@click.option("--recall", "hints", is_flag=True, help="Show how useful the hints were instead.")
def command(console: Console, plot: bool, public: bool, hints: bool) -> None:
    """Show how the vault grows: counts by kind, category and month, and what the guard and tidy did."""
    console.public = console.public or public
    vault = open_vault(console)
    if hints:
        shown = vault.hint_stats()
        console.answer(as_record(shown, unused=shown.unused), agents_day.hint_stats(shown))
    else:
        found = vault.stats()
        console.answer(found.to_dict(), the_vault.grown(found, console.width, plot=plot), as_is=True)
    finish(console, vault)
