"""vault-mem link."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console
from vault_mem.model import LINK_TYPES


@click.command(
    cls=Command,
    examples="""vault-mem link mem_651b9d294720 mem_49b707a0883d
                vault-mem link 651b9d 49b707 --type caused_by --reason "Kaya said so\"""",
)
@click.argument("a")
@click.argument("b")
@click.option("--type", "type_", type=click.Choice(LINK_TYPES), help="What B is to A, default related.")
@click.option("--reason", default="", help="Why; kept in the history.")
@click.pass_obj
def command(console: Console, a: str, b: str, type_: str | None, reason: str) -> None:
    """Link the memories A and B. The link is written once and shown on both; with --type, one that is there changes.

    It stands on the memory that was saved later, and between a public and a private one always on the private.
    """
    from vault_mem import messages

    vault = open_vault(console)
    result = vault.link(a, b, type_, reason)
    console.answer(result.to_dict(), messages.linked(result))
    finish(console, vault)
