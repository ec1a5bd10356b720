"""A moment as a person gives it: a date, "last week", "in March", "next Friday", 先週, 3日前."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, tzinfo

from vault_mem.notes.days import named_day, without_days
from vault_mem.notes.parse import read_time
from vault_mem.ranking.times import times

_WEEKDAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|[月火水木金土日]曜日?")
_COMING = {
    "next week": "week",
    "来週": "week",
    "next month": "month",
    "来月": "month",
    "next year": "year",
    "来年": "year",
}
# "A month ago" is vague, so the middle of the span is taken, not its start.
_AGO = re.compile(r"\bago\b|前$")
# Words and signs around a time that do not change it.
_AROUND = re.compile(r"\b(?:since|from|until|till|by|on|in|the|of|at)\b|から|まで|以降|以来|以前|の|に|[\s,、]+")


def moment(text: str, now: datetime, *, ahead: bool = False) -> datetime | None:
    """The beginning of the time that a text names, as seen from `now`; None if it names none, or more than one.

    A weekday, or a month without a year, is the last one; with `ahead`, the next.
    """
    zone = now.tzinfo
    assert zone is not None
    plain = text.strip().casefold()
    found = read_time(text, zone)
    if found is not None or not plain:
        return found
    if plain in ("now", "今"):
        return now
    if plain in _COMING:
        return _midnight(_coming(_COMING[plain], now.date()), zone)
    if _WEEKDAY.fullmatch(plain):
        return _midnight(_weekday(plain, now.date(), ahead=ahead), zone)
    return _named(plain, now, ahead=ahead)


def _named(text: str, now: datetime, *, ahead: bool) -> datetime | None:
    years = range(now.year, now.year + 9) if ahead else range(now.year - 8, now.year + 1)  # for 29 February
    said = times(f"in {text}", now, years)  # without "in", "march" is taken for a verb
    starts = sorted({(start + end) / 2 if _AGO.search(text) else start for start, end in said.spans})
    if starts and not _AROUND.sub("", said.rest):
        fitting = [each for each in starts if (each > now.timestamp()) == ahead]
        begins = (fitting or starts)[0 if ahead else -1]
        return datetime.fromtimestamp(begins, now.tzinfo).replace(hour=0, minute=0, second=0, microsecond=0)
    if _AROUND.sub("", without_days(text)):  # words left over, such as an hour or an era, may change the day
        return None
    day = named_day(text, now.date())
    return _midnight(day, now.tzinfo) if day is not None and now.tzinfo else None


def _coming(unit: str, today: date) -> date:
    if unit == "week":
        return today + timedelta(days=7 - today.weekday())
    if unit == "month":
        return (today.replace(day=1) + timedelta(days=32)).replace(day=1)
    return date(today.year + 1, 1, 1)


def _weekday(text: str, today: date, *, ahead: bool) -> date:
    number = "月火水木金土日".find(text[0])
    number = number if number >= 0 else ("mon", "tue", "wed", "thu", "fri", "sat", "sun").index(text[:3])
    if ahead:
        return today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)
    return today - timedelta(days=(today.weekday() - number - 1) % 7 + 1)


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=zone)
