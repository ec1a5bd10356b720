"""vault-mem show."""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, beside, finish, open_vault, vault_name
from vault_mem.cli.console import Console
from vault_mem.notes.origin import trust_of
from vault_mem.visible import quoted

if TYPE_CHECKING:
    from vault_mem.operations.memory.show import ShowResult


@click.command(cls=Command, examples="vault-mem show mem_651b9d294720\nvault-mem show 651b9d --json")
@click.argument("id_", metavar="ID")
@click.pass_obj
def command(console: Console, id_: str) -> None:
    """Show one memory with its links in both directions.

    ID is an id or its beginning, a title, a file name, a path or a [[wikilink]].
    """
    vault = open_vault(console)
    others = beside(console, vault)
    name = vault_name(console, vault.workspace.folder.root)
    result = vault.show_in(others, id_, name) if others else vault.show(id_)
    console.answer(result.to_dict(), _text(result, vault.workspace.folder.zone))
    if result.vault in ("", name):
        vault.note_used([result.memory.id])
    finish(console, vault, stale=result.stale, pending=result.pending)


def _text(result: ShowResult, zone: tzinfo) -> str:
    memory = result.memory
    facts = {
        "id": memory.id + (" (provisional)" if memory.provisional else ""),
        "vault": result.vault,
        "path": memory.path,
        "created": memory.created.astimezone(zone).strftime("%Y-%m-%d %H:%M"),
        "importance": memory.importance,
        "category": memory.category,
        "kind": memory.kind,
        "emotion": memory.emotion,
        "private": "true" if memory.private else "false",
        "tags": ", ".join(memory.tags),
        "people": ", ".join(memory.people),
        "source": memory.source,
        "trust": trust_of(memory.source) if memory.source else None,
        "status": memory.status,
        "valid to": memory.valid_to.isoformat() if memory.valid_to else None,
    }
    lines = [quoted(memory.title), ""]
    lines += [f"{name + ':':<12}{value}" for name, value in facts.items() if value not in (None, "")]
    lines += ["", quoted(memory.content)]
    if result.links:
        lines += ["", "Links:"]
    for each in result.links:
        confidence = f" {each.confidence:.2f}" if each.confidence is not None else ""
        lines.append(f"- {quoted(each.title)} (id: {each.id}, {each.type}{confidence})")
    return "\n".join(lines)
