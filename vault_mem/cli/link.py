"""vault-mem link."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean
from vault_mem.model import LINK_TYPES


@Command.with_examples("""vault-mem link mem_651b9d294720 mem_49b707a0883d
                          vault-mem link 651b9d 49b707 --type caused_by --reason "Kaya said so\"""")
@click.argument("a")
@click.argument("b")
@click.option("--type", "type_", type=click.Choice(LINK_TYPES), help="What B is to A (default: related).")
@click.option("--reason", default="", help="Reason, kept in the history.")
def command(console: Console, a: str, b: str, type_: str | None, reason: str) -> None:
    """Link memories A and B, or change the type of their link. It is written once and shown on both.

    It is written in the memory saved later; between a public and a private memory, always in the private one.
    """
    vault = open_vault(console)
    result = vault.link(a, b, type_, reason)
    reply(console, vault, result, keep_clean.linked(result))
