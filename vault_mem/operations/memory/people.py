"""People go by several names: which of them a vault knows."""

from __future__ import annotations

from vault_mem.operations.memory.filters import Filters, Names
from vault_mem.operations.workspace import Workspace


def other_names(workspace: Workspace, filters: Filters) -> Names | None:
    """How memories write the people that filters ask for: in any case and width, by any alias."""
    if not filters.people:
        return None
    from vault_mem.ranking.names import directory

    with workspace.at_hand() as catalogue:
        known = {person: directory(catalogue).written(person) for person in filters.people}
    return lambda person: known.get(person, ())
