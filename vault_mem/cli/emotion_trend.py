"""vault-mem emotion-trend."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import agents_day


@Command.with_examples("vault-mem emotion-trend\nvault-mem emotion-trend --days 90 --json")
@click.option("--days", type=int, help="Cover this many days instead of a week and a month.")
@click.option("--public-only", is_flag=True, help="Leave private memories out of the sums.")
def command(console: Console, days: int | None, public_only: bool) -> None:
    """Show how the last week and month felt: the dominant emotion, an undercurrent, and the shift between halves."""
    vault = open_vault(console)
    result = vault.emotion_trend(days, public_only=public_only)
    reply(console, vault, result, agents_day.emotions_told(result, console.width), scaffold="")
