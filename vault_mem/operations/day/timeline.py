"""timeline: how many memories each day, month or year has, which of them still hold, and how they felt."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo

import numpy as np

from vault_mem.errors import InvalidInput
from vault_mem.index.catalogue import Catalogue
from vault_mem.model import DEFAULT_EMOTION
from vault_mem.operations.day.emotion_trend import mean
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.memory.recall import asked
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result

STEPS = ("day", "month", "year")


@dataclass(frozen=True)
class Span:
    """The memories of a day, month or year; `valence` and `arousal` are the means of those that say."""

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
    with workspace.at_hand() as catalogue:
        met = asked(workspace, filters).met(catalogue, workspace.folder.now()) & catalogue.ours
        found: dict[date, list[int]] = {}
        for place in np.flatnonzero(met).tolist():
            found.setdefault(_start(catalogue.created[place], workspace.folder.zone, by), []).append(place)
        return [_span(catalogue, start, by, found[start], now) for start in sorted(found)]


def _span(catalogue: Catalogue, start: date, by: str, places: list[int], now: float) -> Span:
    felt = [_felt(catalogue, place) for place in places]
    emotions = Counter(catalogue.emotions[place] for place in places)
    emotions.pop(DEFAULT_EMOTION, None)
    return Span(
        start,
        _end(start, by),
        len(places),
        int((catalogue.valid_to[places] <= now).sum()),
        mean([valence for valence, _ in felt]),
        mean([arousal for _, arousal in felt]),
        dict(emotions.most_common()),
    )


def _felt(catalogue: Catalogue, place: int) -> tuple[float | None, float | None]:
    """How pleasant and how stirring a memory says it was: in its record, which is read once."""
    known = catalogue.by_place("felt")
    if place not in known:
        record = catalogue.record(place)
        known[place] = record.get("valence"), record.get("arousal")
    found: tuple[float | None, float | None] = known[place]
    return found


def _start(created: float, zone: tzinfo, by: str) -> date:
    day = datetime.fromtimestamp(created, zone).date()
    return day if by == "day" else day.replace(day=1) if by == "month" else day.replace(month=1, day=1)


def _end(start: date, by: str) -> date:
    if by == "day":
        return start + timedelta(days=1)
    later = start + timedelta(days=32 if by == "month" else 367)
    return later.replace(day=1) if by == "month" else later.replace(month=1, day=1)
