"""vault-mem init."""

from __future__ import annotations

from typing import Any

import click

from vault_mem.cli.common import Command, agrees, can_ask
from vault_mem.cli.console import Console
from vault_mem.messages import the_vault
from vault_mem.messages.words import counted
from vault_mem.operations.vaults.init import init, other_notes, would_add
from vault_mem.vault.find import default_vault
from vault_mem.vault.settings import load_settings


@Command.with_examples("""vault-mem init ~/my-vault
                vault-mem init . --obsidian --include     # inside an existing Obsidian vault, its notes searched too
                vault-mem init ~/my-vault --git           # so that clones of it merge without conflicts
                vault-mem init . --memories-folder agent/memories --private-folder agent/private""")
@click.argument("folder", required=False, metavar="[FOLDER]")
@click.option("--adopt", is_flag=True, help="Turn notes already in memories/, private/ and episodes/ into memories.")
@click.option(
    "--adopt-ids", type=click.Choice(["quiet", "never"]), help="When to write an id into notes that have none."
)
@click.option("--memories-folder", metavar="NAME", help="Keep memories in this folder instead of memories/.")
@click.option("--private-folder", metavar="NAME", help="Keep private memories in this folder instead of private/.")
@click.option("--episodes-folder", metavar="NAME", help="Keep episodes in this folder instead of episodes/.")
@click.option("--nested", is_flag=True, help="Allow a vault inside another vault.")
@click.option("--yes", is_flag=True, help="Do not ask if the folder has files.")
@click.option("--timezone", metavar="ZONE", help="The vault's time zone, such as Asia/Tokyo (default: this machine's).")
@click.option("--include", is_flag=True, help="Also search the folder's other notes; they stay untouched.")
@click.option("--obsidian", is_flag=True, help="Add views, templates and property types for Obsidian.")
@click.option(
    "--git", is_flag=True, help="Set up git to merge clones of the vault; creates a repository if there is none."
)
def command(console: Console, folder: str | None, yes: bool, include: bool, **options: Any) -> int:
    """Make a folder a vault. Files already in it are not touched.

    If the folder has files, it shows what it will add and, on a terminal, asks first.
    """
    root = console.path(folder or console.vault or ".").resolve()
    if not yes and can_ask(console):
        folders = {name: options[name] for name in ("memories_folder", "private_folder", "episodes_folder")}
        added = would_add(root, folders)
        if added:
            console.notice(the_vault.WOULD_MAKE.format(root=root, added=", ".join(added)))
            if not agrees(console, "Make it a vault?"):
                console.print(the_vault.NOT_CREATED)
                return 1
            count = 0 if include else len(other_notes(root, console.env, folders))
            if count:
                include = agrees(console, f"Found {counted(count, 'note')}. Search them too? (they stay untouched)")
    result = init(root, console.env, include=include, **options)
    for notice in result.notices:
        console.note(notice)
    has_default = bool(default_vault(load_settings(None, console.env).settings))
    console.answer(result.to_dict(), the_vault.made(result, has_default=has_default))
    return 0
