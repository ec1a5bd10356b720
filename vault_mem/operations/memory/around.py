"""What is around memories that are shown together: what took the place of closed ones, titles, links."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vault_mem.model import Memory
from vault_mem.notes.links import body_links
from vault_mem.operations.memory.show import Neighbour, neighbours, superseded_by
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result


@dataclass(frozen=True)
class Around(Result):
    """The id of what replaced each closed memory, by its own, and the titles of all of these."""

    superseded_by: dict[str, str]
    titles: dict[str, str]


def around(workspace: Workspace, memories: list[Memory], others: Iterable[str] = ()) -> Around:
    """What is around these memories; `others` are more ids whose titles are wanted."""

    def look() -> Around:
        replaced = superseded_by(workspace, memories)
        wanted = {*(memory.id for memory in memories), *replaced.values(), *others}
        known = [each for each in workspace.index.known.with_ids(wanted) if workspace.folder.is_shown(each.key)]
        return Around(replaced, {each.id: each.title for each in known})

    return workspace.reading(look)


def links_of(workspace: Workspace, memories: list[Memory]) -> dict[str, list[Neighbour]]:
    """What each of these memories is linked to, by its id."""

    def look() -> dict[str, list[Neighbour]]:
        graph = workspace.graph
        return {memory.id: neighbours(workspace, graph, memory.id) for memory in memories}

    return workspace.reading(look)


def named_in(workspace: Workspace, memory: Memory) -> dict[str, str]:
    """The ids of the memories that the links in a memory's text mean, by the names they have there."""

    def look() -> dict[str, str]:
        found = {}
        for link in body_links(memory.content):
            key = workspace.names.note(link.target, memory.path)
            if key is not None and workspace.folder.is_shown(key) and (id_ := workspace.index.known.id_of(key)):
                found[link.target] = id_
        return found

    return workspace.reading(look)


def of_ids(workspace: Workspace, ids: Iterable[str]) -> dict[str, Memory]:
    """The memories of these ids, as far as there are any."""

    def look() -> dict[str, Memory]:
        found = workspace.index.known.with_ids(set(ids))
        keys = [known.key for known in found if workspace.folder.is_shown(known.key)]
        return {memory.id: memory for memory in workspace.index.by_files(keys).values()}

    workspace.freshen()
    return workspace.reading(look)
