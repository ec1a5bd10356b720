"""vault-mem init."""

from __future__ import annotations

from pathlib import Path

import click

from vault_mem.cli.common import Command, agrees, can_ask
from vault_mem.cli.console import Console
from vault_mem.operations.vaults.init import init, other_notes, would_add
from vault_mem.vault.find import default_vault
from vault_mem.vault.settings import load_settings


@click.command(
    cls=Command,
    examples="""vault-mem init ~/my-vault
                vault-mem init . --obsidian --include     # inside an existing Obsidian vault, its notes searched too
                vault-mem init ~/my-vault --git           # so that clones of it merge without conflicts
                vault-mem init . --memories-folder agent/memories --private-folder agent/private""",
)
@click.argument("folder", required=False, metavar="[FOLDER]")
@click.option("--adopt", is_flag=True, help="Make the notes already in memories/, private/ and episodes/ memories.")
@click.option("--adopt-ids", type=click.Choice(["quiet", "never"]), help="When ids are written into notes without one.")
@click.option("--memories-folder", metavar="NAME", help="Keep memories in this folder instead of memories/.")
@click.option("--private-folder", metavar="NAME", help="Keep private memories in this folder instead of private/.")
@click.option("--episodes-folder", metavar="NAME", help="Keep episodes in this folder instead of episodes/.")
@click.option("--nested", is_flag=True, help="Also inside another vault.")
@click.option("--yes", is_flag=True, help="Do not ask, in a folder that has files.")
@click.option(
    "--timezone", metavar="ZONE", help="Time zone of the vault, such as Asia/Tokyo (default: this machine's)."
)
@click.option("--include", is_flag=True, help="Search all other notes of the folder too; they stay untouched.")
@click.option("--obsidian", is_flag=True, help="Add views, templates and types of properties for Obsidian.")
@click.option(
    "--git", is_flag=True, help="Let git merge clones of the vault; makes it a repository where it is in none."
)
@click.pass_obj
def command(
    console: Console,
    folder: str | None,
    adopt: bool,
    adopt_ids: str | None,
    memories_folder: str | None,
    private_folder: str | None,
    episodes_folder: str | None,
    nested: bool,
    yes: bool,
    timezone: str | None,
    include: bool,
    obsidian: bool,
    git: bool,
) -> int:
    """Make a folder a vault. Nothing that is already in it is touched.

    In a folder that has files it says what it will add, and asks if there is somebody to ask.
    """
    root = (console.cwd / Path(folder or console.vault or ".").expanduser()).resolve()
    if not yes and can_ask(console):
        folders = {"memories_folder": memories_folder, "private_folder": private_folder}
        added = would_add(root, folders)
        if added:
            console.notice(
                f"{root} has files of its own, which stay as they are. These would be added: {', '.join(added)}"
            )
            if not agrees(console, "Make it a vault?"):
                console.print("Nothing was made.")
                return 1
            count = (
                0 if include else len(other_notes(root, console.env, folders | {"episodes_folder": episodes_folder}))
            )
            if count:
                include = agrees(console, f"{count} note(s) found. Search them too? (they stay untouched)")
    result = init(
        root,
        console.env,
        adopt=adopt,
        adopt_ids=adopt_ids,
        memories_folder=memories_folder,
        private_folder=private_folder,
        episodes_folder=episodes_folder,
        nested=nested,
        timezone=timezone,
        include=include,
        obsidian=obsidian,
        git=git,
    )
    for notice in result.notices:
        console.notice(f"note: {notice}")
    if console.json:
        console.print_json(result.to_dict())
    elif result.existed and result.created:
        console.print(f"{result.root} is a vault already; added {', '.join(result.created)}")
    elif result.existed:
        console.print(f"{result.root} is a vault already; nothing was changed.")
    else:
        console.print(f"Made {result.root} a vault: {', '.join(result.created)}")
        if result.notes:
            console.print(f"{result.notes} existing note(s) are memories now; run `vault-mem status` to see them.")
        elif not result.others:
            console.print(f'Next: vault-mem --vault "{result.root}" remember "..."')
        if result.included:
            console.print(f"{result.others} other note(s) are searched too; they stay untouched.")
        elif result.others:
            console.print(f"{result.others} other note(s) found. To search them too (they stay untouched):")
            console.print(f'  vault-mem --vault "{result.root}" config set include "**"')
        if not default_vault(load_settings(None, console.env).settings):
            console.print(f'To use it from any folder: vault-mem config set --user vault "{result.root}"')
    return 0
