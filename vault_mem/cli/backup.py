"""vault-mem backup."""

from __future__ import annotations

from pathlib import Path

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console


@click.command(
    cls=Command,
    examples="""vault-mem backup ~/backups/vault-2026-11-15.tar.gz
                vault-mem backup --check ~/backups/vault-2026-11-15.tar.gz
                vault-mem --vault ~/restored doctor        # after: tar -xpzf FILE -C ~/restored""",
)
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Replace FILE if it is there already.")
@click.option("--check", "check_", is_flag=True, help="Read FILE whole and say whether everything is in it.")
@click.pass_obj
def command(console: Console, file: str, force: bool, check_: bool) -> int:
    """Write the whole vault into FILE (tar.gz, readable by you alone): private memories, history and trash too.

    It is not encrypted. Left out are the index and the undo journal. `tar -xpzf FILE -C FOLDER` brings it back.
    """
    from vault_mem import messages
    from vault_mem.operations.upkeep.backup import check

    path = console.cwd / Path(file).expanduser()
    if check_:
        result = check(path)
    else:
        vault = open_vault(console, "Backing up")
        result = vault.backup(path, force=force)
        finish(console, vault)
    status = {"status": "sound"} if check_ and not result.wrong else {}
    console.answer(
        result.to_dict() | status,
        messages.checked_backup(result) if check_ else messages.backed_up(result),
    )
    return 1 if result.wrong else 0
