"""vault-mem compare."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import save_and_find


@Command.with_examples("""vault-mem compare "The standup is at 3pm" "The standup is at 4pm"
                          vault-mem compare mem_651b9d294720 mem_ecb99b9f9cc0 --json""")
@click.argument("a")
@click.argument("b")
def command(console: Console, a: str, b: str) -> None:
    """Compare two texts or ids: how similar they are, and what remember would do with the second."""
    vault = open_vault(console)
    result = vault.compare(a, b)
    reply(console, vault, result, save_and_find.compared(result))
