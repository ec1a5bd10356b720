"""vault-mem undo."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, agrees, can_ask, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean


@Command.with_examples("vault-mem undo\nvault-mem undo 000042\nvault-mem history        # what can be undone")
@click.argument("op", required=False)
@click.option("--yes", is_flag=True, help="Do not ask, even if something later cannot be undone.")
@click.option("--by-number", is_flag=True, hidden=True, help="Without OP, only say what would be taken back.")
def command(console: Console, op: str | None, yes: bool, by_number: bool) -> int:
    """Take back the last operation, or the one named OP. To redo it, undo the undo.

    If a file was edited since, nothing is changed (exit code 5). If something later cannot be undone, it shows what it
    would take back and asks, or needs --yes.
    """
    vault = open_vault(console)
    if by_number and not op:  # a model fills in what it does not need with an empty text
        found = vault.look_at_undo()
        reply(console, vault, found, keep_clean.would_undo(found))
        return 0
    if op is None and not yes and can_ask(console):
        found = vault.look_at_undo()
        if found.since is not None:
            console.notice(keep_clean.would_undo(found))
            yes = agrees(console, "Undo that?")
            if not yes:
                console.print(keep_clean.NOT_UNDONE)
                return 1
    result = vault.undo(op, sure=yes)
    reply(console, vault, result, keep_clean.undone(result))
    return 0
