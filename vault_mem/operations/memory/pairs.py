"""How two memories relate: one repeats the other, one changes what the other says, or they are merely related.

Every proposal to merge or supersede is decided here, so that it agrees with the guard (SPEC D-9).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vault_mem.judge.judge import judge, statements
from vault_mem.judge.replaces import is_talk
from vault_mem.judge.text import respelled
from vault_mem.model import Memory
from vault_mem.operations.memory.compare import contradicts
from vault_mem.operations.memory.guard import repeats, same_wording, similarity_between
from vault_mem.operations.memory.newer import about_others, is_turn
from vault_mem.operations.workspace import Workspace

REPETITION, CHANGED, RELATED = "repetition", "changed", "related"
# These are compared only with their own kind: a task is not the fact that it is done, nor a summary its sources.
_APART = ("task", "summary", "mood")


@dataclass(frozen=True)
class PairVerdict:
    """`kind` is repetition, changed or related; `differs` names what the newer one changes."""

    kind: str
    distance: float
    differs: list[str] = field(default_factory=list)


def judge_pair(workspace: Workspace, older: Memory, newer: Memory, distance: float) -> PairVerdict:
    """How a newer memory relates to an older one that is near to it."""
    if workspace.folder.settings.dedup_mode == "distance":
        return PairVerdict(REPETITION, distance)
    if older.kind != newer.kind and {older.kind, newer.kind} & set(_APART):
        return PairVerdict(RELATED, distance)
    if about_others(older, newer.people):
        return PairVerdict(RELATED, distance)
    if older.content == newer.content:
        return PairVerdict(REPETITION, distance)
    own = statements(older.content)
    judgement = judge(own, newer.content, workspace.tokens)
    if judgement.aligned:
        distance = min(distance, round(1 - similarity_between(workspace, *respelled(own, newer.content)), 4))
    clash = contradicts(judgement, 1 - distance)
    if not clash and repeats(judgement, distance, workspace.folder.settings.dedup_threshold):
        return PairVerdict(REPETITION, distance)
    changed = clash or (judgement.same_words and judgement.differs)
    if changed and same_wording(older.content, newer.content) and not _talk(older, newer):
        return PairVerdict(CHANGED, distance, [str(each) for each in judgement.differs])
    return PairVerdict(RELATED, distance)


def _talk(*memories: Memory) -> bool:
    """Whether one of them records a conversation: what was said does not change when it is said differently later."""
    return any(
        is_turn(memory.content, memory.people) or (memory.kind == "event" and is_talk(memory.content))
        for memory in memories
    )
