"""vault-mem compare."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console

_WORDS = {
    "block": "refuse the second as a repetition",
    "link": "save the second and link the two",
    "save": "save the second without a link",
}


@click.command(
    cls=Command,
    examples="""vault-mem compare "The standup is at 3pm" "The standup is at 4pm"
                vault-mem compare mem_651b9d294720 mem_ecb99b9f9cc0 --json""",
)
@click.argument("a")
@click.argument("b")
@click.pass_obj
def command(console: Console, a: str, b: str) -> None:
    """Compare two texts or ids: how near they are, and what remember would do with the second."""
    vault = open_vault(console)
    result = vault.compare(a, b)
    if console.json:
        console.print_json(result.to_dict())
    else:
        console.print(f"{result.verdict} (similarity: {result.similarity:.2f})")
        if result.differs:
            console.print(f"differs: {'; '.join(result.differs)}")
        console.print(f"remember would {_WORDS[result.remember]}.")
    finish(console, vault)
