"""Filters as the user gives them are checked, and people are matched by any alias the vault knows."""

from __future__ import annotations

from dataclasses import replace

from vault_mem.errors import InvalidInput
from vault_mem.index.filters import Filters
from vault_mem.model import KIND_ALIASES, KINDS
from vault_mem.operations.memory.results import check_metadata, writable
from vault_mem.operations.workspace import Workspace

__all__ = ["Filters", "resolved"]


def resolved(workspace: Workspace, filters: Filters) -> Filters:
    """The filters as the index takes them; raises InvalidInput if a value is invalid."""
    kind = KIND_ALIASES.get(filters.kind, filters.kind) if isinstance(filters.kind, str) else filters.kind
    if isinstance(kind, str) and kind not in KINDS:
        raise InvalidInput(f"unknown kind {filters.kind!r}", f"a kind is one of {', '.join(KINDS)}")
    people = [each for each in filters.people if isinstance(each, str)]
    for text in (filters.category, filters.emotion, *filters.tags, *people, *(filters.ids or ())):
        writable(text or "", "a filter")
    check_metadata(filters.metadata)
    if filters.importance is not None and filters.importance not in range(1, 6):
        raise InvalidInput(f"importance must be from 1 to 5, not {filters.importance}")
    return replace(filters, kind=kind, people=_by_all_names(workspace, people) if people else filters.people)


def _by_all_names(workspace: Workspace, people: list[str]) -> list[set[str]]:
    """For each person, every way memories write the name: in any case and width, or by an alias."""
    from vault_mem.ranking.names import Directory

    with workspace.candidates() as candidates:
        known = Directory(candidates.corpus)
        return [{person, *known.written(person)} for person in people]
