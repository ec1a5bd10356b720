"""vault-mem wake-up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, open_vault, other_vaults_for, reply, scaffolded
from vault_mem.cli.console import Console
from vault_mem.errors import VaultNotFound
from vault_mem.messages import agents_day, scaffolds
from vault_mem.setup.agents import AGENTS

if TYPE_CHECKING:
    from vault_mem.operations.day.wake_up import WakeUp

# Spare tokens: the fence's two marks have twelve digits each that change with the text, and so does their token count.
_FENCE = 16


@Command.with_examples("""vault-mem wake-up
                          vault-mem wake-up --budget 600 --public-only
                          vault-mem wake-up --public-only --hook claude-code        # what `setup` puts into a hook""")
@click.option("--budget", type=int, metavar="TOKENS", help="Maximum tokens in the answer (default: 1500).")
@click.option("--public-only", is_flag=True, help="Leave private memories out.")
@click.option("--hook", type=click.Choice(AGENTS), help="Print it fenced, in this agent's session-start hook format.")
def command(console: Console, budget: int | None, public_only: bool, hook: str | None) -> None:
    """Show what to know when a session begins: the last introspection, open tasks and questions, recent memories."""
    from vault_mem.setup.hooks import envelope

    try:
        vault = open_vault(console)
    except VaultNotFound as error:
        if hook is None:
            raise
        console.note(error.message)  # a session outside any vault
        return
    now = vault.workspace.folder.now()
    scaffold = scaffolded(console, vault, scaffolds.WAKE_UP, "wake_up")

    def text(result: WakeUp) -> str:
        whole = scaffolds.compose(agents_day.woke_up(result, now), scaffold)
        return envelope(hook, whole) if hook else whole

    if hook:
        console.json = False
    spare = _FENCE if hook else 0
    result = vault.wake_up_within(
        lambda result: console.tokens(lambda: result.to_dict() | {"scaffold": scaffold}, text(result)) + spare,
        budget,
        public_only=public_only,
        others=other_vaults_for(console, vault),
    )
    reply(console, vault, result, text(result), scaffold=scaffold)
