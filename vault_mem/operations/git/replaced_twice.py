"""A memory that two others superseded, because two clones each learnt of a change (SPEC V-11)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from vault_mem.model import Memory
from vault_mem.notes import checklist
from vault_mem.notes.checklist import Proposal
from vault_mem.operations.upkeep.proposals import file_key, text_of
from vault_mem.operations.upkeep.review import Suggestion, propose
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.steps import read

_REASON = "both took the place of the same memory"


def replaced_twice(workspace: Workspace) -> Iterator[tuple[Memory, Memory, Memory]]:
    """What was replaced, and the newer and the older of two open memories that did; nobody has been asked yet."""
    now = workspace.folder.now()
    successors: dict[str, list[Memory]] = {}
    for memory in workspace.index.memories():
        for name in memory.supersedes if not memory.closed_at(now) else ():
            id_ = workspace.graph.resolve(name)
            if id_ is not None:
                successors.setdefault(id_, []).append(memory)
    asked = _asked(workspace) if any(len(each) > 1 for each in successors.values()) else set()
    for id_, memories in successors.items():
        for older, newer in itertools.pairwise(sorted(memories, key=lambda memory: memory.order)):
            if Proposal("supersede", (newer.id, older.id), "", "").id not in asked:
                yield workspace.index.get(id_), newer, older


def propose_newer(workspace: Workspace, newer: str, older: str) -> None:
    """Propose to the owner that the newer one supersedes the older."""
    propose(workspace, [Suggestion("supersede", (newer, older), _REASON)])


def _asked(workspace: Workspace) -> set[str]:
    files = [file_key(workspace.folder, private=private) for private in (False, True)]
    return {each.id for key in files for each in checklist.read(text_of(read(workspace.folder, key)))}
