"""What the daemon prepares in idle moments, so that the next command is fast."""

from __future__ import annotations

from contextlib import suppress

from vault_mem.errors import Busy
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.lock import locked_outside


def fold(workspace: Workspace, commits: int) -> None:
    """Compact the table after `commits` commits, and build missing indexes, unless another process is at it."""
    from vault_mem.index.large import behind, build_indexes
    from vault_mem.index.sync import upkeep

    with suppress(Busy), locked_outside(workspace.index.lock_path, "the index", 0):
        if not workspace.index.outdated():
            build_indexes(workspace.index, workspace.progress)
            upkeep(workspace.index, 0 if behind(workspace.index) else commits)


def load_for_recall(workspace: Workspace) -> None:
    """Load what recall and the guard need."""
    from vault_mem.judge.words import lexicon

    workspace.shelf.renew()
    workspace.reading(lambda: workspace.calibration)
    if not workspace.index.large:
        with workspace.at_hand() as catalogue:
            catalogue.prepare()
    lexicon()


def read_ahead(workspace: Workspace, start: int) -> int | None:
    """Prepare some memories for ranking ahead of the first query. Returns where to go on; None when all are done."""
    from vault_mem.ranking import reading

    if workspace.index.large:
        return None if workspace.folder.settings.model else _keep_readings(workspace)
    with workspace.at_hand() as catalogue:
        return reading.read_ahead(catalogue, workspace.tokens, start)


def _keep_readings(workspace: Workspace) -> int | None:
    """The same in a large vault, where the results are kept on disk. Returns 0 until all are."""
    from vault_mem import __version__
    from vault_mem.index.candidates import InTable
    from vault_mem.ranking.reading import READ_AHEAD_AT_ONCE, READING_VERSION, packed_readings

    with workspace.candidates() as candidates, locked_outside(workspace.index.lock_path, "the index", 0):
        if not isinstance(candidates, InTable):
            return None
        found = packed_readings(
            candidates.unread(f"{__version__} {READING_VERSION}", 8 * READ_AHEAD_AT_ONCE), workspace.tokens
        )
        workspace.index.facts.note_readings(found)
    return 0 if found else None


def release_memory() -> None:
    """Give memory back to the system, and exempt what stays loaded from garbage collection."""
    from vault_mem.index import allocators

    allocators.set_apart()
    allocators.release_memory()
