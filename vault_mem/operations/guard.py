"""The guard: which existing memories a new text is near to, and whether it repeats one of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vault_mem.embedding.embedder import Vectors
from vault_mem.index.rows import MEMORY, texts_to_embed, whole_vector
from vault_mem.index.table import quote
from vault_mem.model import Memory
from vault_mem.operations.results import Found
from vault_mem.operations.workspace import Workspace

# How many neighbours are looked at: enough for five links after private and closed ones are set aside.
NEIGHBOURS = 12


@dataclass(frozen=True)
class Verdict:
    """The neighbours of a text, nearest first, and the one it repeats, if any."""

    neighbours: list[Found] = field(default_factory=list)
    duplicate_of: Found | None = None


def guard(workspace: Workspace, content: str, dedup_threshold: float) -> Verdict:
    """Judge a text before it is saved. Closed memories do not count; private ones do."""
    neighbours = nearest(workspace, content)
    nearest_one = neighbours[0] if neighbours else None
    if nearest_one is not None and nearest_one.distance < dedup_threshold:
        return Verdict(neighbours, nearest_one)
    return Verdict(neighbours)


def nearest(workspace: Workspace, content: str) -> list[Found]:
    """The existing memories nearest to a text by calibrated cosine of whole-memory vectors."""
    index = workspace.index
    now = workspace.folder.now().timestamp()
    open_ones = f"n = 0 AND type = {quote(MEMORY)} AND (valid_to IS NULL OR valid_to > {now!r})"
    vector = embed(workspace, content)
    if not np.any(vector):  # no token the model knows: only the same text can be told to be the same
        same = index.memories(f"content = {quote(content)} AND (valid_to IS NULL OR valid_to > {now!r})")
        return [Found(memory, 1.0) for memory in same]
    rows = index.table.nearest(vector, NEIGHBOURS, open_ones)
    memories = index.by_files([row["file"] for row in rows])
    found = [
        Found(memories[row["file"]], round(index.calibration.similarity(row["cosine"]), 4))
        for row in rows
        if row["file"] in memories
    ]
    return sorted(found, key=lambda each: (-each.similarity, -each.memory.created.timestamp(), each.memory.id))


def embed(workspace: Workspace, content: str) -> Vectors:
    """The whole-memory vector of a text."""
    parts = texts_to_embed(Memory("", content, workspace.folder.now()))
    if not parts:
        return np.zeros(workspace.index.table.dim, dtype=np.float32)
    return whole_vector(workspace.embedder.encode(parts), parts)
