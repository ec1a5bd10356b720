"""wake-up: what an agent should know of its memory when a session begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import zip_longest

from vault_mem.model import Memory
from vault_mem.notes.self_model import Question
from vault_mem.operations.budget import LONG, Excerpt, Filling, excerpts
from vault_mem.operations.filters import Filters
from vault_mem.operations.update_self import show_self
from vault_mem.operations.workspace import Workspace

DEFAULT_BUDGET = 1500
INTROSPECTION = "introspection"
IMPORTANT = 4
MOST = 20
_TASKS, _QUESTIONS = 10, 5
_DONE = ("done", "closed", "cancelled", "canceled", "dropped")
# To find the newest, look back so many days; further only where there were too few.
_WINDOWS = (7, 60, 730, None)


@dataclass
class WakeUp:
    """What there is to know. `introspection` holds one at the most; `left_out` counts what had no room."""

    total: int
    stale: bool = False
    pending: int = 0
    left_out: int = 0
    introspection: list[Excerpt] = field(default_factory=list)
    tasks: list[Excerpt] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    memories: list[Excerpt] = field(default_factory=list)


def wake_up(workspace: Workspace, *, budget: int, cost: Callable[[WakeUp], int], public_only: bool = False) -> WakeUp:
    """The last introspection, what is open, then recent and important memories, as long as `cost` is in the budget."""
    freshness = workspace.freshen()
    private = False if public_only else None
    return workspace.reading(lambda: _gather(workspace, budget, cost, private, freshness.stale, freshness.pending))


def _gather(
    workspace: Workspace, budget: int, cost: Callable[[WakeUp], int], private: bool | None, stale: bool, pending: int
) -> WakeUp:
    index, now = workspace.index, workspace.folder.now()
    total = index.table.count(f"n = 0 AND {Filters(private=private).where(now, ('memory',))}")
    result = WakeUp(total, stale, pending)
    filling = Filling(result, budget, cost)

    def chosen(**filters: object) -> list[Memory]:
        return index.memories(Filters(private=private, **filters).where(now, ("memory",)))  # type: ignore[arg-type]

    seen: set[str] = set()
    for memory in chosen(category=INTROSPECTION)[:1]:
        seen.add(memory.id)
        filling.add(result.introspection, *excerpts(memory, LONG))
    tasks = [each for each in chosen(kind="task") if each.id not in seen and not _is_done(each)]
    for memory in sorted(tasks, key=lambda each: -each.importance)[:_TASKS]:
        seen.add(memory.id)
        filling.add(result.tasks, *excerpts(memory))
    for question in show_self(workspace.folder).model.open[:_QUESTIONS]:
        filling.add(result.questions, question)
    important = chosen(importance=IMPORTANT)
    for memory in _by_turns(newest(workspace, MOST, private), important):
        if memory.id not in seen and len(result.memories) < MOST:
            seen.add(memory.id)
            filling.add(result.memories, *excerpts(memory))
    return filling.done()


def newest(workspace: Workspace, count: int, private: bool | None) -> list[Memory]:
    """The newest memories that still hold."""
    now = workspace.folder.now()
    found: list[Memory] = []
    for days in _WINDOWS:
        since = now - timedelta(days=days) if days else None
        found = workspace.index.memories(Filters(private=private, since=since).where(now, ("memory",)))
        if len(found) >= count:
            break
    return found[:count]


def _by_turns(recent: list[Memory], important: list[Memory]) -> list[Memory]:
    """Recent and important ones in turn; the important by importance, the newer first."""
    ranked = sorted(important, key=lambda each: -each.importance)
    return [each for pair in zip_longest(recent, ranked[:MOST]) for each in pair if each is not None]


def _is_done(task: Memory) -> bool:
    return (task.status or "").casefold() in _DONE
