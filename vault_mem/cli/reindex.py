"""vault-mem reindex."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console


@click.command(cls=Command, examples="vault-mem reindex")
@click.pass_obj
def command(console: Console) -> None:
    """Rebuild the index from the files. This is always safe: the files are the truth."""
    vault = open_vault(console, "Reindexing")
    report = vault.reindex()
    if console.json:
        console.print_json(report.to_dict())
    else:
        console.print(f"Indexed {report.added} file(s) in {report.seconds:.1f} s.")
        if report.problems:
            console.print(f"{len(report.problems)} problem(s): see vault-mem doctor.")
    finish(console, vault)
