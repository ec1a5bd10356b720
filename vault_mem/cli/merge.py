"""vault-mem merge."""

from __future__ import annotations

from typing import Any

import click

from vault_mem.cli.common import Command, finish, open_vault, tell_left
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean


@Command.with_examples("""vault-mem merge mem_651b9d294720 mem_0c93f1a86d25
                          vault-mem merge 651b9d 0c93f1 --content "Both of them in one text"
                          echo "..." | vault-mem merge 651b9d 0c93f1 --content -        # private text goes by stdin""")
@click.argument("keep", metavar="KEEP")
@click.argument("remove", metavar="REMOVE")
@click.option("--content", metavar="TEXT", help="The new text of KEEP; - reads standard input.")
@click.option("--reason", default="", help="Reason, kept in the history and the deletion log.")
@click.option("--allow-secret", is_flag=True, help="Save it even if it looks like a credential.")
@click.option("--update-links", is_flag=True, help="Also change links in your own notes, canvases and bases.")
def command(console: Console, keep: str, remove: str, content: str | None, update_links: bool, **options: Any) -> None:
    """Merge REMOVE into KEEP, with its links, tags, people and episodes. REMOVE goes to the trash.

    KEEP keeps its text unless you give --content. A private memory cannot be merged into a public one (exit code 6).
    """
    text = console.read_text() if content == "-" else content
    vault = open_vault(console)
    result = vault.merge(keep, remove, text, update_links=update_links, **options)
    console.answer(result.to_dict(), keep_clean.merged(result))
    tell_left(console, vault, result.left, f"still names {result.removed.id}", update_links=update_links)
    finish(console, vault)
