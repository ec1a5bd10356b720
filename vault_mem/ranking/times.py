"""Times in a query: dates, months, "last week", 先週; and whether it is about now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, tzinfo

import numpy as np
from numpy.typing import NDArray

from vault_mem.index.terms import normalised

Span = tuple[float, float]

DAY = 86_400.0
# Something is often told some days after it happened, seldom before: so fast a memory outside the span fades.
FADES_AFTER, FADES_BEFORE = 7 * DAY, 3.5 * DAY

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = "|".join([*_MONTHS, *(name[:3] for name in _MONTHS), "sept"])
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_NAMED = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+)?({_MONTH})\b\.?"
    r"(?:\s+(\d{1,2})(?:st|nd|rd|th)?\b(?!\d))?(?:,?\s+((?:19|20)\d\d)\b)?"
)
_NUMBERS = re.compile(
    r"(?<![\d.])((?:19|20)\d\d)[-/.年]\s?(\d{1,2})(?:[-/.月]\s?(\d{1,2})日?)?(?!\d)|(?<!\d)((?:19|20)\d\d)年"
)
_MONTH_DAY = re.compile(r"(?<!\d)(\d{1,2})月(?:(\d{1,2})日)?")
_YEAR = re.compile(r"(?<![\d.\-/])((?:19|20)\d\d)(?![\d\-/.年])")
_AGO = re.compile(
    r"\b(a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}) (day|week|month|year)s? ago\b|"
    r"(\d{1,3})(日|週間|か月|ヶ月|ヵ月|カ月|年)前"
)
_WORDED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNTS = {word: number for number, word in enumerate(_WORDED, 1)}
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365, "日": 1, "週間": 7, "年": 365}
_RELATIVE = (
    (re.compile(r"\btoday\b|今日|本日"), "day", 0),
    (re.compile(r"\byesterday\b|昨日|きのう"), "day", -1),
    (re.compile(r"\bday before yesterday\b|一昨日|おととい"), "day", -2),
    (re.compile(r"\bthis week\b|今週"), "week", 0),
    (re.compile(r"\blast week\b|\bpast week\b|先週"), "week", -1),
    (re.compile(r"\bthis month\b|今月"), "month", 0),
    (re.compile(r"\blast month\b|\bpast month\b|先月"), "month", -1),
    (re.compile(r"\bthis year\b|今年"), "year", 0),
    (re.compile(r"\blast year\b|\bpast year\b|昨年|去年"), "year", -1),
)
_LAST_WEEKDAY = re.compile(rf"\blast ({'|'.join(_WEEKDAYS)})\b")
_NOW = re.compile(
    r"\b(?:now|nowadays|currently|current|latest|newest|recent|recently|at present|these days|at the moment|"
    r"right now|today|still|up to date)\b|今は|今の|いまの|いまは|現在|最近|最新|近頃|このごろ|今も|目下|今日|直近"
)


def about_now(query: str) -> bool:
    """Whether a query asks how things are at present."""
    return bool(_NOW.search(normalised(query)))


def spans(query: str, now: datetime, years: Iterable[int] = ()) -> list[Span]:
    """The times a query names. A month or day without a year means that of each of the given years."""
    text = normalised(query)
    zone = now.tzinfo
    found: list[Span] = []
    years = sorted(set(years)) or [now.year]
    for match in _NUMBERS.finditer(text):
        year, month, day, alone = match.groups()
        found += _calendar([int(year or alone)], int(month or 0), int(day or 0), zone)
    text = _NUMBERS.sub(" ", text)
    for match in _NAMED.finditer(text):
        before, name, after, year = match.groups()
        bare = name in ("may", "mar", "march", "jan") and not (before or after or year)
        if bare and not re.search(rf"\b(?:in|of|since|during|last|this|until|by) {name}\b", text):
            continue  # the verb, or a name
        month = next(number for number, full in enumerate(_MONTHS, 1) if full.startswith(name[:3]))
        found += _calendar([int(year)] if year else years, month, int(before or after or 0), zone)
    for match in _MONTH_DAY.finditer(text):
        found += _calendar(years, int(match[1]), int(match[2] or 0), zone)
    for pattern, unit, steps in _RELATIVE:
        if pattern.search(text):
            found.append(_relative(now, unit, steps))
    for match in _LAST_WEEKDAY.finditer(text):
        back = (now.weekday() - _WEEKDAYS.index(match[1]) - 1) % 7 + 1
        found.append(_day(now - timedelta(days=back)))
    for match in _AGO.finditer(text):
        count = match[1] or match[3]
        days = _UNITS.get(match[2] or match[4], 30) * (_COUNTS.get(count, 1) if not count.isdigit() else int(count))
        centre = now - timedelta(days=days)
        slack = timedelta(days=max(days // 10, 0))
        found.append((_day(centre - slack)[0], _day(centre + slack)[1]))
    if not found:
        for match in _YEAR.finditer(text):
            found += _calendar([int(match[1])], 0, 0, zone)
    return found


def closeness(created: NDArray[np.float64], wanted: Sequence[Span]) -> NDArray[np.float32]:
    """1 within one of the spans, less the farther outside."""
    best = np.zeros(len(created), dtype=np.float32)
    for start, end in wanted:
        away = np.where(created < start, (start - created) / FADES_BEFORE, np.maximum(created - end, 0) / FADES_AFTER)
        best = np.maximum(best, np.exp2(-np.minimum(away, 60)).astype(np.float32))
    return best


def _calendar(years: Sequence[int], month: int, day: int, zone: tzinfo | None) -> list[Span]:
    found: list[Span] = []
    for year in years:
        try:
            if day:
                found.append(_day(datetime(year, month, day, tzinfo=zone)))
            elif month:
                start = datetime(year, month, 1, tzinfo=zone)
                found.append((start.timestamp(), (start + timedelta(days=32)).replace(day=1).timestamp()))
            else:
                start = datetime(year, 1, 1, tzinfo=zone)
                found.append((start.timestamp(), start.replace(year=year + 1).timestamp()))
        except ValueError:  # 30 February, 13月
            continue
    return found


def _day(moment: datetime) -> Span:
    start = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return start.timestamp(), (start + timedelta(days=1)).timestamp()


def _relative(now: datetime, unit: str, steps: int) -> Span:
    if unit == "day":
        return _day(now + timedelta(days=steps))
    if unit == "week":
        start = now - timedelta(days=now.weekday() - 7 * steps)
        return _day(start)[0], _day(start + timedelta(days=6))[1]
    if unit == "month":
        first = now.replace(day=1)
        month = first if steps == 0 else (first - timedelta(days=1)).replace(day=1)
        return _calendar([month.year], month.month, 0, now.tzinfo)[0]
    return _calendar([now.year + steps], 0, 0, now.tzinfo)[0]
