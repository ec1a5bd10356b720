"""introspect: what there is to think about, recent memories, how they felt, episodes, open questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from vault_mem.model import Episode
from vault_mem.notes.excerpt import cut
from vault_mem.notes.self_model import Question
from vault_mem.operations.day.budget import LENGTHS, Excerpt, Filling, excerpts
from vault_mem.operations.day.emotion_trend import Period, period
from vault_mem.operations.day.update_self import show_self
from vault_mem.operations.day.wake_up import newest
from vault_mem.operations.upkeep.episodes import list_episodes
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record

DEFAULT_BUDGET = 2000
_MEMORIES, _EPISODES, _QUESTIONS, _DAYS = 12, 3, 10, 7


@dataclass(frozen=True)
class ShownEpisode(Result):
    """As much of an episode as there is room for."""

    episode: Episode
    text: str

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        found = as_record(self.episode, "path", "created", "content", "members", summary=self.text)
        return {name: found[name] for name in ("id", "title", "summary", "start", "end", "importance", "private")}


@dataclass
class Introspection(Result):
    """What is worth thinking about; `left_out` counts what did not fit the budget."""

    emotions: Period
    stale: bool = False
    pending: int = 0
    left_out: int = 0
    memories: list[Excerpt] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    episodes: list[ShownEpisode] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """As JSON, with a short form of the emotions."""
        emotions = as_record(self.emotions, "emotions", "by_day", enough=self.emotions.enough)
        return as_record(self, emotions=emotions)


def introspect(
    workspace: Workspace, *, budget: int, cost: Callable[[Introspection], int], public_only: bool = False
) -> Introspection:
    """Recent memories, the emotions of a week, the latest episodes and the open questions, within the budget."""
    listed = list_episodes(workspace)
    episodes = [each.episode for each in listed.episodes if not (public_only and each.episode.private)]
    private = False if public_only or workspace.folder.public else None

    def gather() -> Introspection:
        result = Introspection(period(workspace, _DAYS, private), listed.stale, listed.pending)
        filling = Filling(result, budget, cost)
        for question in show_self(workspace.folder).model.open[:_QUESTIONS]:
            filling.add(result.questions, question)
        for episode in episodes[:_EPISODES]:
            filling.add(result.episodes, *(ShownEpisode(episode, cut(episode.summary, length)) for length in LENGTHS))
        for memory in newest(workspace, _MEMORIES, private):
            filling.add(result.memories, *excerpts(memory))
        return filling.done()

    return workspace.reading(gather)
