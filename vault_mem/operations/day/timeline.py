"""timeline: how many memories each day, month or year has, which of them still hold, and how they felt."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from typing import Any

from vault_mem.errors import InvalidInput
from vault_mem.model import DEFAULT_EMOTION
from vault_mem.operations.day.emotion_trend import mean
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.memory.show import most_frequent
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result

STEPS = ("day", "month", "year")
_FELT = re.compile('"(?:valence|arousal)":').search


@dataclass(frozen=True)
class Span:
    """The memories of a day, month or year; `valence` and `arousal` are means over those that have them."""

    start: date
    end: date
    count: int
    closed: int
    valence: float | None
    arousal: float | None
    emotions: dict[str, int]


@dataclass(frozen=True)
class TimelineResult(Result, renamed={"spans": "buckets"}):
    """The spans that have memories, the earliest first."""

    by: str
    as_of: datetime | None
    spans: list[Span] = field(default_factory=list)
    stale: bool = False


def timeline(workspace: Workspace, by: str = "month", as_of: datetime | None = None) -> TimelineResult:
    """All memories by when they were made; with `as_of`, only what was known and held then."""
    if by not in STEPS:
        raise InvalidInput(f"a timeline is by {', '.join(STEPS)}, not {by!r}")
    freshness = workspace.freshen()
    filters = Filters(as_of=as_of, closed=True)
    return TimelineResult(by, as_of, workspace.reading(lambda: _spans(workspace, by, filters)), freshness.stale)


def _spans(workspace: Workspace, by: str, filters: Filters) -> list[Span]:
    now = workspace.folder.now().timestamp()
    found: dict[date, list[dict[str, Any]]] = {}
    for row in workspace.index.columns(("created", "valid_to", "emotion", "memory"), filters).to_pylist():
        found.setdefault(_start(row["created"], workspace.folder.zone, by), []).append(row)
    return [_span(start, by, found[start], now) for start in sorted(found)]


def _span(start: date, by: str, rows: list[dict[str, Any]], now: float) -> Span:
    felt = [json.loads(row["memory"]) for row in rows if _FELT(row["memory"])]
    return Span(
        start,
        _end(start, by),
        len(rows),
        sum(row["valid_to"] is not None and row["valid_to"] <= now for row in rows),
        mean([record.get("valence") for record in felt]),
        mean([record.get("arousal") for record in felt]),
        most_frequent(row["emotion"] for row in rows if row["emotion"] != DEFAULT_EMOTION),
    )


def _start(created: float, zone: tzinfo, by: str) -> date:
    day = datetime.fromtimestamp(created, zone).date()
    return day if by == "day" else day.replace(day=1) if by == "month" else day.replace(month=1, day=1)


def _end(start: date, by: str) -> date:
    if by == "day":
        return start + timedelta(days=1)
    later = start + timedelta(days=32 if by == "month" else 367)
    return later.replace(day=1) if by == "month" else later.replace(month=1, day=1)
