"""vault-mem reindex."""

from __future__ import annotations

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import the_vault


@Command.with_examples("vault-mem reindex")
def command(console: Console) -> None:
    """Rebuild the index from the files. This is always safe."""
    vault = open_vault(console, "Reindexing")
    report = vault.reindex()
    reply(console, vault, report, the_vault.reindexed(report))
