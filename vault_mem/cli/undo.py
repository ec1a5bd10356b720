"""vault-mem undo."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, agrees, can_ask, finish, open_vault
from vault_mem.cli.console import Console


@click.command(
    cls=Command, examples="vault-mem undo\nvault-mem undo 000042\nvault-mem history        # what can be undone"
)
@click.argument("op", required=False)
@click.option("--yes", is_flag=True, help="Undo even if something later cannot be undone.")
@click.option("--by-number", is_flag=True, hidden=True, help="Without OP, only say what would be taken back.")
@click.pass_obj
def command(console: Console, op: str | None, yes: bool, by_number: bool) -> int:
    """Take back the last operation, or the one named OP; undo an undo to do it again.

    Nothing is changed where a file was edited since (exit code 5). Where something came since that cannot be undone, it
    says what it would take back, and asks or takes --yes.
    """
    from vault_mem import messages

    vault = open_vault(console)
    if op is None and by_number:
        found = vault.look_at_undo()
        console.answer(found.to_dict(), messages.would_undo(found))
        finish(console, vault)
        return 0
    if op is None and not yes and can_ask(console):
        found = vault.look_at_undo()
        if found.since is not None:
            console.notice(messages.would_undo(found))
            yes = agrees(console, "Undo that?")
            if not yes:
                console.print("Nothing was undone.")
                return 1
    result = vault.undo(op, sure=yes)
    console.answer(
        result.to_dict(),
        messages.undone(result),
    )
    finish(console, vault)
    return 0
