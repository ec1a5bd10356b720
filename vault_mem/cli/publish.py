"""vault-mem publish."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean


@Command.with_examples("""vault-mem publish mem_651b9d294720
                          vault-mem publish 651b9d --scrub
                          vault-mem undo        # private again""")
@click.argument("id_", metavar="ID")
@click.option("--scrub", is_flag=True, help="Replace links to other private memories in its text with plain text.")
@click.option("--allow-secret", is_flag=True, help="Publish it even if it looks like a credential.")
def command(console: Console, id_: str, scrub: bool, allow_secret: bool) -> None:
    """Move a memory out of the private folder, into memories/ and the views.

    Links to memories that stay private move into those notes. Earlier versions stay in the private history.
    """
    vault = open_vault(console)
    result = vault.publish(id_, scrub=scrub, allow_secret=allow_secret)
    reply(console, vault, result, keep_clean.published(result))
