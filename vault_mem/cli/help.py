"""vault-mem help."""

from __future__ import annotations

import click

from vault_mem.cli import tree
from vault_mem.cli.common import Command
from vault_mem.cli.console import Console


@click.command(
    cls=Command,
    examples="""vault-mem help
                vault-mem help remember
                vault-mem help config set
                vault-mem help --json                         # every command and option, for agents""",
)
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.pass_obj
def command(console: Console, words: tuple[str, ...]) -> None:
    """Explain a command, or list them all. With --json: the whole command tree as one document."""
    found, context = tree.find(words)
    if console.json:
        console.print_json(tree.describe(found, context) if words else tree.tree())
        return
    console.print(found.get_help(context))
