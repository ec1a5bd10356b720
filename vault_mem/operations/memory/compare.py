"""compare: how two texts or memories relate, and what remember would do with the second."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from vault_mem.embedding.calibration import NEARLY_SAME, RELATED
from vault_mem.errors import InvalidInput
from vault_mem.judge.judge import Judgement, judge, statements
from vault_mem.judge.text import respelled
from vault_mem.model import MEMORY_ID
from vault_mem.notes.links import WIKILINK
from vault_mem.operations.memory.guard import repeats, similarity_between, worth_linking
from vault_mem.operations.memory.results import writable
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record

# Kinds of difference that keep two statements from being true of the same thing at the same time.
CLASHES = frozenset(
    ("number", "time", "date", "day", "identifier", "opposite", "name", "role", "status", "modality", "scope")
)


@dataclass(frozen=True)
class Comparison(Result):
    """`verdict` is duplicate, contradicts, similar, related or different; `remember` is block, link or save."""

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

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return as_record(self, "a", "b", distance=round(self.distance, 4))


def compare(workspace: Workspace, a: str, b: str) -> Comparison:
    """Compare two texts; an id stands for its memory's text."""
    texts = [_text(workspace, each) for each in (a, b)]
    if not workspace.index.is_open:
        workspace.freshen()  # the calibration is kept with the index
    own = statements(texts[0])
    similarity = similarity_between(workspace, own, texts[1])
    settings = workspace.folder.settings
    judgement = judge(own, texts[1], workspace.tokens)
    if judgement.aligned:
        similarity = max(similarity, similarity_between(workspace, *respelled(own, texts[1])))
    distance = 1.0 - similarity
    same_statement = judgement.same_words or similarity >= NEARLY_SAME
    differs = [str(each) for each in judgement.differs] if same_statement or similarity >= RELATED else []
    near = distance < max(settings.merge_threshold, settings.dedup_threshold)
    repeated = near and repeats(judgement, distance, settings.dedup_threshold)
    if settings.dedup_mode == "distance":
        repeated = distance < settings.dedup_threshold
    if repeated:
        return Comparison(texts[0], texts[1], "duplicate", similarity, "block", differs)
    worth = worth_linking(workspace, texts[1], settings.link_threshold)
    linked = distance < settings.link_threshold and worth(texts[0])
    action = "link" if linked else "save"
    if contradicts(judgement, similarity):
        return Comparison(texts[0], texts[1], "contradicts", similarity, action, differs)
    verdict = "similar" if similarity >= NEARLY_SAME else "related" if similarity >= RELATED else "different"
    return Comparison(texts[0], texts[1], verdict, similarity, action, differs)


def contradicts(judgement: Judgement, similarity: float) -> bool:
    """Whether two texts make the same statement with facts that cannot both be true."""
    if not judgement.same_words and similarity < NEARLY_SAME:
        return False
    clashes = any(each.kind in CLASHES and each.before and each.after for each in judgement.differs)
    return clashes or any(each.kind == "negation" for each in judgement.differs)


def _text(workspace: Workspace, given: str) -> str:
    given = writable(given.strip(), "a text")
    if not given:
        raise InvalidInput("nothing to compare: a text is empty")
    if MEMORY_ID.fullmatch(given.lower()) or WIKILINK.fullmatch(given):
        workspace.freshen()
        return workspace.index.get(given).content
    return given
