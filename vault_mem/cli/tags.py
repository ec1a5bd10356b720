"""vault-mem tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console

if TYPE_CHECKING:
    from vault_mem.library import Vault
    from vault_mem.operations.memory.counts import Counts


@click.command(cls=Command, examples="vault-mem tags\nvault-mem tags --json\nvault-mem list --tag garden")
@click.option("--closed", is_flag=True, help="Count closed memories too.")
@click.pass_obj
def command(console: Console, closed: bool) -> None:
    """List the tags of the vault, with how many memories have each."""
    vault = open_vault(console)
    show(console, vault, vault.tags(closed=closed), "No tags.")


def show(console: Console, vault: Vault, found: Counts, none: str) -> None:
    """Print names with their counts, in one column each."""
    width = len(str(max((each.memories for each in found), default=0)))
    lines = [f"{each.memories:>{width}}  {each.name}" for each in found]
    console.answer(found.to_dict(), "\n".join(lines) or none)
    finish(console, vault, stale=found.stale, pending=found.pending)
