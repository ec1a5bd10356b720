"""vault-mem import."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import the_vault

# Listed here so that help and completion need not load the readers.
FORMATS = tuple(
    "auto basic-memory chatgpt claude claude-code claude-code-memory claude-mem codex cursor gemini jsonl markdown "
    "mcp-memory-service mem0 mempalace memsearch openclaw openclaw-sessions opencode qwen".split()
)
# Imported as sessions, unless --as-memories is given.
SESSIONS = ("claude-code", "codex", "cursor", "gemini", "opencode", "openclaw-sessions", "qwen")
# Formats whose usual place is known, so that SOURCE may be just the name.
AT_HOME = (*SESSIONS, "claude-code-memory", "claude-mem", "mempalace")


@Command.with_examples("""vault-mem import ~/notes --dry-run
                          vault-mem import ~/.openclaw/workspace
                          vault-mem import mem0-export.json --json
                          vault-mem import claude-export.zip --private
                          vault-mem import claude-code                  # its sessions, from where it keeps them
                          vault-mem import ~/logs --format codex --as-memories
                          vault-mem import memories.jsonl               # as `vault-mem export` wrote it""")
@click.argument("source")
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="auto", help="Format of SOURCE (default: auto)."
)
@click.option("--dry-run", is_flag=True, help="Only show what would be imported.")
@click.option("--private", is_flag=True, help="Make everything private.")
@click.option("--as-memories", is_flag=True, help="Turn each session into a memory instead of keeping it as a session.")
def command(console: Console, source: str, format_: str, dry_run: bool, private: bool, as_memories: bool) -> int:
    """Import memories from SOURCE: a file, a folder, a zip archive, or the name of an agent.

    Everything goes through the guard, and `source` records where it came from. You can repeat an import: what is
    already here is skipped, and a conversation that got longer is extended. An item that cannot be read does not stop
    the rest. Agents' session logs become sessions (see `vault-mem sessions --help`).
    """
    vault = open_vault(console)
    path = console.path(source)
    if source in AT_HOME and format_ in ("auto", source) and not path.exists():
        from vault_mem.operations.sessions.import_sessions import default_source

        format_, path = source, default_source(source, console.env) or path
    if format_ in SESSIONS and not as_memories:
        kept = vault.import_sessions(path, format_, dry_run=dry_run, progress=console.progress("Importing"))
        reply(console, vault, kept, the_vault.imported_sessions(kept))
        return 1 if kept.refused and not (kept.new or kept.grown or kept.same) else 0
    try:
        report = vault.import_(path, format_, dry_run=dry_run, private=private, progress=console.progress("Importing"))
    except KeyboardInterrupt as interrupt:
        stopped = getattr(interrupt, "report", None)
        if stopped is not None:
            console.notice(the_vault.import_stopped(stopped))
        raise
    reply(console, vault, report, the_vault.imported(report))
    return 1 if report.refused and not (report.imported or report.skipped or report.grown or report.duplicates) else 0
