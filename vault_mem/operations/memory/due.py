"""When tasks are due: the day a task names, kept in `about_time` (SPEC T-8)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, tzinfo

from vault_mem.model import Memory
from vault_mem.notes.days import named_day
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.memory.results import has_ended
from vault_mem.operations.memory.show import ListResult, list_memories
from vault_mem.operations.workspace import Workspace

_ISO = re.compile(r"\d{4}-\d\d-\d\d")


def is_done(memory: Memory) -> bool:
    """Whether a task's status means that there is nothing left to do."""
    return memory.kind == "task" and has_ended(memory)


def due_on(task: Memory, zone: tzinfo) -> date | None:
    """The day a task is due, if its `about_time` names one."""
    if task.kind != "task" or not task.about_time:
        return None
    iso = _ISO.match(task.about_time.strip())
    if iso:
        try:
            return date.fromisoformat(iso.group())
        except ValueError:
            return None
    return named_day(task.about_time, task.created.astimezone(zone).date())


def day_of(content: str, created: datetime) -> str | None:
    """The `about_time` of a new task: the day that its text names, if any."""
    day = named_day(content, created.date())
    return day.isoformat() if day else None


def by_day(tasks: Iterable[Memory], zone: tzinfo) -> list[tuple[date, Memory]]:
    """Open tasks with a due date, earliest first."""
    dated = [(day, task) for task in tasks if not is_done(task) and (day := due_on(task, zone)) is not None]
    return sorted(dated, key=lambda each: (each[0], -each[1].importance, each[1].id))


def list_due(workspace: Workspace, filters: Filters | None = None, limit: int | None = None) -> ListResult:
    """Open tasks with a due date, earliest first."""
    found = list_memories(workspace, replace(filters or Filters(), kind="task"))
    tasks = [task for _, task in by_day(found.memories, workspace.folder.zone)]
    return ListResult(tasks[:limit], len(tasks), found.stale, found.pending)
