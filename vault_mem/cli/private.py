"""vault-mem private."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean


@Command.with_examples("""vault-mem private mem_651b9d294720
                          vault-mem private 651b9d --scrub        # other texts that name it say "(private)" instead
                          echo "..." | vault-mem remember - --private        # a new one: its text by standard input""")
@click.argument("id_", metavar="ID")
@click.option("--scrub", is_flag=True, help="Replace links to it, and its id, in other notes with plain text.")
def command(console: Console, id_: str, scrub: bool) -> None:
    """Move a memory into the private folder, out of views, public links and public history.

    Its episodes become private too. You are told if git already has the file.
    """
    from vault_mem.operations.upkeep.private import notices

    vault = open_vault(console)
    result = vault.private(id_, scrub=scrub)
    console.answer(result.to_dict(), keep_clean.made_private(result))
    vault.workspace.notices += notices(result)
    finish(console, vault)
