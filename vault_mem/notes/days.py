"""The day that a text names: tomorrow, next Friday, on the 20th, 明日, 来週の金曜. If in doubt, none."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
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
_YEAR = r"(?:,? (?P<year>(?:19|20|21)\d\d)\b|,? (?:of )?(?P<which>next year)\b(?!'))?(?! '\d\d\b)"
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
    rf"(?P<which>今週|来週|再来週|次|今度)の(?P<named>[{WEEKDAYS_JA}])曜|(?<![毎週の隔])(?<!第\d)(?P<plain>[{WEEKDAYS_JA}])曜日?(?=に|まで|の(?:朝|昼|夜|午)|、|$)"
)
_ON_DATE = re.compile(rf"\b{_DAY}(?: of)? {_MONTH}{_YEAR}")
_MONTH_FIRST = re.compile(rf"\b{_MONTH} {_DAY}{_YEAR}")
_ON_THE = re.compile(r"\b(?:on|by|before|until) the (?P<day>\d{1,2})(?:st|nd|rd|th)\b(?! (?:of|floor|street|time|day))")
_ISO = re.compile(r"(?<![\d-])(?P<year>20\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?![\d-])")
_JA_DATE = re.compile(
    r"(?:(?<!\d)(?P<year>\d{4})年の?|令和(?P<reiwa>\d{1,2}|元)年の?|(?P<which>今年|再来年|来年)の?|(?<![\d年])(?<!年の))"
    r"(?P<month>\d{1,2})月(?P<day>\d{1,2})日"
)
_JA_DAY = re.compile(
    r"(?:(?P<which>今月|(?<!再)来月)の?|(?<![\d月])(?<!月の))"
    r"(?P<day>\d{1,2})日(?=に|まで|の|は|、|$)(?!に[\d一二三四五六七八九十]+[回度錠粒杯])"
)
# The year or month named with a day, counted from the present one.
_AHEAD = {"今年": 0, "next year": 1, "来年": 1, "再来年": 2, "今月": 0, "来月": 1}
_BEFORE_REIWA = 2018
# Repeating dates, past dates and spans do not name a single day.
_NOT_ONE_DAY = re.compile(
    r"\b(?:every|each|last|past|weekly|daily|monthly|between|from)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|"
    r"\bnext year,? (?:on|by)\b|毎[日週月年朝晩]|先週|先月|昨日|きのう|去年|昨年|から.*まで|いつも|隔週"
)


_PATTERNS = (_WORDS, _IN_DAYS, _ON_WEEKDAY, _JA_WEEKDAY, _ISO, _JA_DATE, _ON_DATE, _MONTH_FIRST, _ON_THE, _JA_DAY)


def named_day(text: str, today: date) -> date | None:
    """The day that a text names, as seen from the day it was written; None if it names none, or more than one."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    if _NOT_ONE_DAY.search(plain):
        return None
    found = {day for day in _days(plain, today) if day is not None}
    return found.pop() if len(found) == 1 else None


def without_days(text: str) -> str:
    """What a text says besides the days it names."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    for pattern in _PATTERNS:
        plain = pattern.sub(" ", plain)
    return plain


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
    for match in _ON_THE.finditer(text):
        yield _day_of_month(int(match["day"]), today)
    for match in _JA_DAY.finditer(text):
        months = range(_AHEAD[match["which"]], _AHEAD[match["which"]] + 1) if match["which"] else range(3)
        yield _day_of_month(int(match["day"]), today, months)


def _count(match: re.Match[str]) -> int:
    if match["days"]:
        return int(match["days"]) * (7 if match["ja_unit"] == "週間" else 1)
    word = match["count"]
    count = int(word) if word.isdigit() else 1 if word in ("a", "an") else _COUNTS.index(word)
    return count * (7 if match["unit"] == "week" else 1)


def _weekday(today: date, number: int, weeks: int | None) -> date | None:
    """A weekday of the week `weeks` from now, or simply the next such day; None if it is past."""
    if weeks is None:
        return today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)
    day = today + timedelta(days=number - today.weekday() + 7 * weeks)
    return day if day >= today else None


def _dated(match: re.Match[str], today: date) -> date | None:
    """That day in the year named, or the next one; None in a past year, which is a topic rather than a date."""
    said = match.groupdict()
    month, day = said["month"], int(said["day"])
    number = int(month) if month.isdigit() else [name[:3] for name in MONTHS].index(month[:3]) + 1
    year = _year(said, today)
    if year is not None:
        return _date(year, number, day) if year >= today.year else None
    # 29 February may be eight years away
    coming = (_date(today.year + years, number, day) for years in range(9))
    return next((each for each in coming if each and each >= today), None)


def _year(said: dict[str, str | None], today: date) -> int | None:
    if said["year"]:
        return int(said["year"])
    if reiwa := said.get("reiwa"):
        return _BEFORE_REIWA + (1 if reiwa == "元" else int(reiwa))
    which = said.get("which")
    return today.year + _AHEAD[which] if which else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:  # 30 February
        return None


def _day_of_month(number: int, today: date, months: Iterable[int] = range(3)) -> date | None:
    for ahead in months:
        year, month = divmod(today.year * 12 + today.month - 1 + ahead, 12)
        day = _date(year, month + 1, number)
        if day and day >= today:
            return day
    return None
