"""vault-mem doctor."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console

if TYPE_CHECKING:
    from vault_mem.library import Vault
    from vault_mem.operations.vaults.checks.finding import Finding


@click.command(cls=Command, examples="vault-mem doctor\nvault-mem doctor --fix\nvault-mem doctor --json")
@click.option(
    "--fix",
    is_flag=True,
    help="Put right what is safe to: index, modes, git's list, copies that say the same, times in the future, links "
    "that say no more than what followed what.",
)
@click.pass_obj
def command(console: Console, fix: bool) -> int:
    """Find trouble in the vault and say what to do about it. Exits 1 where something needs attention."""
    vault = open_vault(console)
    diagnosis = vault.doctor(fix=fix)
    diagnosis = replace(
        diagnosis,
        checks=[*diagnosis.checks, "daemon"],
        findings=[*diagnosis.findings, *_daemon(console, vault)],
    )
    if console.json:
        console.print_json(diagnosis.to_dict())
    else:
        for each in diagnosis.fixed:
            console.print(f"fixed: {each.path + ': ' if each.path else ''}{each.message}")
        if diagnosis.healthy:
            what = "nothing that needs attention" if diagnosis.findings else "nothing"
            console.print(f"All well: {len(diagnosis.checks)} checks found {what}.")
        for each in diagnosis.findings:
            place = f"{each.path}:{each.line}" if each.line else each.path
            console.print(f"{each.severity}: {place + ': ' if place else ''}{each.message}")
            if each.hint:
                console.print(f"  {each.hint}")
        if diagnosis.skipped:
            console.print(f"Not checked because of that: {', '.join(diagnosis.skipped)}.")
    finish(console, vault)
    return 0 if diagnosis.healthy else 1


def _daemon(console: Console, vault: Vault) -> list[Finding]:
    """A daemon of another version, left from before an update."""
    from vault_mem import __version__
    from vault_mem.daemon.protocol import STATUS, meeting_place
    from vault_mem.daemon.start import control
    from vault_mem.operations.vaults.checks.finding import Finding

    place = meeting_place(str(vault.root), console.env) if os.name == "posix" else ""
    answer = control(place, STATUS) if place else None
    version = answer.get("version") if answer else __version__
    if version == __version__:
        return []
    message = f"the daemon is of version {version}, this command of {__version__}"
    return [Finding("daemon", message, hint="vault-mem daemon restart")]
