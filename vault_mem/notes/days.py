"""The day that a text names: tomorrow, next Friday, on the 20th, 明日, 来週の金曜. One day, unmistakably, or none."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date, timedelta

# The months in the languages that people date their notes in.
MONTH_NAMES = (
    "january jan januar janvier enero ene gennaio janeiro январь января",
    "february feb februar février fevrier febrero febbraio fevereiro февраль февраля",
    "march mar märz maerz mars marzo março marco март марта",
    "april apr avril abril abr aprile апрель апреля",
    "may mai mayo maggio maio май мая",
    "june jun juni juin junio giugno junho июнь июня",
    "july jul juli juillet julio luglio julho июль июля",
    "august aug août aout agosto август августа",
    "september sep sept septembre septiembre settembre setembro сентябрь сентября",
    "october oct oktober okt octobre octubre ottobre outubro октябрь октября",
    "november nov novembre noviembre novembro ноябрь ноября",
    "december dec dezember dez décembre decembre diciembre dic dicembre dezembro декабрь декабря",
)
MONTHS = tuple(names.split()[0] for names in MONTH_NAMES)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)}|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?![\w'])"
_MONTH = rf"(?P<month>{'|'.join(MONTHS)}|{'|'.join(name[:3] for name in MONTHS)}|sept)\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
_YEAR = r"(?:,? (?P<year>20\d\d)\b)?"
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
WEEKDAYS_JA = "月火水木金土日"

_RELATIVE = {
    "today": 0, "tonight": 0, "tomorrow": 1, "day after tomorrow": 2,
    "今日": 0, "本日": 0, "今夜": 0, "今晩": 0, "明日": 1, "あした": 1, "明後日": 2, "あさって": 2,
}  # fmt: skip
_WORDS = re.compile(
    r"\b(?:the )?(day after tomorrow|today|tonight|tomorrow)\b(?!'s)|(今日|本日|今夜|今晩|明後日|あさって|明日|あした)"
)
_IN_DAYS = re.compile(
    rf"\bin (?P<count>an?|{'|'.join(_COUNTS[1:])}|\d{{1,2}}) (?P<unit>day|week)s?\b(?! of)|"
    r"(?<!\d)(?P<days>\d{1,2})(?P<ja_unit>日|週間)後"
)
_ON_WEEKDAY = re.compile(rf"\b(?P<which>on|by|before|until|this|next|coming) (?:coming )?{_WEEKDAY}")
_JA_WEEKDAY = re.compile(
    rf"(?P<which>今週|来週|再来週|次|今度)の(?P<named>[{WEEKDAYS_JA}])曜|(?<![毎週の隔])(?P<plain>[{WEEKDAYS_JA}])曜日?(?=に|まで|の(?:朝|昼|夜|午)|、|$)"
)
_ON_DATE = re.compile(rf"\b{_DAY}(?: of)? {_MONTH}{_YEAR}")
_MONTH_FIRST = re.compile(rf"\b{_MONTH} {_DAY}{_YEAR}")
_ON_THE = re.compile(r"\b(?:on|by|before|until) the (?P<day>\d{1,2})(?:st|nd|rd|th)\b(?! (?:of|floor|street|time|day))")
_ISO = re.compile(r"(?<![\d-])(?P<year>20\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?![\d-])")
_JA_DATE = re.compile(r"(?:(?P<year>20\d\d)年)?(?<!\d)(?P<month>\d{1,2})月(?P<day>\d{1,2})日")
_JA_DAY = re.compile(r"(?<![\d月])(?P<day>\d{1,2})日(?=に|まで|の|は|、|$)(?!間|後|前)")
# Repeating dates, past dates and spans do not name a single day.
_NOT_ONE_DAY = re.compile(
    r"\b(?:every|each|last|past|weekly|daily|monthly|between|from)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|"
    r"毎[日週月年朝晩]|先週|先月|昨日|きのう|から.*まで|いつも|隔週"
)


def named_day(text: str, today: date) -> date | None:
    """The day that a text names, as seen from the day it was written; None if it names none, or more than one."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    if _NOT_ONE_DAY.search(plain):
        return None
    found = {day for day in _days(plain, today) if day is not None}
    return found.pop() if len(found) == 1 else None


def _days(text: str, today: date) -> Iterator[date | None]:
    for match in _WORDS.finditer(text):
        yield today + timedelta(days=_RELATIVE[match[1] or match[2]])
    for match in _IN_DAYS.finditer(text):
        yield today + timedelta(days=_count(match))
    for match in _ON_WEEKDAY.finditer(text):
        number = next(day for day, name in enumerate(WEEKDAYS) if name.startswith(match["weekday"][:3]))
        yield _weekday(today, number, {"this": 0, "next": 1}.get(match["which"]))
    for match in _JA_WEEKDAY.finditer(text):
        number = WEEKDAYS_JA.index(match["named"] or match["plain"])
        yield _weekday(today, number, {"今週": 0, "来週": 1, "再来週": 2}.get(match["which"]))
    for pattern in (_ISO, _JA_DATE, _ON_DATE, _MONTH_FIRST):
        for match in pattern.finditer(text):
            yield _dated(match, today)
    for pattern in (_ON_THE, _JA_DAY):
        for match in pattern.finditer(text):
            yield _next_day_of_month(int(match["day"]), today)


def _count(match: re.Match[str]) -> int:
    if match["days"]:
        return int(match["days"]) * (7 if match["ja_unit"] == "週間" else 1)
    word = match["count"]
    count = int(word) if word.isdigit() else 1 if word in ("a", "an") else _COUNTS.index(word)
    return count * (7 if match["unit"] == "week" else 1)


def _weekday(today: date, number: int, weeks: int | None) -> date | None:
    """A weekday of this week, of the one `weeks` later, or simply the next one; none where it is over already."""
    if weeks is None:
        return today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)
    day = today + timedelta(days=number - today.weekday() + 7 * weeks)
    return day if day >= today else None


def _dated(match: re.Match[str], today: date) -> date | None:
    month = match["month"]
    number = int(month) if month.isdigit() else [name[:3] for name in MONTHS].index(month[:3]) + 1
    try:
        if match["year"]:
            return date(int(match["year"]), number, int(match["day"]))
        day = date(today.year, number, int(match["day"]))
        return day if day >= today else day.replace(year=today.year + 1)
    except ValueError:  # 30 February
        return None


def _next_day_of_month(number: int, today: date) -> date | None:
    for months in range(3):
        first = (today.replace(day=1) + timedelta(days=31 * months)).replace(day=1)
        try:
            day = first.replace(day=number)
        except ValueError:
            continue
        if day >= today:
            return day
    return None
