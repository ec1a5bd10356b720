"""vault-mem stats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console

if TYPE_CHECKING:
    from vault_mem.library import Vault


@click.command(cls=Command, examples="vault-mem stats\nvault-mem stats --plot\nvault-mem stats --json")
@click.option("--plot", is_flag=True, help="Draw how the vault grew, month by month.")
@click.option("--public", is_flag=True, help="Count public memories alone.")
@click.option("--recall", "hints", is_flag=True, help="Show what hints per prompt were good for instead.")
@click.pass_obj
def command(console: Console, plot: bool, public: bool, hints: bool) -> None:
    """What the vault holds and how it grows: counts by kind, category and month, and what the guard and tidy did."""
    console.public = console.public or public
    vault = open_vault(console)
    if hints:
        _hints(console, vault)
        finish(console, vault)
        return
    found = vault.stats()
    if console.json:
        console.print_json(found.to_dict())
        finish(console, vault)
        return
    console.print(f"{found.memories} memories, {found.private} private, {found.closed} closed")
    for title, counts in (("kind", found.by_kind), ("category", found.by_category)):
        console.print(f"\nby {title}")
        for name, count in list(counts.items())[:12]:
            console.print(f"  {name:<20} {count:>6}")
    console.print("\nby month")
    most = max(found.by_month.values(), default=1)
    room = max(10, console.width - 24)
    total = 0
    for month, count in found.by_month.items():
        total += count
        bar = " " + "█" * max(1, round(room * count / most)) if plot else f" {total:>8} in all"
        console.print(f"  {month:<10} {count:>6}{bar}")
    console.print("\nkept clean")
    refused = [] if found.blocked is None else [("refused as repetitions", found.blocked)]
    for name, count in (
        *refused,
        ("merged", found.merges),
        ("closed", found.closes),
        ("forgotten", found.forgotten),
        ("exact duplicates left", found.duplicates_left),
    ):
        console.print(f"  {name:<24} {count:>4}")
    finish(console, vault)


def _hints(console: Console, vault: Vault) -> None:
    from vault_mem.messages import counted

    found = vault.hint_stats()
    lines = [
        f"{counted(found.prompts, 'prompt')} looked at, {found.hinted} got a hint",
        f"{len(found.shown)} memories shown: {len(found.used)} used again, {len(found.unused)} never used",
    ]
    if not found.prompts:
        lines = ["No prompt has been looked at. `vault-mem setup AGENT --per-prompt` adds hints to prompts."]
    document = {"prompts": found.prompts, "hinted": found.hinted, "shown": found.shown}
    console.answer(document | {"used": found.used, "unused": found.unused}, "\n".join(lines))
