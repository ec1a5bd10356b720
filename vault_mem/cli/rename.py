"""vault-mem rename."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault, tell_left
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean


@Command.with_examples("""vault-mem rename mem_651b9d294720 "The spare key"        # the-spare-key-651b9d29.md
                          vault-mem rename 651b9d "Spare key" --exact          # Spare key.md""")
@click.argument("id_", metavar="ID")
@click.argument("name", metavar="NEW-NAME")
@click.option("--exact", is_flag=True, help="Use exactly this name, without the first 8 digits of the id.")
@click.option("--update-links", is_flag=True, help="Also change links in your own notes, canvases and bases.")
def command(console: Console, id_: str, name: str, exact: bool, update_links: bool) -> None:
    """Rename a memory's file and update links to it. Private files keep their names."""
    vault = open_vault(console)
    result = vault.rename(id_, name, exact=exact, update_links=update_links)
    console.answer(result.to_dict(), keep_clean.renamed(result))
    tell_left(console, vault, result.left, "still says the old name", update_links=update_links)
    finish(console, vault)
