"""vault-mem restore."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console

if TYPE_CHECKING:
    from vault_mem.library import Vault


@click.command(cls=Command, examples="vault-mem restore mem_651b9d294720\nvault-mem restore --list")
@click.argument("id_", metavar="ID", required=False)
@click.option("--list", "list_", is_flag=True, help="Show what is in the trash.")
@click.pass_obj
def command(console: Console, id_: str | None, list_: bool) -> None:
    """Bring a forgotten memory back, with the references to it."""
    if (id_ is None) != list_:
        raise click.UsageError("Give the ID of a forgotten memory, or --list.")
    vault = open_vault(console)
    if id_ is None:
        _list(console, vault)
        return
    result = vault.restore(id_)
    memory = result.memory
    console.answer(
        result.to_dict(),
        f"Restored (id: {memory.id}): {memory.path}",
    )
    for key in result.not_put_back:
        console.notice(f"note: {key} was changed since; the reference in it was not put back")
    finish(console, vault)


def _list(console: Console, vault: Vault) -> None:
    from vault_mem.notes.excerpt import cut

    found = vault.trash()
    if console.json:
        console.print_json(
            {
                "trash": [
                    {
                        "id": each.id,
                        "title": each.title,
                        "at": each.at.isoformat(),
                        "reason": each.reason,
                        "path": each.key,
                    }
                    for each in found
                ]
            }
        )
        return
    for each in found:
        reason = f"  ({cut(each.reason, 60)})" if each.reason else ""
        console.print(f"{each.id}  {each.at:%Y-%m-%d %H:%M}  {cut(each.title or each.key, 70)}{reason}")
    if not found:
        console.print("The trash is empty.")
