"""vault-mem unlink."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console


@click.command(
    cls=Command,
    examples="vault-mem unlink mem_651b9d294720 mem_49b707a0883d\nvault-mem unlink 651b9d 49b707 --body",
)
@click.argument("a")
@click.argument("b")
@click.option("--body", is_flag=True, help="Turn links in the text into plain text too.")
@click.option("--reason", default="", help="Why; kept in the history.")
@click.pass_obj
def command(console: Console, a: str, b: str, body: bool, reason: str) -> None:
    """Remove the link between A and B, whichever of them it is written in."""
    from vault_mem import messages

    vault = open_vault(console)
    result = vault.unlink(a, b, body=body, reason=reason)
    console.answer(result.to_dict(), messages.unlinked(result))
    for key in result.left:
        console.notice(f"note: the text of {key} still names it; --body turns that into plain text")
    finish(console, vault)
