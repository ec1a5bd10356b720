"""Detects unfinished operations without loading any code that writes: every answer checks this first."""

from __future__ import annotations

from contextvars import ContextVar

from vault_mem.vault.folder import JOURNAL, OWN, Folder

PURGING = f"{OWN}/purging"

# The request that a command carries out, so that its outcome can be asked for after a lost answer.
request_id: ContextVar[str] = ContextVar("request_id", default="")


def has_unfinished(folder: Folder) -> bool:
    """Whether an operation is unfinished, or a displaced file is still kept in case a program writes to it."""
    return any(name.endswith((".pending", ".parts", ".was")) for name in folder.tree.names(JOURNAL))


def changed_ns(folder: Folder) -> int:
    """When an operation last began or ended, by the file system's clock."""
    try:
        found = folder.tree.stat(JOURNAL)
    except OSError:
        return 0
    return found.st_mtime_ns if found else 0


def purges(folder: Folder) -> list[str]:
    """The ids of what is being purged: purges that began and did not end."""
    return [name.removesuffix(".json") for name in folder.tree.names(PURGING, ".json")]
