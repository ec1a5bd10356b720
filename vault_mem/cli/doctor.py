"""vault-mem doctor."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import the_vault

if TYPE_CHECKING:
    from vault_mem.library import Vault
    from vault_mem.operations.vaults.checks.finding import Finding


@Command.with_examples("vault-mem doctor\nvault-mem doctor --fix\nvault-mem doctor --json")
@click.option(
    "--fix",
    is_flag=True,
    help="Fix what is safe to fix: index, file modes, .gitignore, identical copies, dates in the future, links "
    "made by time alone.",
)
def command(console: Console, fix: bool) -> int:
    """Check the vault's health and say how to fix each problem. Exits 1 if something needs attention."""
    vault = open_vault(console)
    diagnosis = vault.doctor(fix=fix)
    findings = [*diagnosis.findings, *_daemon(console, vault)]
    diagnosis = replace(diagnosis, checks=[*diagnosis.checks, "daemon"], findings=findings)
    reply(console, vault, diagnosis, the_vault.diagnosed(diagnosis))
    return 0 if diagnosis.healthy else 1


def _daemon(console: Console, vault: Vault) -> list[Finding]:
    """A daemon of another version, left from before an update."""
    from vault_mem import __version__
    from vault_mem.daemon.protocol import STATUS, address_for
    from vault_mem.daemon.start import control
    from vault_mem.operations.vaults.checks.finding import Finding

    address = address_for(str(vault.root), console.env) if os.name == "posix" else ""
    answer = control(address, STATUS) if address else None
    version = str(answer.get("version")) if answer else __version__
    if version == __version__:
        return []
    message = the_vault.OTHER_VERSION.format(running=version, ours=__version__)
    return [Finding(message, hint="vault-mem daemon restart", check="daemon")]
