"""emotion-trend: how the memories of a period felt, from their front matter alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from statistics import fmean

from vault_mem.errors import InvalidInput
from vault_mem.model import DEFAULT_EMOTION, Memory
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result

WEEK, MONTH = 7, 30
LONGEST = 3650
# With fewer emotional memories than this there is no trend; a shift needs this many on both sides.
FEW = 3
# An emotion without an intensity counts as medium; a secondary emotion counts half.
_MIDDLING, _SECONDARY = 0.5, 0.5
# Primary emotions up to this strength count as undercurrent too.
_WEAK = 0.35
# Valence and arousal go from -1 to 1: less than this is no change.
_NOTABLE = 0.15


@dataclass(frozen=True)
class EmotionShare:
    """One emotion in a period: its share, and in how many memories it was the main or a secondary one."""

    emotion: str
    share: float
    primary: int
    secondary: int


@dataclass(frozen=True)
class Shift:
    """The change from the first half of a period to the second; None for what no note says."""

    valence: float | None
    arousal: float | None
    before: str
    after: str


@dataclass(frozen=True)
class Day:
    """One day's memories with an emotion, and how pleasant they were."""

    day: date
    memories: int
    valence: float | None


@dataclass(frozen=True)
class Period(Result, also=("enough",)):
    """How some days felt. `dominant`, `undercurrent` and `shift` are None where there is too little to tell."""

    days: int
    since: datetime
    until: datetime
    memories: int
    emotional: int
    emotions: list[EmotionShare] = field(default_factory=list)
    dominant: EmotionShare | None = None
    undercurrent: EmotionShare | None = None
    intensity: float | None = None
    valence: float | None = None
    arousal: float | None = None
    shift: Shift | None = None
    by_day: list[Day] = field(default_factory=list)

    @property
    def enough(self) -> bool:
        """Whether there is enough to speak of a trend."""
        return self.emotional >= FEW


@dataclass(frozen=True)
class EmotionTrend(Result):
    """The periods asked for, shortest first."""

    periods: list[Period]
    stale: bool = False
    pending: int = 0


def emotion_trend(workspace: Workspace, days: int | None = None, *, public_only: bool = False) -> EmotionTrend:
    """The last week and month, or the last `days`. Private memories count, because only sums are shown."""
    if days is not None and not 1 <= days <= LONGEST:
        raise InvalidInput(f"--days must be from 1 to {LONGEST}, not {days}")
    freshness = workspace.freshen()
    private = False if public_only else None
    wanted = (WEEK, MONTH) if days is None else (days,)
    periods = workspace.reading(lambda: [period(workspace, each, private) for each in wanted])
    return EmotionTrend(periods, freshness.stale, freshness.pending)


def period(workspace: Workspace, days: int, private: bool | None = None) -> Period:
    """How the last days felt, closed memories included."""
    now = workspace.folder.now()
    since = now - timedelta(days=days)
    filters = Filters(private=private, since=since, until=now + timedelta(seconds=1), closed=True)
    memories = workspace.index.memories(filters)
    felt = [each for each in memories if feels(each)]
    emotions = _emotions(felt)
    middle = since + (now - since) / 2
    halves = [each for each in felt if each.created < middle], [each for each in felt if each.created >= middle]
    enough = len(felt) >= FEW
    dominant = emotions[0] if enough and emotions else None
    return Period(
        days,
        since,
        now,
        len(memories),
        len(felt),
        emotions,
        dominant,
        _undercurrent(felt, emotions, dominant, now.tzinfo) if enough else None,
        mean([each.intensity for each in felt]),
        mean([each.valence for each in felt]),
        mean([each.arousal for each in felt]),
        _shift(*halves) if min(map(len, halves)) >= FEW else None,
        _by_day(felt, now),
    )


def feels(memory: Memory) -> bool:
    """Whether a note says how it felt; notes that do not are neutral."""
    return memory.emotion != DEFAULT_EMOTION or bool(memory.secondary) or memory.valence is not None


def _emotions(memories: Sequence[Memory]) -> list[EmotionShare]:
    """Every emotion with its share, the greatest first."""
    weight: dict[str, float] = {}
    primary: Counter[str] = Counter()
    secondary: Counter[str] = Counter()
    for memory in memories:
        strength = _MIDDLING if memory.intensity is None else memory.intensity
        weight[memory.emotion] = weight.get(memory.emotion, 0.0) + strength
        primary[memory.emotion] += 1
        for other in set(memory.secondary) - {memory.emotion}:
            weight[other] = weight.get(other, 0.0) + strength * _SECONDARY
            secondary[other] += 1
    whole = sum(weight.values()) or 1.0
    ranked = sorted(weight, key=lambda name: (-weight[name], -primary[name], name))
    return [EmotionShare(name, round(weight[name] / whole, 4), primary[name], secondary[name]) for name in ranked]


def _undercurrent(
    memories: Sequence[Memory], emotions: list[EmotionShare], dominant: EmotionShare | None, zone: tzinfo | None
) -> EmotionShare | None:
    """Emotions that are rarely strong but keep coming back: secondary or weak, on at least three days."""
    days: dict[str, set[date]] = {}
    for memory in memories:
        weak = memory.intensity is not None and memory.intensity <= _WEAK
        for name in {*memory.secondary, *([memory.emotion] if weak else [])} - {DEFAULT_EMOTION}:
            days.setdefault(name, set()).add(memory.created.astimezone(zone).date())
    loudest = dominant.emotion if dominant else ""
    steady = {name: len(found) for name, found in days.items() if name != loudest and len(found) >= FEW}
    if not steady:
        return None
    name = min(steady, key=lambda each: (-steady[each], each))
    return next(each for each in emotions if each.emotion == name)


def _shift(before: Sequence[Memory], after: Sequence[Memory]) -> Shift:
    def change(name: str) -> float | None:
        first, second = (mean([getattr(each, name) for each in half]) for half in (before, after))
        return None if first is None or second is None else round(second - first, 4)

    return Shift(change("valence"), change("arousal"), _emotions(before)[0].emotion, _emotions(after)[0].emotion)


def direction(change: float) -> str:
    """Up, down, or steady."""
    return "steady" if abs(change) < _NOTABLE else "up" if change > 0 else "down"


def _by_day(memories: Sequence[Memory], now: datetime) -> list[Day]:
    found: dict[date, list[Memory]] = {}
    for memory in memories:
        found.setdefault(memory.created.astimezone(now.tzinfo).date(), []).append(memory)
    return [Day(day, len(found[day]), mean([each.valence for each in found[day]])) for day in sorted(found)]


def mean(values: Sequence[float | None]) -> float | None:
    """The mean of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    return round(fmean(known), 4) if known else None
