"""similar: the memories most like a note of the vault, for example to show beside the open note."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vault_mem.errors import InvalidInput, NotFound, VaultMemError
from vault_mem.index.filters import Filters
from vault_mem.notes.parse import parse
from vault_mem.operations.memory.excerpts import OTHERS, best_part
from vault_mem.operations.memory.guard import embed
from vault_mem.operations.memory.results import Found, writable
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Results
from vault_mem.vault.steps import read

# How many more are fetched, since the note itself and its copies are left out afterwards.
COPIES = 20


@dataclass(frozen=True)
class SimilarResult(Results[Found], items="results"):
    """What is most like the note at `note`, nearest first. `stale` answers do not reflect `pending` changed files."""

    note: str
    results: list[Found]
    stale: bool = False
    pending: int = 0


def similar(workspace: Workspace, note: str, limit: int) -> SimilarResult:
    """The memories and included notes nearest in meaning to any note of the vault."""
    if limit < 1:
        raise InvalidInput(f"-n must be at least 1, not {limit}")
    freshness = workspace.freshen()
    key = _key(workspace, writable(note.strip(), "the note"))
    text = _text(workspace, key)
    if not text.strip():
        raise InvalidInput(f"{key} has no text to compare")
    return SimilarResult(
        key, workspace.reading(lambda: _nearest(workspace, key, text, limit)), freshness.stale, freshness.pending
    )


def _nearest(workspace: Workspace, key: str, text: str, limit: int) -> list[Found]:
    vector = embed(workspace, text)
    state, now = workspace.index.known, workspace.folder.now().timestamp()
    with workspace.candidates() as candidates:
        calibration = workspace.calibration
        seen = Filters(private=False if workspace.folder.public else None)
        catalogue = candidates.catalogue(candidates.files_near(vector, seen, workspace.folder.now(), limit + COPIES))
        fits = catalogue.alive & (catalogue.n == 0) & (catalogue.valid_to > now)
        places = np.flatnonzero(fits & ~catalogue.private if workspace.folder.public else fits)
        cosines = np.einsum("ij,j->i", catalogue.vectors[places], vector)
        found: list[Found] = []
        for number in np.argsort(-cosines, kind="stable").tolist():
            file = catalogue.files[places[number]]
            if len(found) == limit or cosines[number] <= 0:
                break
            if file == key or file in state.originals([file]) or state.originals([key]).get(key) == file:
                continue
            memory = catalogue.memory(int(places[number]))
            similarity = round(calibration.similarity(float(cosines[number])), 4)
            found.append(Found(memory, similarity, score=similarity, passage=best_part(memory.content, {}, OTHERS)))
    return found


def _key(workspace: Workspace, note: str) -> str:
    """The note that is meant, by its path, the name a link would use, or an id."""
    folder = workspace.folder
    path = folder.key(note) if note.startswith("/") else note.removeprefix("./")
    name = path.removeprefix("[[").removesuffix("]]").partition("|")[0]
    for key in (path, f"{path}.md", workspace.names.find(name) or ""):
        if (
            key.lower().endswith(".md")
            and folder.has_links(key)
            and folder.is_shown(key)
            and ".." not in key.split("/")
            and folder.tree.is_file(key)
        ):
            return key
    try:
        return workspace.index.get(note).path
    except NotFound:
        raise NotFound(f"no note of the vault is called {note}", "give its path, its name or an id") from None


def _text(workspace: Workspace, key: str) -> str:
    raw = read(workspace.folder, key)
    if raw is None:
        raise VaultMemError(f"{key} is gone", "was it moved? Try again")
    return parse(raw, key, mtime=0, zone=workspace.folder.zone).memory.content
