"""vault-mem publish."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console


@click.command(
    cls=Command,
    examples="""vault-mem publish mem_651b9d294720
                vault-mem publish 651b9d --scrub
                vault-mem undo        # private again""",
)
@click.argument("id_", metavar="ID")
@click.option("--scrub", is_flag=True, help="Turn the names of other private memories in its text into plain text.")
@click.option("--allow-secret", is_flag=True, help="Even if it looks like a credential.")
@click.pass_obj
def command(console: Console, id_: str, scrub: bool, allow_secret: bool) -> None:
    """Move a memory out of the private folder, into memories/ and the views.

    Its links to memories that stay private are kept on those. What it said before stays in the private history.
    """
    from vault_mem import messages

    vault = open_vault(console)
    result = vault.publish(id_, scrub=scrub, allow_secret=allow_secret)
    console.answer(result.to_dict(), messages.published(result))
    finish(console, vault)
