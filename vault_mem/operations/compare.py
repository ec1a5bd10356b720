"""compare: how two texts or memories stand to each other, and what remember would do with the second."""

from __future__ import annotations

from dataclasses import dataclass, field

from vault_mem.embedding.calibration import NEARLY_SAME, RELATED
from vault_mem.errors import InvalidInput
from vault_mem.model import MEMORY_ID
from vault_mem.operations.guard import embed
from vault_mem.operations.workspace import Workspace


@dataclass(frozen=True)
class Comparison:
    """`verdict` is duplicate, similar, related or different; `remember` is block, link or save."""

    a: str
    b: str
    verdict: str
    similarity: float
    remember: str
    differs: list[str] = field(default_factory=list)

    @property
    def distance(self) -> float:
        """1 − similarity."""
        return 1.0 - self.similarity


def compare(workspace: Workspace, a: str, b: str) -> Comparison:
    """Compare two texts; an id stands for its memory's text."""
    texts = [_text(workspace, each) for each in (a, b)]
    if workspace.index.table is None:
        workspace.freshen()
    cosine = float(embed(workspace, texts[0]) @ embed(workspace, texts[1]))
    similarity = 1.0 if texts[0] == texts[1] else round(workspace.index.calibration.similarity(cosine), 4)
    settings = workspace.folder.settings
    distance = 1.0 - similarity
    if distance < settings.dedup_threshold:
        verdict, action = "duplicate", "block"
    else:
        verdict = "similar" if similarity >= NEARLY_SAME else "related" if similarity >= RELATED else "different"
        action = "link" if distance < settings.link_threshold else "save"
    return Comparison(texts[0], texts[1], verdict, similarity, action)


def _text(workspace: Workspace, given: str) -> str:
    given = given.strip()
    if not given:
        raise InvalidInput("nothing to compare: a text is empty")
    if MEMORY_ID.fullmatch(given):
        workspace.freshen()
        return workspace.index.get(given).content
    return given
