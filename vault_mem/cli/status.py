"""vault-mem status."""

from __future__ import annotations

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import the_vault


@Command.with_examples("vault-mem status\nvault-mem status --json")
def command(console: Console) -> None:
    """Show what the vault holds, whether the index is fresh, and what needs attention."""
    vault = open_vault(console)
    status = vault.status()
    reply(console, vault, status, the_vault.status(status))
