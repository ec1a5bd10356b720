"""introspect: what there is to think about, recent memories, how they felt, episodes, open questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from vault_mem.index.rows import EPISODE
from vault_mem.notes.self_model import Question
from vault_mem.operations.budget import Excerpt, Filling, excerpts
from vault_mem.operations.emotion_trend import Period, period
from vault_mem.operations.filters import Filters
from vault_mem.operations.update_self import show_self
from vault_mem.operations.wake_up import newest
from vault_mem.operations.workspace import Workspace

DEFAULT_BUDGET = 2000
_MEMORIES, _EPISODES, _QUESTIONS, _DAYS = 12, 3, 10, 7


@dataclass
class Introspection:
    """What there is to think about; `left_out` counts what had no room."""

    emotions: Period
    stale: bool = False
    pending: int = 0
    left_out: int = 0
    memories: list[Excerpt] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    episodes: list[Excerpt] = field(default_factory=list)


def introspect(
    workspace: Workspace, *, budget: int, cost: Callable[[Introspection], int], public_only: bool = False
) -> Introspection:
    """Recent memories, the emotions of a week, the latest episodes and the open questions, within the budget."""
    freshness = workspace.freshen()
    private = False if public_only else None

    def gather() -> Introspection:
        now = workspace.folder.now()
        result = Introspection(period(workspace, _DAYS, private), freshness.stale, freshness.pending)
        filling = Filling(result, budget, cost)
        where = Filters(private=private).where(now, (EPISODE,))
        for question in show_self(workspace.folder).model.open[:_QUESTIONS]:
            filling.add(result.questions, question)
        for episode in workspace.index.memories(where, (EPISODE,))[:_EPISODES]:
            filling.add(result.episodes, *excerpts(episode))
        for memory in newest(workspace, _MEMORIES, private):
            filling.add(result.memories, *excerpts(memory))
        return filling.done()

    return workspace.reading(gather)
