"""vault-mem backup."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean


@Command.with_examples("""vault-mem backup ~/backups/vault-2026-11-15.tar.gz
                          vault-mem backup --check ~/backups/vault-2026-11-15.tar.gz
                          vault-mem backup ~/backups/vault-2026-11-15.tar.gz --restore ~/restored""")
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.option("--check", "check_", is_flag=True, help="Check that FILE is complete and undamaged.")
@click.option("--restore", "into", metavar="FOLDER", help="Unpack FILE into FOLDER, which must be new or empty.")
def command(console: Console, file: str, force: bool, check_: bool, into: str | None) -> int:
    """Back up the whole vault to FILE, with private memories, history and trash.

    FILE is a tar.gz that only you can read; it is not encrypted. The index and the undo journal are left
    out. Restore it with --restore or tar.
    """
    from vault_mem.operations.upkeep.backup import check, restore_backup

    if into is not None and (check_ or force):
        raise click.UsageError("--restore cannot be combined with --check or --force.")
    path = console.path(file)
    if into is not None:
        restored = restore_backup(path, console.path(into))
        console.answer(restored.to_dict(), keep_clean.restored_backup(restored))
        return 0
    if check_:
        result = check(path)
    else:
        vault = open_vault(console, "Backing up")
        result = vault.backup(path, force=force)
        finish(console, vault)
    status = {"status": "sound"} if check_ and not result.wrong else {}
    text = keep_clean.checked_backup(result) if check_ else keep_clean.backed_up(result)
    console.answer(result.to_dict() | status, text)
    return 1 if result.wrong else 0
