"""vault-mem tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import save_and_find

if TYPE_CHECKING:
    from vault_mem.library import Vault
    from vault_mem.operations.memory.show import Counts


@Command.with_examples("vault-mem tags\nvault-mem tags --json\nvault-mem list --tag garden")
@click.option("--closed", is_flag=True, help="Count closed memories too.")
def command(console: Console, closed: bool) -> None:
    """List the tags in the vault, with the number of memories for each."""
    vault = open_vault(console)
    show(console, vault, vault.tags(closed=closed), "tags")


def show(console: Console, vault: Vault, found: Counts, what: str) -> None:
    """Print names with their counts, in one column each."""
    reply(console, vault, found, save_and_find.counts(found, what))
