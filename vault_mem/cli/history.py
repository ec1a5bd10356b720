"""vault-mem history."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console
from vault_mem.visible import quoted

if TYPE_CHECKING:
    from vault_mem.library import Vault
    from vault_mem.vault.history import Revision


@click.command(
    cls=Command, examples="vault-mem history\nvault-mem history mem_651b9d294720\nvault-mem history --json -n 5"
)
@click.argument("id_", metavar="ID", required=False)
@click.option("-n", "limit", type=click.IntRange(1), default=20, help="How many operations, default 20.")
@click.pass_obj
def command(console: Console, id_: str | None, limit: int) -> None:
    """What happened to a memory, by which command and why; without an ID, the latest operations of the vault."""
    vault = open_vault(console)
    if id_ is None:
        _operations(console, vault, limit)
    else:
        _memory(console, vault, id_)
    finish(console, vault)


def _operations(console: Console, vault: Vault, limit: int) -> None:
    from vault_mem import messages

    found = vault.operations(limit)
    lines = []
    for each in found:
        mark = "  (undone)" if each.undone else "  (by itself)" if each.unasked else ""
        lines.append(
            f"{each.op.split('-')[0]}  {each.at:%Y-%m-%d %H:%M}  {each.command:<16} {messages.touched(each)}{mark}"
        )
    document = {"operations": [each.to_dict() for each in found]}
    console.answer(document, "\n".join(lines) or "Nothing has happened yet.")


def _memory(console: Console, vault: Vault, id_: str) -> None:
    result = vault.history(id_)
    zone = vault.workspace.folder.zone
    lines = [f"{quoted(result.memory.title)} (id: {result.id})"] if result.memory else []
    lines += [f"{result.created.astimezone(zone):%Y-%m-%d %H:%M}  created"] if result.created else []
    for each in result.revisions:
        reason = f": {each.reason}" if each.reason else ""
        lines.append(f"{each.at.astimezone(zone):%Y-%m-%d %H:%M}  {each.command}{reason}")
        lines += [f"    {quoted(line)}" for line in _changes(each)]
    if result.memory is None:
        lines.append("It is no longer in the vault.")
    console.answer(result.to_dict(), "\n".join(lines))


def _changes(revision: Revision) -> list[str]:
    if revision.before is None or revision.after is None:
        return []
    lines = difflib.unified_diff(revision.before.splitlines(), revision.after.splitlines(), lineterm="", n=0)
    return [line for line in lines if line[:1] in "+-" and not line.startswith(("+++", "---"))]
