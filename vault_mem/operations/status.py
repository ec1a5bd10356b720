"""status: what the vault holds, how fresh the index is, and what needs attention."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vault_mem.embedding.calibration import Calibration
from vault_mem.model import Problem
from vault_mem.operations import heal
from vault_mem.operations.adopt import candidates
from vault_mem.operations.private_moves import leaving, waiting
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import journal


@dataclass(frozen=True)
class Status:
    """The state of a vault and its index."""

    vault: Path
    memories: int
    private: int
    closed: int
    episodes: int
    notes: int
    stale: bool
    pending: int
    index_dir: Path
    index_bytes: int
    model: str
    dim: int
    calibration: Calibration
    waiting_for_id: list[str]
    waiting_to_move: list[str]
    waiting_for_views: list[str]
    waiting_for_heal: list[str]
    interrupted: list[str]
    problems: list[Problem]
    adopt_ids: str
    heal_links: bool


def status(workspace: Workspace) -> Status:
    """Look at everything; writes nothing but what is due anyway."""
    freshness = workspace.freshen(scan=True)
    index = workspace.index
    counts = index.counts()
    now = workspace.folder.now().timestamp()
    return Status(
        vault=workspace.folder.root,
        memories=counts["memory"],
        private=index.table.count("n = 0 AND type = 'memory' AND private = true"),
        closed=index.table.count(f"n = 0 AND type = 'memory' AND valid_to <= {now!r}"),
        episodes=counts["episode"],
        notes=counts["note"],
        stale=freshness.stale,
        pending=freshness.pending,
        index_dir=index.home,
        index_bytes=sum(file.stat().st_size for file in index.home.rglob("*") if file.is_file()),
        model=index.embedder.name,
        dim=index.table.dim,
        calibration=workspace.calibration,
        waiting_for_id=[known.key for known in candidates(workspace)],
        waiting_to_move=[known.key for known in (*waiting(workspace), *leaving(workspace))],
        waiting_for_views=[known.key for known in index.state.unfollowed() if workspace.folder.is_note(known.key)],
        waiting_for_heal=heal.waiting(workspace),
        interrupted=journal.pending(workspace.folder),
        problems=freshness.report.problems if freshness.report else index.state.problems(),
        adopt_ids=workspace.folder.settings.adopt_ids,
        heal_links=workspace.folder.settings.heal_links,
    )
