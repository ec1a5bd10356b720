"""status: what the vault holds, how fresh the index is, and what needs attention."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

from vault_mem.embedding.calibration import Calibration
from vault_mem.errors import VaultMemError, VaultNotFound
from vault_mem.index.astray import still_astray
from vault_mem.model import Problem
from vault_mem.operations import sharing
from vault_mem.operations.git.autocommit import last_trouble
from vault_mem.operations.unasked import heal
from vault_mem.operations.unasked.adopt import candidates
from vault_mem.operations.unasked.private_moves import waiting_to_enter, waiting_to_leave
from vault_mem.operations.upkeep.private import still_held
from vault_mem.operations.workspace import INDEX_ERRORS, Freshness, Workspace
from vault_mem.result import Result
from vault_mem.store.ledger import StoreStatus
from vault_mem.vault import git, journal
from vault_mem.vault.walk import walk


@dataclass(frozen=True, kw_only=True)
class Status(Result):
    """The state of a vault and its index; `trouble` is why the index could not be used, or brought up to date.

    `in_git` are files in git's history whose memories are private by now. `git` is the state of the repository, None if
    there is none; `autocommit` is why git did not make the last commit that was due. `astray` are memories that were
    moved to where nothing is searched. `store` is the state of the store shared with other machines, None if there is
    none.

    Without an index, notes are counted by their files, and whatever depends on their text stays empty.
    """

    vault: Path
    memories: int
    private: int
    closed: int = 0
    episodes: int
    notes: int
    stale: bool
    pending: int
    index_dir: Path
    index_bytes: int = 0
    model: str
    dim: int = 0
    calibration: Calibration | None = None
    waiting_for_id: list[str] = field(default_factory=list)
    waiting_to_move: list[str] = field(default_factory=list)
    waiting_for_views: list[str] = field(default_factory=list)
    waiting_for_heal: list[str] = field(default_factory=list)
    interrupted: list[str]
    problems: list[Problem]
    adopt_ids: str
    heal_links: bool
    trouble: list[str]
    in_git: list[str] = field(default_factory=list)
    git: git.GitState | None
    autocommit: str = ""
    astray: list[str] = field(default_factory=list)
    store: StoreStatus | None = None


def status(workspace: Workspace) -> Status:
    """Look at everything. Writes no more than any other command does."""
    try:
        return _by_index(workspace, workspace.freshen(scan=True), [])
    except VaultNotFound:
        raise
    except VaultMemError as error:
        trouble = [f"{error.message}; {error.hint}" if error.hint else error.message]
    try:
        known, now = set(workspace.index.known.keys()), set(walk(workspace.folder).files)
        return _by_index(workspace, Freshness(stale=True, pending=len(known ^ now)), trouble)
    except (VaultMemError, AttributeError, *INDEX_ERRORS):
        return _by_files(workspace, trouble)


def _by_index(workspace: Workspace, freshness: Freshness, trouble: list[str]) -> Status:
    index = workspace.index
    return Status(
        vault=workspace.folder.root,
        **asdict(index.counts()),
        stale=freshness.stale,
        pending=freshness.pending,
        index_dir=index.home,
        index_bytes=index.size,
        model=index.embedder.name,
        dim=index.embedder.dim,
        calibration=workspace.calibration,
        waiting_for_id=[known.key for known in candidates(workspace)],
        waiting_to_move=[known.key for known in (*waiting_to_enter(workspace), *waiting_to_leave(workspace))],
        waiting_for_views=[known.key for known in index.known.unfollowed() if workspace.folder.is_note(known.key)],
        waiting_for_heal=heal.notes_to_heal(workspace),
        interrupted=journal.pending(workspace.folder),
        problems=[
            problem
            for problem in (freshness.report.problems if freshness.report else index.known.problems())
            if not problem.odd or workspace.folder.is_owned(problem.path)
        ],
        adopt_ids=workspace.folder.settings.adopt_ids,
        heal_links=workspace.folder.settings.heal_links,
        trouble=trouble,
        in_git=still_held(workspace),
        git=git.state(workspace.folder),
        autocommit=last_trouble(workspace),
        astray=sorted(still_astray(workspace.folder, index.known).values()),
        store=sharing.status(workspace),
    )


def _by_files(workspace: Workspace, trouble: list[str]) -> Status:
    """What can be known without an index."""
    folder = workspace.folder
    listing = walk(folder)
    episodes = folder.settings.episodes_folder + "/"
    owned = [key for key in listing.files if folder.is_owned(key)]
    return Status(
        vault=folder.root,
        memories=sum(not key.startswith(episodes) for key in owned),
        private=sum(map(folder.is_private, owned)),
        episodes=sum(key.startswith(episodes) for key in owned),
        notes=len(listing.files) - len(owned),
        stale=True,
        pending=len(listing.files),
        index_dir=folder.index_dir,
        model=folder.settings.model or "built-in",
        interrupted=journal.pending(folder),
        problems=listing.problems,
        adopt_ids=folder.settings.adopt_ids,
        heal_links=folder.settings.heal_links,
        trouble=trouble,
        git=git.state(folder),
    )
