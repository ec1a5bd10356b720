"""vault-mem forget."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, agrees, can_ask, finish, open_vault, scaffolded, tell_left
from vault_mem.cli.console import Console


@click.command(
    cls=Command,
    examples="""vault-mem forget mem_651b9d294720
                vault-mem forget 651b9d --reason "it was about another project"
                vault-mem forget mem_651b9d294720 --purge        # nothing of it is kept anywhere""",
)
@click.argument("id_", metavar="ID")
@click.option("--reason", default="", help="Why; kept in the deletion log.")
@click.option("--purge", is_flag=True, help="Skip the trash: also remove it from index, journal, history and logs.")
@click.option("--yes", is_flag=True, help="With --purge: do not ask, and take an id that is cut short.")
@click.option("--update-links", is_flag=True, help="Change links in your own notes, canvases and bases as well.")
@click.pass_obj
def command(console: Console, id_: str, reason: str, purge: bool, yes: bool, update_links: bool) -> int:
    """Put a memory into the trash, and remove the references to it. `restore` and `undo` bring it back.

    Nothing brings back what was purged: --purge asks on a terminal, and elsewhere takes the whole id or --yes.
    """
    from vault_mem import messages

    vault = open_vault(console)
    if purge and not yes and can_ask(console):
        console.notice(messages.would_purge(vault.look_at_purge(id_), vault.workspace.folder.now()))
        yes = agrees(console, "Purge it?")
        if not yes:
            console.print("Nothing was purged.")
            return 1
    result = vault.forget(id_, reason, purge=purge, sure=yes, update_links=update_links)
    data, scaffold = messages.forgot(result, vault.workspace.folder.now())
    scaffold = scaffolded(console, vault, scaffold, "forgotten")
    console.answer(result.to_dict() | {"scaffold": scaffold}, messages.compose(data, scaffold))
    tell_left(console, vault, result.left, "still names it", update_links=update_links)
    finish(console, vault)
    return 0
