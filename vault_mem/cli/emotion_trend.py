"""vault-mem emotion-trend."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console

if TYPE_CHECKING:
    pass


@click.command(cls=Command, examples="vault-mem emotion-trend\nvault-mem emotion-trend --days 90 --json")
@click.option("--days", type=int, help="Cover this many days instead of a week and a month.")
@click.option("--public-only", is_flag=True, help="Leave private memories out; otherwise they count in the sums.")
@click.pass_obj
def command(console: Console, days: int | None, public_only: bool) -> None:
    """How the last week and month felt: the dominant emotion, an undercurrent, the shift between the halves."""
    from vault_mem.session_texts import emotions_told

    vault = open_vault(console)
    result = vault.emotion_trend(days, public_only=public_only)
    console.answer(result.to_dict() | {"scaffold": ""}, emotions_told(result, console.width))
    finish(console, vault, stale=result.stale, pending=result.pending)
