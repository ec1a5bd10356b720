"""vault-mem edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, finish, open_vault_of
from vault_mem.cli.console import Console
from vault_mem.errors import InvalidInput
from vault_mem.messages import keep_clean
from vault_mem.model import Memory

if TYPE_CHECKING:
    from vault_mem.library import Vault


@Command.with_examples("""vault-mem edit mem_651b9d294720        # in $VISUAL or $EDITOR
                          vault-mem edit 651b9d --content "The spare key is with Wei"
                          echo "..." | vault-mem edit 651b9d --content -        # private text goes by stdin
                          vault-mem edit 651b9d --set importance=5 --set tags=house,keys --set valid_to=""")
@click.argument("id_", metavar="ID")
@click.option("--content", metavar="TEXT", help="The new text; - reads standard input.")
@click.option("--set", "fields", multiple=True, metavar="KEY=VALUE", help="Set a field; KEY= removes it (repeatable).")
@click.option("--reason", default="", help="Reason, kept in the history.")
@click.option("--keep-added", is_flag=True, help="With --content: keep what was added to the memory by hand.")
@click.option("--allow-secret", is_flag=True, help="Save it even if it looks like a credential.")
def command(
    console: Console,
    id_: str,
    content: str | None,
    fields: tuple[str, ...],
    reason: str,
    keep_added: bool,
    allow_secret: bool,
) -> None:
    """Change a memory: its text, its fields, or, without options, the whole note in your editor.

    Separate list items with commas. The earlier text is kept in the history; `undo` brings it back.
    """
    text = console.read_text() if content == "-" else content
    vault = open_vault_of(console, id_)
    if text is None and not fields:
        in_editor(console, vault, id_, reason, allow_secret=allow_secret)
    else:
        result = vault.edit(id_, text, _pairs(fields), reason, keep_added=keep_added, allow_secret=allow_secret)
        console.answer(result.to_dict(), keep_clean.edited(result))
    finish(console, vault)


def _pairs(fields: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for each in fields:
        key, sign, value = each.partition("=")
        key = key.strip()
        if key.replace("-", "_") in Memory.__dataclass_fields__:
            key = key.replace("-", "_")
        if not sign or not key:
            raise click.UsageError("--set takes KEY=VALUE, such as importance=5.")
        if key in pairs:
            raise InvalidInput(f"{key} is set twice")
        pairs[key] = value.strip()
    return pairs


def in_editor(console: Console, vault: Vault, id_: str, reason: str = "", *, allow_secret: bool = False) -> None:
    """Open a memory in the caller's editor, then save the result; a text that cannot be saved is kept."""
    from vault_mem.cli.editor import edited_copy
    from vault_mem.operations.changing import read_to_edit, to_change
    from vault_mem.operations.upkeep.edit_memory import EditResult, save_note

    workspace = vault.workspace
    memory = to_change(workspace, id_)
    before = read_to_edit(workspace, memory)
    with edited_copy(console, workspace.folder, memory.id, before) as after:
        result = EditResult(memory)
        if after != before:
            result = save_note(workspace, memory, before, after, reason, allow_secret=allow_secret)
    console.answer(result.to_dict(), keep_clean.edited(result))
