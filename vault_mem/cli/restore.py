"""vault-mem restore."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean, notices


@Command.with_examples("vault-mem restore mem_651b9d294720\nvault-mem restore --list")
@click.argument("id_", metavar="[ID]", required=False)
@click.option("--list", "list_", is_flag=True, help="List the trash.")
def command(console: Console, id_: str | None, list_: bool) -> None:
    """Bring a forgotten memory back, with references to it."""
    if (id_ is None) != list_:
        raise click.UsageError(keep_clean.WHICH_FORGOTTEN)
    vault = open_vault(console)
    if id_ is None:
        found = vault.trash()
        console.answer({"trash": [each.to_dict() for each in found]}, keep_clean.trash(found))
        return
    result = vault.restore(id_)
    console.answer(result.to_dict(), keep_clean.RESTORED.format(id=result.memory.id, path=result.memory.path))
    for key in result.not_put_back:
        console.note(notices.NOT_PUT_BACK.format(key=key))
    finish(console, vault)
