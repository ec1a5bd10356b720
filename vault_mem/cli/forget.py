"""vault-mem forget."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, agrees, can_ask, finish, open_vault, scaffolded, tell_left
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean, scaffolds


@Command.with_examples("""vault-mem forget mem_651b9d294720
                          vault-mem forget 651b9d --reason "it was about another project"
                          vault-mem forget mem_651b9d294720 --purge        # nothing of it is kept anywhere""")
@click.argument("id_", metavar="ID")
@click.option("--reason", default="", help="Reason, kept in the deletion log.")
@click.option("--purge", is_flag=True, help="Delete for good, also from the index, journal, history and logs.")
@click.option("--yes", is_flag=True, help="With --purge: do not ask, and accept a shortened id.")
@click.option("--update-links", is_flag=True, help="Also change links in your own notes, canvases and bases.")
def command(console: Console, id_: str, reason: str, purge: bool, yes: bool, update_links: bool) -> int:
    """Move a memory to the trash and remove references to it. `restore` and `undo` bring it back.

    --purge cannot be undone. On a terminal it asks; elsewhere it needs the full id or --yes.
    """
    vault = open_vault(console)
    if purge and not yes and can_ask(console):
        console.notice(keep_clean.would_purge(vault.look_at_purge(id_), vault.workspace.folder.now()))
        yes = agrees(console, "Purge it?")
        if not yes:
            console.print(keep_clean.NOT_PURGED)
            return 1
    result = vault.forget(id_, reason, purge=purge, sure=yes, update_links=update_links)
    data, scaffold = keep_clean.forgot(result, vault.workspace.folder.now())
    scaffold = scaffolded(console, vault, scaffold, "forgotten")
    console.answer(result.to_dict() | {"scaffold": scaffold}, scaffolds.compose(data, scaffold))
    tell_left(console, vault, result.left, "still names it", update_links=update_links)
    finish(console, vault)
    return 0
