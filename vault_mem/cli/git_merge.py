"""vault-mem git-merge."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command
from vault_mem.cli.console import Console


@Command.with_examples("vault-mem git-merge %O %A %B %P      # as git's settings have it; see init --git")
@click.argument("base")
@click.argument("ours")
@click.argument("theirs")
@click.argument("path")
def command(_: Console, base: str, ours: str, theirs: str, path: str) -> int:
    """Merge two versions of a vault file into OURS. Git calls this.

    Exits 5 if both sides changed the same key or lines; the file then contains both texts.
    """
    from vault_mem.merge_driver import main

    return main([base, ours, theirs, path])
