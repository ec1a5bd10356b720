"""vault-mem private."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console


@click.command(
    cls=Command,
    examples="""vault-mem private mem_651b9d294720
                vault-mem private 651b9d --scrub        # other texts that name it say "(private)" instead
                echo "..." | vault-mem remember - --private        # a new one: its text by standard input""",
)
@click.argument("id_", metavar="ID")
@click.option("--scrub", is_flag=True, help="Turn links to it, and its id, in other notes' texts into plain text.")
@click.pass_obj
def command(console: Console, id_: str, scrub: bool) -> None:
    """Move a memory into the private folder: out of views, public links and public history.

    Episodes it belongs to become private too. Where git already holds the file, it says so.
    """
    from vault_mem import messages
    from vault_mem.operations.upkeep.private import notices

    vault = open_vault(console)
    result = vault.private(id_, scrub=scrub)
    console.answer(result.to_dict(), messages.made_private(result))
    vault.workspace.notices += notices(result)
    finish(console, vault)
