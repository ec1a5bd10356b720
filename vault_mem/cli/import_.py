"""vault-mem import."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console

# Listed here so that help and completion need not load the readers.
FORMATS = (
    "auto",
    "basic-memory",
    "chatgpt",
    "claude",
    "jsonl",
    "markdown",
    "mcp-memory-service",
    "mem0",
    "openclaw",
)


@click.command(
    cls=Command,
    examples="""vault-mem import ~/notes --dry-run
                vault-mem import ~/.openclaw/workspace
                vault-mem import mem0-export.json --json
                vault-mem import claude-export.zip --private
                vault-mem import memories.jsonl               # as `vault-mem export` wrote it""",
)
@click.argument("source")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="auto", help="What SOURCE is, default auto.")
@click.option("--dry-run", is_flag=True, help="Only say what would come in.")
@click.option("--private", is_flag=True, help="Make everything private.")
@click.pass_obj
def command(console: Console, source: str, format_: str, dry_run: bool, private: bool) -> int:
    """Bring in memories from SOURCE: a file, a folder or a zip archive.

    Everything goes through the guard, and says in `source` where it comes from. What came in before is skipped, so
    an import can be repeated. One item that cannot be read does not stop the rest.
    """
    from vault_mem import messages

    vault = open_vault(console)
    path = console.cwd / Path(source).expanduser()
    try:
        report = vault.import_(path, format_, dry_run=dry_run, private=private, progress=console.progress("Importing"))
    except KeyboardInterrupt as interrupt:
        stopped = getattr(interrupt, "report", None)
        if stopped is not None:
            console.notice(messages.import_stopped(stopped))
        raise
    if console.json:
        console.print_json(report.to_dict())
    else:
        _show(console, report)
    finish(console, vault)
    return 1 if report.refused and not (report.imported or report.skipped or report.duplicates) else 0


def _show(console: Console, report: Any) -> None:
    from vault_mem import messages

    console.print(messages.imported(report))
    for each in report.duplicates:
        similar = f" (similarity: {each.similarity:.2f})" if each.similarity is not None else ""
        console.print(f"duplicate: {each.source} repeats {each.id or 'another item'}{similar}")
    for each in report.refused:
        console.print(f"refused: {each.source}: {each.reason}")
