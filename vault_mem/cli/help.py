"""vault-mem help."""

from __future__ import annotations

import json

import click

from vault_mem.cli import tree
from vault_mem.cli.common import Command
from vault_mem.cli.console import Console


@Command.with_examples("""vault-mem help
                          vault-mem help remember
                          vault-mem help config set
                          vault-mem help --json                         # a line for each command, for agents
                          vault-mem help --json remember                # its options and examples
                          vault-mem help --json --all                   # all of that, of all commands""")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.option("--all", "everything", is_flag=True, help="With --json: the whole command tree as one document.")
def command(console: Console, words: tuple[str, ...], everything: bool) -> None:
    """Explain a command, or list them all. With --json: one document, short for the list, whole for one command."""
    found, context = tree.find(words)
    if console.json and not words and not everything:
        # no spaces, since an agent pays for each
        console.print(json.dumps(tree.index(), ensure_ascii=False, separators=(",", ":")))
        return
    if console.json:
        console.print_json(tree.describe(found, context) if words else tree.tree())
    else:
        console.print(found.get_help(context))
