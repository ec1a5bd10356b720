"""Being ready before somebody asks: what the daemon does with an open vault in idle moments."""

from __future__ import annotations

from contextlib import suppress

from vault_mem.errors import Busy
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.lock import locked_outside


def fold(workspace: Workspace, commits: int) -> None:
    """Fold the table's commits together if there are that many, and nobody else is at it; build missing indexes."""
    from vault_mem.index.large import build_indexes
    from vault_mem.index.sync import upkeep

    with suppress(Busy), locked_outside(workspace.index.lock_path, "the index", 0):
        if not workspace.index.outdated():
            build_indexes(workspace.index, workspace.progress)
            upkeep(workspace.index, commits)


def prepare(workspace: Workspace) -> None:
    """Have at hand what recall and the guard need."""
    from vault_mem.judge.words import lexicon

    workspace.shelf.renew()
    workspace.reading(lambda: workspace.calibration)
    if not workspace.index.large:
        with workspace.at_hand() as catalogue:
            catalogue.prepare()
    lexicon()


def read_ahead(workspace: Workspace, start: int) -> int | None:
    """Read some of the memories that no query has met yet; from where to go on, None when all are read."""
    from vault_mem.ranking import reading

    if workspace.index.large:
        return None
    with workspace.at_hand() as catalogue:
        return reading.read_ahead(catalogue, workspace.tokens, start)


def release_memory() -> None:
    """Give memory back to the system."""
    from vault_mem.index import allocators

    allocators.release_memory()
