"""vault-mem introspect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, open_vault, reply, scaffolded
from vault_mem.cli.console import Console
from vault_mem.messages import agents_day, scaffolds

if TYPE_CHECKING:
    from vault_mem.operations.day.introspect import Introspection


@Command.with_examples("vault-mem introspect\nvault-mem introspect --budget 800 --json")
@click.option("--budget", type=int, metavar="TOKENS", help="Maximum tokens in the answer (default: 2000).")
@click.option("--public-only", is_flag=True, help="Leave private memories out.")
def command(console: Console, budget: int | None, public_only: bool) -> None:
    """Show what is worth thinking about: recent memories, the week's emotions, episodes, open questions."""
    vault = open_vault(console)
    now = vault.workspace.folder.now()
    scaffold = scaffolded(console, vault, scaffolds.INTROSPECT, "introspect")

    def text(result: Introspection) -> str:
        return scaffolds.compose(agents_day.introspected(result, now), scaffold)

    result = vault.introspect_within(
        lambda result: console.tokens(lambda: result.to_dict() | {"scaffold": scaffold}, text(result)),
        budget,
        public_only=public_only,
    )
    reply(console, vault, result, text(result), scaffold=scaffold)
