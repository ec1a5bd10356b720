"""vault-mem unlink."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean, notices


@Command.with_examples("vault-mem unlink mem_651b9d294720 mem_49b707a0883d\nvault-mem unlink 651b9d 49b707 --body")
@click.argument("a")
@click.argument("b")
@click.option("--body", is_flag=True, help="Also turn links in the text into plain text.")
@click.option("--reason", default="", help="Reason, kept in the history.")
def command(console: Console, a: str, b: str, body: bool, reason: str) -> None:
    """Remove the link between A and B, whichever note it is written in."""
    vault = open_vault(console)
    result = vault.unlink(a, b, body=body, reason=reason)
    console.answer(result.to_dict(), keep_clean.unlinked(result))
    for key in result.left:
        console.note(notices.STILL_IN_TEXT.format(key=key))
    finish(console, vault)
