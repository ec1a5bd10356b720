"""vault-mem import."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console

if TYPE_CHECKING:
    from vault_mem.library import Vault

# Listed here so that help and completion need not load the readers.
FORMATS = (
    "auto",
    "basic-memory",
    "chatgpt",
    "claude",
    "claude-code",
    "claude-code-memory",
    "claude-mem",
    "codex",
    "cursor",
    "gemini",
    "jsonl",
    "markdown",
    "mcp-memory-service",
    "mem0",
    "mempalace",
    "memsearch",
    "openclaw",
    "openclaw-sessions",
    "opencode",
    "qwen",
)
# What comes in as sessions, unless it is asked for as memories.
SESSIONS = ("claude-code", "codex", "cursor", "gemini", "opencode", "openclaw-sessions", "qwen")
# Where their owner keeps them is known: the name is enough.
AT_HOME = (*SESSIONS, "claude-code-memory", "claude-mem", "mempalace")


@click.command(
    cls=Command,
    examples="""vault-mem import ~/notes --dry-run
                vault-mem import ~/.openclaw/workspace
                vault-mem import mem0-export.json --json
                vault-mem import claude-export.zip --private
                vault-mem import claude-code                  # its sessions, from where it keeps them
                vault-mem import ~/logs --format codex --as-memories
                vault-mem import memories.jsonl               # as `vault-mem export` wrote it""",
)
@click.argument("source")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="auto", help="What SOURCE is, default auto.")
@click.option("--dry-run", is_flag=True, help="Only say what would come in.")
@click.option("--private", is_flag=True, help="Make everything private.")
@click.option("--as-memories", is_flag=True, help="Make a memory of each session, instead of keeping it as a session.")
@click.pass_obj
def command(console: Console, source: str, format_: str, dry_run: bool, private: bool, as_memories: bool) -> int:
    """Bring in memories from SOURCE: a file, a folder, a zip archive, or the name of an agent.

    Everything goes through the guard, and says in `source` where it comes from. What came in before is skipped, so
    an import can be repeated; a conversation that got longer grows. One item that cannot be read does not stop the
    rest. What agents have kept of their sessions comes in as sessions (see `vault-mem sessions --help`).
    """
    from vault_mem import messages

    vault = open_vault(console)
    path = console.cwd / Path(source).expanduser()
    if source in AT_HOME and format_ in ("auto", source) and not path.exists():
        from vault_mem.operations.sessions.import_sessions import default_place

        format_, path = source, default_place(source, console.env) or path
    if format_ in SESSIONS and not as_memories:
        return _sessions(console, vault, path, format_, dry_run)
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
    return 1 if report.refused and not (report.imported or report.skipped or report.grown or report.duplicates) else 0


def _sessions(console: Console, vault: Vault, path: Path, format_: str, dry_run: bool) -> int:
    from vault_mem import messages

    report = vault.import_sessions(path, format_, dry_run=dry_run, progress=console.progress("Importing"))
    lines = [messages.imported_sessions(report), *(f"refused: {each.source}: {each.reason}" for each in report.refused)]
    console.answer(report.to_dict(), "\n".join(lines))
    finish(console, vault)
    return 1 if report.refused and not (report.new or report.grown or report.same) else 0


def _show(console: Console, report: Any) -> None:
    from vault_mem import messages

    console.print(messages.imported(report))
    for each in report.duplicates:
        similar = f" (similarity: {each.similarity:.2f})" if each.similarity is not None else ""
        console.print(f"duplicate: {each.source} repeats {each.id or 'another item'}{similar}")
    for each in report.refused:
        console.print(f"refused: {each.source}: {each.reason}")
