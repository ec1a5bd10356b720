"""vault-mem doctor."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console


@click.command(cls=Command, examples="vault-mem doctor\nvault-mem doctor --json")
@click.pass_obj
def command(console: Console) -> int:
    """Find trouble in the vault and say what to do about it. Exits 1 where something needs attention."""
    vault = open_vault(console)
    diagnosis = vault.doctor()
    if console.json:
        findings = [vars(each) for each in diagnosis.findings]
        console.print_json({"healthy": diagnosis.healthy, "checks": diagnosis.checks, "findings": findings})
    else:
        for each in diagnosis.findings:
            place = f"{each.path}:{each.line}" if each.line else each.path
            console.print(f"{each.severity}: {place + ': ' if place else ''}{each.message}")
            if each.hint:
                console.print(f"  {each.hint}")
        if not diagnosis.findings:
            console.print(f"All well: {len(diagnosis.checks)} checks found nothing.")
    finish(console, vault)
    return 0 if diagnosis.healthy else 1
