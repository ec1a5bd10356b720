"""vault-mem mcp."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command
from vault_mem.cli.console import Console
from vault_mem.mcp.tools import SETS


@Command.with_examples("""vault-mem mcp --vault ~/my-vault
                          vault-mem mcp --vault . --vault ~/me      # both answer; saves go to the first
                          vault-mem mcp --tools core --public
                          vault-mem setup claude-code        # writes the entry that runs it""")
@click.option(
    "--tools",
    type=click.Choice(SETS),
    default="all",
    help="core: wake_up, recall, remember, update_memory and forget (default: all).",
)
@click.option("--public", is_flag=True, help="Offer public memories only.")
def command(console: Console, tools: str, public: bool) -> int:
    """Serve the vault to an agent as MCP tools, on standard input and output.

    The agent starts this itself.
    """
    from vault_mem.mcp.server import Offer, serve

    return serve(Offer(tuple(console.vaults), tools, public))
