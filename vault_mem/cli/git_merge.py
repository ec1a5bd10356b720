"""vault-mem git-merge."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command


@click.command(cls=Command, examples="vault-mem git-merge %O %A %B %P      # as git's settings have it; see init --git")
@click.argument("base")
@click.argument("ours")
@click.argument("theirs")
@click.argument("path")
def command(base: str, ours: str, theirs: str, path: str) -> int:
    """Merge two versions of a file of the vault. Git calls this; the result is written into OURS.

    Exits 5 where both sides changed the same key or the same lines: both texts then stand in the file.
    """
    from vault_mem.merge_driver import main

    return main([base, ours, theirs, path])
