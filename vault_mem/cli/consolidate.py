"""vault-mem consolidate."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault, scaffolded
from vault_mem.cli.console import Console


@click.command(
    cls=Command,
    examples="""vault-mem consolidate
                vault-mem consolidate --all --limit 20        # near-duplicates of the whole vault
                vault-mem consolidate --merge-threshold 0.15""",
)
@click.option("--all", "whole", is_flag=True, help="Look for pairs in the whole vault, not only of new memories.")
@click.option("--limit", type=click.IntRange(0), default=5, help="Maximum pairs of each kind, default 5.")
@click.option("--merge-threshold", type=float, help="Distance below which a pair is looked at.")
@click.option("--window-hours", type=float, default=24, help="What counts as new, default 24.")
@click.option("--window", type=click.IntRange(1), help="Treat the newest N memories as new instead.")
@click.option(
    "--max-replay-events",
    type=click.IntRange(0),
    default=100,
    help="Maximum pairs to replay, default 100.",
)
@click.option("--public", is_flag=True, help="Look at public memories alone.")
@click.pass_obj
def command(
    console: Console,
    whole: bool,
    limit: int,
    merge_threshold: float | None,
    window_hours: float,
    window: int | None,
    max_replay_events: int,
    public: bool,
) -> None:
    """Replay what is new: memories that followed one another are linked. Then show what repeats or changes another.

    Of pairs that are near, the judge of `remember` says which repeat each other and which state a changed fact; other
    near pairs are not shown. Texts are never merged by themselves: `merge`, `forget` and `close` do it for a pair you
    have looked at.
    """
    from vault_mem import messages

    console.public = console.public or public
    vault = open_vault(console)
    stats = vault.consolidate(
        whole=whole,
        limit=limit,
        merge_threshold=merge_threshold,
        window_hours=window_hours,
        window=window,
        max_replay_events=max_replay_events,
        progress=console.progress("Comparing"),
    )
    data, scaffold = messages.consolidated(stats)
    scaffold = scaffolded(console, vault, scaffold, "candidates") if scaffold else ""
    console.answer(stats.to_dict() | {"scaffold": scaffold}, f"{data}\n\n{scaffold}" if scaffold else data)
    finish(console, vault)
