"""vault-mem emotion-trend."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console

if TYPE_CHECKING:
    from vault_mem.operations.day.emotion_trend import Period


@click.command(cls=Command, examples="vault-mem emotion-trend\nvault-mem emotion-trend --days 90 --json")
@click.option("--days", type=int, help="Cover this many days instead of a week and a month.")
@click.option("--public-only", is_flag=True, help="Leave private memories out; otherwise they count in the sums.")
@click.pass_obj
def command(console: Console, days: int | None, public_only: bool) -> None:
    """How the last week and month felt: the dominant emotion, an undercurrent, the shift between the halves."""
    from vault_mem.session_texts import emotions_told

    vault = open_vault(console)
    result = vault.emotion_trend(days, public_only=public_only)
    document = {
        "periods": [period_json(each) for each in result.periods],
        "stale": result.stale,
        "pending": result.pending,
        "scaffold": "",
    }
    console.answer(document, emotions_told(result, console.width))
    finish(console, vault, stale=result.stale, pending=result.pending)


def period_json(each: Period, *, brief: bool = False) -> dict[str, Any]:
    """The numbers of one period; in brief without the lists of emotions and days."""
    record = asdict(each) | {"since": each.since.isoformat(), "until": each.until.isoformat(), "enough": each.enough}
    record["by_day"] = [day | {"day": day["day"].isoformat()} for day in record["by_day"]]
    return {name: value for name, value in record.items() if not brief or name not in ("emotions", "by_day")}
