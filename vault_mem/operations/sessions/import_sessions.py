"""Importing agents' transcripts as sessions; importing again adds what is new in them (SPEC K-3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vault_mem.errors import InvalidInput, VaultMemError
from vault_mem.imports.formats import READERS as MEMORIES
from vault_mem.imports.items import BadItem
from vault_mem.imports.transcripts.readers import READERS, reader_of
from vault_mem.index.sync import Progress
from vault_mem.operations.sessions.keep import Keeper
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result
from vault_mem.vault import sessions
from vault_mem.vault.lock import locked


@dataclass
class SessionsReport(Result):
    """How many sessions are new, have grown or stayed the same, and what could not be read."""

    format: str
    dry_run: bool = False
    new: list[str] = field(default_factory=list)
    grown: list[str] = field(default_factory=list)
    same: int = 0
    turns: int = 0
    refused: list[BadItem] = field(default_factory=list)


def default_source(format_: str, env: Mapping[str, str]) -> Path | None:
    """Where an agent keeps its sessions, if there are any; None if the format has none of its own."""
    found: tuple[str, str, str] | None = getattr(reader_of(format_) or MEMORIES.get(format_), "HOME", None)
    if found is None:
        return None
    variable, usual, below = found
    home = Path(env.get("HOME") or Path.home())
    named = env.get(variable) if variable else None
    return (Path(named).expanduser() if named else home / usual) / below


def import_sessions(
    workspace: Workspace, source: Path, format_: str, *, dry_run: bool = False, progress: Progress | None = None
) -> SessionsReport:
    """Import every session below a folder; one imported before is continued from where it ended."""
    reader = reader_of(format_)
    if reader is None:
        raise InvalidInput(f"{format_} keeps no sessions", f"one of {', '.join(sorted(READERS))}")
    if not source.exists():
        raise InvalidInput(f"{source} does not exist", f"name the file or folder where {format_} keeps its sessions")
    report = SessionsReport(reader.NAME, dry_run)
    found = list(reader.transcripts(source))
    workspace.freshen()
    with locked(workspace.folder.tree, sessions.LOCK, "the sessions"):
        keeper = Keeper(workspace)
        for done, each in enumerate(found, start=1):
            try:
                before = set(keeper.known.values())
                kept = (keeper.would_keep if dry_run else keeper.keep)(reader, each)
                report.turns += kept.new
                if not kept.new:
                    report.same += 1
                else:
                    (report.grown if kept.key in before else report.new).append(kept.key or str(each.path))
            except (OSError, VaultMemError) as error:
                reason = error.message if isinstance(error, VaultMemError) else error.strerror or str(error)
                report.refused.append(BadItem(f"{reader.NAME}:{each.id or each.path.name}", reason))
            if progress:
                progress(done, len(found))
    return report
