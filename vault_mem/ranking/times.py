"""Times in a query: dates, months, parts of them, "last week", 先週; and whether it is about now."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo

import numpy as np
from numpy.typing import NDArray

from vault_mem.index.terms import normalised
from vault_mem.notes.days import MONTH_NAMES, WEEKDAYS_JA

Span = tuple[float, float]

DAY = 86_400.0
# Half-lives of a memory's worth outside the span: people often tell of things days later, seldom before they happen.
FADES_AFTER, FADES_BEFORE = 7 * DAY, 3.5 * DAY
# The most a memory outside the span is worth, so that the named day stands out even from the day before.
MOST_WORTH_OUTSIDE = 0.85
# A day identifies a memory better than a month or a year: the longest span, and its weight as a share of a day's.
_WORTH_BY_LENGTH = ((4 * DAY, 1.0), (12 * DAY, 0.8), (20 * DAY, 0.6), (100 * DAY, 0.4))
_WORTH_OF_A_YEAR = 0.2

_NUMBER_OF = {name: number for number, names in enumerate(MONTH_NAMES, 1) for name in names.split()}
_MONTH = "|".join(sorted(_NUMBER_OF, key=len, reverse=True))
# Also ordinary words in some language, such as "may": a month only beside a day or year, or after "in".
_WORDS_TOO = frozenset("may mar march mars jan dec mai marco ene abr dic jun sep apr".split())
_IN = re.compile(
    r"\b(?:in|of|since|during|last|this|before|after|until|till|by|im|seit|bis|vor|nach|en|de|depuis|avant|après|nel|em|"
    r"в|с) $"
)
# Before or after a time, these make it a span from or up to it.
_OPENS = (  # ends before it, ends with it, begins after it, begins with it
    (r"before|prior to|vor|avant|antes de|prima di", r"より前|以前|の?前(?![㐀-鿿])|之前"),
    (r"until|till|up to|bis|jusqu['’](?:à|en|au)|hasta|fino a", r"まで"),
    (r"after|nach|après|después de|dopo", r"より後|の?後(?![㐀-鿿])|之后|の?あと"),
    (r"since|seit|depuis|desde|ab|onwards? from", r"以降|以来|以后|から"),
)
_OPENS_BEFORE = re.compile(  # not in "the week before 16 November"
    "".join(f"(?<!{unit} )(?<!{unit}s )" for unit in "day week weekend month year hour night evening morning".split())
    + "(?:" + "|".join(rf"(?P<o{n}>\b(?:{words})\s+(?:the\s+)?$)" for n, (words, _) in enumerate(_OPENS)) + ")"
)  # fmt: skip
_OPENS_AFTER = re.compile("|".join(rf"(?P<o{n}>\s?(?:{words}))" for n, (_, words) in enumerate(_OPENS)))
# A span from one time to another is no open one.
_FROM_TO = re.compile(
    r"\b(?:from|between|von|zwischen|de|du|entre) .+ (?:to|until|till|and|bis|und|à|au|et|hasta|y) |から.+まで"
)
# Before somebody's name: "What did June say?"
_SOMEBODY = re.compile(r"\b(?:who is|who's|did|does) $")
# Tells a German query, where "hier" means here, from a French one, where it means yesterday.
_GERMAN = re.compile(r"\b(?:der|die|das|ist|sind|im|wer|wie|wo|ein|eine|und|gibt|wir|ich|nicht)\b")

_PARTS = (  # of a month: the words, and where the part begins and ends, as shares of it
    (
        r"first week of|beginning of|start of|(?<!as )early(?: in)?|anfang|début|debut|principios de|inizio|начал[оае]",
        0,
        0.34,
    ),
    (r"second week of", 0.23, 0.5),
    (r"third week of", 0.45, 0.73),
    (r"middle of|mid|mitte|mi-|mediados de|metà|середин[аеы]", 0.3, 0.7),
    (r"last week of|fourth week of|end of|late(?: in)?|ende|fin de|finales de|fine|кон(?:ец|це)", 0.66, 1),
    (r"first half of|erste hälfte(?: des)?|première moitié de|primera mitad de", 0, 0.5),
    (r"(?:second|latter|last) half of|zweite hälfte(?: des)?|deuxième moitié de|segunda mitad de", 0.5, 1),
)
# "the first of November", "November the first"
_DAYS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth "
    "twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
).split()
_DAY_NAME = "|".join(sorted(_DAYS, key=len, reverse=True))
_DAY_IN_WORDS = re.compile(
    rf"\bthe (?P<of>{_DAY_NAME}) of (?=(?:{_MONTH})\b)|\b(?P<month>{_MONTH}) the (?P<after>{_DAY_NAME})\b"
)
_PART = "|".join(f"(?P<part{number}>{words})" for number, (words, *_) in enumerate(_PARTS))
_NAMED = re.compile(
    rf"(?:\b(?:{_PART})[\s-]+(?:the\s+)?)?"
    rf"(?:(?<![\d.:/-])(?P<before>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?(?:\s+(?:of|de))?\s+)?"
    rf"\b(?P<month>{_MONTH})\b\.?"
    r"(?:\s+(?:the\s+)?(?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?![\d:]))?"
    r"(?:,?\s+(?:(?:of|de|del|в)\s+)?(?P<year>(?:19|20)\d\d)\b)?"
)
_YEAR_FIRST = re.compile(
    # not part of INV-2026-10; 2026.2 is a version
    r"(?<![\da-z._-])((?:19|20)\d\d)(?:([-/.])(\d{1,2})(?:\2(\d{1,2})|(?<!\.\d))(?!\d)|[年년]\s?(?:(\d{1,2})[月월](?:份)?\s?(?:(\d{1,2})[日号일])?)?)"
)
_DAY_FIRST = re.compile(r"(?<![\w.])(\d{1,2})([./-])\s?(\d{1,2})\2\s?((?:19|20)\d\d)(?!\w)")
_MONTH_DAY = re.compile(r"(?<!\d)(\d{1,2})[月월](?:份)?\s?(?:(\d{1,2})[日号일])?")
# 上旬 and 月初 come after the month, 年末 after the year.
_PART_AFTER = re.compile(
    r"の?(?:(?P<p0>上旬|初め|はじめ|初|第一週|第1週|第一周)|(?P<p1>中旬|半ば|中)|(?P<p2>下旬|終わり|末|底)|(?P<p3>前半)|"
    r"(?P<p4>後半))"
)
_AFTER = ((0.0, 0.34), (0.3, 0.7), (0.66, 1.0), (0.0, 0.5), (0.5, 1.0))
_OF_YEAR = ((0.0, 0.12), (0.35, 0.65), (0.9, 1.0), (0.0, 0.5), (0.5, 1.0))
# 秋 and 秋学期, but not 秋田.
_NO_NAME = "(?=[天季期休学場先頃中初末祭冬夏我去在到]|[^㐀-鿿]|$)"
_SEASONS = (
    (re.compile(rf"\bspring\b|(?<!立)春{_NO_NAME}|\bfrühling\b|\bprintemps\b|\bprimavera\b|\bвесн"), 3, 3),
    (re.compile(rf"\bsummer\b|夏{_NO_NAME}|\bsommer\b|\bété\b|\bverano\b|\bestate\b|\bлет(?:о|ом)\b"), 6, 3),
    (
        re.compile(
            rf"\bautumn\b|\b(?<!the )fall\b(?= (?:of )?(?:19|20))|秋{_NO_NAME}|\bherbst\b|\bautomne\b|\botoño\b|\bосен"
        ),
        9,
        3,
    ),
    (re.compile(rf"\bwinter\b|冬{_NO_NAME}|\bhiver\b|\binvierno\b|\binverno\b|\bзим"), 12, 3),
)
_YEAR = re.compile(r"(?<![\d.\-/])((?:19|20)\d\d)(?![\d\-/.年])(?!\s*(?:euro|usd|dollar|yen|円|元|€|\$|people|words))")
_AGO = re.compile(
    r"\b(a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}) (day|week|month|year)s? ago\b|"
    r"(\d{1,3}|[一二两三四五六七八九十])\s?(日|天|週間|周|个星期|か月|ヶ月|ヵ月|カ月|个月|年)(?:以)?前"
)
_WORDED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNTS = {word: number for number, word in enumerate(_WORDED, 1)} | {
    sign: number for number, sign in enumerate("一二三四五六七八九十", 1)
} | {"两": 2}  # fmt: skip
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365, "日": 1, "天": 1, "週間": 7, "周": 7, "个星期": 7, "年": 365}
_RELATIVE = (
    (
        re.compile(
            r"\bday before yesterday\b|一昨日|おととい|前天|\bvorgestern\b|\bavant-hier\b|\banteayer\b|"
            r"\bantes de ayer\b|\banteontem\b|\bпозавчера\b|그저께"
        ),
        "day",
        -2,
    ),
    (
        re.compile(
            r"\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|今日|本日|今天|今朝|今夜|今晩|今晚|今早|"
            r"\bheute\b|aujourd'hui|\bhoy\b|\boggi\b|\bhoje\b|\bсегодня\b|(?<![가-힣])오늘"
        ),
        "day",
        0,
    ),
    (
        re.compile(
            r"\byesterday\b|\blast (?:night|evening)\b|(?<!一)昨日|きのう|昨夜|昨晩|昨天|昨晚|\bgestern\b|"
            r"\bletzte nacht\b|(?<!-)\bhier\b|\banoche\b|\bayer\b|\bieri\b|\bontem\b|\bвчера\b|(?<![가-힣])어제"
        ),
        "day",
        -1,
    ),
    (
        re.compile(r"\bweekend before last\b|先々週末|先々週の週末|上上周末|上上个周末|\bvorletztes wochenende\b"),
        "weekend",
        -2,
    ),
    (re.compile(r"\bthis weekend\b|今週末|这个?周末|\bdieses wochenende\b|\beste fin de semana\b"), "weekend", 0),
    (
        re.compile(
            r"\b(?:last|past) weekend\b|先週末|先週の週末|上周末|上个周末|\bletztes wochenende\b|"
            r"\ble week-end dernier\b|\bfin de semana pasado\b"
        ),
        "weekend",
        -1,
    ),
    (
        re.compile(
            r"\bthis week\b|今週|这周|本周|这个星期|\bdiese woche\b|\bcette semaine\b|\besta semana\b|"
            r"\bquesta settimana\b|\bна этой неделе\b|이번 ?주(?!말)"
        ),
        "week",
        0,
    ),
    (
        re.compile(r"\bweek before last\b|先々週|上上周|上上个星期|\bvorletzten? woche\b|\bvorletzter woche\b"),
        "week",
        -2,
    ),
    (
        re.compile(
            r"\b(?:last|past) week\b|先週|上周|上个星期|\b(?:letzte|vergangene)[rn]? woche\b|"
            r"\bsemaine dernière\b|\bsemana pasada\b|"
            r"\bsettimana scorsa\b|\bsemana passada\b|\bна прошлой неделе\b|지난 ?주(?!말)"
        ),
        "week",
        -1,
    ),
    (
        re.compile(
            r"\bthis month\b|今月|这个月|本月|\bdiesen monat\b|\bce mois-ci\b|\beste mes\b|\bв этом месяце\b|이번 ?달"
        ),
        "month",
        0,
    ),
    (re.compile(r"\bmonth before last\b|先々月|上上个月|\bvorletzten monat\b"), "month", -2),
    (
        re.compile(
            r"\b(?:last|past) month\b|先月|上个月|上月|\b(?:letzten|vergangenen) monat\b|"
            r"\bmois dernier\b|\bmes pasado\b|"
            r"\bmese scorso\b|\bmês passado\b|\bв прошлом месяце\b|지난 ?달"
        ),
        "month",
        -1,
    ),
    (
        re.compile(r"\bthis year\b|今年|\bdieses jahr\b|\bcette année\b|\beste año\b|\bв этом году\b|올해"),
        "year",
        0,
    ),
    (re.compile(r"\byear before last\b|一昨年|おととし|\bvorletzte[sn] jahr\b"), "year", -2),
    (
        re.compile(
            r"\b(?:last|past) year\b|(?<!一)昨年|去年|\b(?:letzte|vergangene)[smn] jahr\b|"
            r"\ban dernier\b|\bannée dernière\b|\baño pasado\b|"
            r"\banno scorso\b|\bano passado\b|\bв прошлом году\b|작년|지난 ?해"
        ),
        "year",
        -1,
    ),
)  # fmt: skip
# The days of the week in English, German, French, Spanish and Italian.
_WEEKDAY_NAMES = (
    "monday montag lundi lunes lunedì",
    "tuesday dienstag mardi martes martedì",
    "wednesday mittwoch mercredi miércoles mercoledì",
    "thursday donnerstag jeudi jueves giovedì",
    "friday freitag vendredi viernes venerdì",
    "saturday samstag sonnabend samedi sábado sabato",
    "sunday sonntag dimanche domingo domenica",
)
_NUMBER_OF_WEEKDAY = {name: number for number, names in enumerate(_WEEKDAY_NAMES) for name in names.split()}
_WEEKDAY_NAME = "|".join(_NUMBER_OF_WEEKDAY)
_LAST_WEEKDAY = re.compile(
    rf"(?:\b(?:last|(?:letzte|vergangene)[nrms]?) |(?<=\bsince )|(?<=\bseit ))(?P<before>{_WEEKDAY_NAME})\b|"
    rf"\b(?P<after>{_WEEKDAY_NAME}) (?:dernier|pasado|scorso|scorsa)\b"
)
_ON_WEEKDAY = re.compile(rf"\b(?:on|am) (?P<before>{_WEEKDAY_NAME})\b(?P<after>)")
# Only in a question about the past: otherwise "on Tuesday" may be the next one, or any.
_PAST = re.compile(
    r"\b(?:did|were|had|happened|went|said|told|came|got|made|saw|ate|met|\w{3,}ed)\b|\bwas\b.* on |"
    r"\b(?:hatte|war|wurde|gab)(?:en|n)?\b|\b(?:habe|haben|hat|bin|ist|sind)\b.*\b\w*ge\w+(?:t|en)\b"
)
_NOT_PAST = re.compile(r"\b(?:is|are|am i|will|does|should|shall|wird|werden)\b")
_LAST_SEASON = re.compile(
    r"\b(?P<which>last|past|this) (?:(?P<s3>spring)|(?P<s6>summer)|(?P<s9>autumn|fall)|(?P<s12>winter))\b"
)
# 先週の金曜 is a day of last week; この前の金曜 is the last one.
_WEEKDAY_JA = re.compile(
    rf"(?P<weeks>先々週|先週|今週|この[前間]|(?<![の一-鿿])前)の?\s?(?P<day>[{WEEKDAYS_JA}])曜日?|"
    r"(?P<weeks_zh>上上|上|这|本)(?:周|星期)(?P<day_zh>[一二三四五六日天])"
)
_WEEKS_BACK = {"先々週": 2, "先週": 1, "今週": 0, "上上": 2, "上": 1, "这": 0, "本": 0}
_WEEKDAYS_ZH = {sign: day for day, sign in enumerate("一二三四五六日")} | {"天": 6}
# 十一月三日, 令和八年: turned into digits before anything else is read.
_NUMERALS = "〇一二三四五六七八九十"
_WRITTEN_OUT = re.compile(
    rf"(?P<era>令和|平成|昭和)(?P<of_era>元|\d{{1,2}}|[{_NUMERALS}]{{1,3}})年|"
    rf"(?<![{_NUMERALS}\d百千])(?:(?P<year>二〇[{_NUMERALS[:-1]}]{{2}})年)?(?P<month>[{_NUMERALS}]{{1,2}})月(?:(?P<day>[{_NUMERALS}]{{1,3}})日)?"
)
_BEFORE_ERA = {"令和": 2018, "平成": 1988, "昭和": 1925}
_NOW = re.compile(
    r"\b(?:now|nowadays|currently|current|latest|newest|recent|recently|at present|these days|at the moment|"
    r"right now|today|still|up to date|derzeit|aktuell|neueste|actuellement|actualmente|сейчас)\b|"
    r"今は|今の|いまの|いまは|現在|现在|最近|最新|近頃|このごろ|今も|目下|今日|直近|目前|近期"
)


@dataclass
class Times:
    """The times in a query: the spans it means, and what is left of the query without them."""

    spans: list[Span] = field(default_factory=list)
    rest: str = ""
    dated: bool = False  # names a date or year, not just "last week"


def about_now(query: str) -> bool:
    """Whether a query asks how things are now. Do not ask beside a date: there, "recent" means recent at the time."""
    return bool(_NOW.search(normalised(query)))


def spans(query: str, now: datetime, years: Iterable[int] = ()) -> list[Span]:
    """The times a query names. A month or day without a year is read in each of the given years."""
    return times(query, now, years).spans


def times(query: str, now: datetime, years: Iterable[int] = (), people: Collection[str] = ()) -> Times:
    """The times a query names, and the rest of it. `people` are the people it names, since June may be one of them."""
    return _Reader(normalised(query), now, sorted(set(years)) or [now.year], people).read()


class _Reader:
    """Takes one expression of time after another out of a query."""

    def __init__(self, text: str, now: datetime, years: list[int], people: Collection[str]) -> None:
        text = re.sub(r"\bhier\b", " ", text) if _GERMAN.search(text) else text
        self.text = _DAY_IN_WORDS.sub(_day_in_digits, _WRITTEN_OUT.sub(_in_digits, text))
        self.now, self.years, self.people = now, years, people
        self.zone: tzinfo | None = now.tzinfo
        self.found: list[Span] = []
        self.from_to = bool(_FROM_TO.search(self.text))

    def read(self) -> Times:
        named = {int(match[1]) for match in _YEAR_FIRST.finditer(self.text)}
        self.years = sorted(named) or self.years  # 2025年4月到5月: the second month is of the same year
        for pattern, take in (
            (_YEAR_FIRST, self._year_first),
            (_DAY_FIRST, self._day_first),
            (_NAMED, self._month_by_name),
            (_MONTH_DAY, self._month_day),
        ):
            self._take(pattern, take)
        for pattern, month, length in _SEASONS:
            self._season(pattern, month, length)
        dated = bool(self.found)
        self._take(_WEEKDAY_JA, self._weekday_of_week)
        for pattern, unit, steps in _RELATIVE:
            self._take(pattern, lambda match, unit=unit, steps=steps: [_relative(self.now, unit, steps)])
        for pattern, month, length in _SEASONS:  # 去年の夏
            self._season(pattern, month, length)
        self._take(_LAST_WEEKDAY, self._last_weekday)
        past = _PAST.search(self.text) and not _NOT_PAST.search(self.text)
        if past or _ON_WEEKDAY.fullmatch(self.text.strip(" ?.!")):
            self._take(_ON_WEEKDAY, self._last_weekday)
        self._take(_LAST_SEASON, self._last_season)
        self._take(_AGO, self._ago)
        if not self.found:
            self._take(_YEAR, lambda match: _calendar([int(match[1])], 0, 0, self.zone))
            dated = bool(self.found)
        return Times(self.found, self.text, dated)

    def _take(self, pattern: re.Pattern[str], read: object) -> None:
        """Read every match, and remove from the text what was understood."""
        left, at = [], 0
        for match in pattern.finditer(self.text):
            if match.start() < at or not match.group():
                continue
            spans_ = read(match)  # type: ignore[operator]
            if not spans_:
                continue
            end = match.end()
            part = _PART_AFTER.match(self.text, end) if "月" in match.group() or "年" in match.group() else None
            if part and len({start for start, _ in spans_}) and spans_[0][1] - spans_[0][0] > 20 * DAY:
                number = next(n for n in range(len(_AFTER)) if part[f"p{n}"])
                spans_ = [
                    _part(span, *(_AFTER if span[1] - span[0] < 40 * DAY else _OF_YEAR)[number]) for span in spans_
                ]
                end = part.end()
            start, end, spans_ = self._opened(match.start(), end, spans_)
            self.found += spans_
            left.append(self.text[at:start])
            at = end
        self.text = " ".join([*left, self.text[at:]]) if left else self.text

    def _opened(self, start: int, end: int, spans_: list[Span]) -> tuple[int, int, list[Span]]:
        """A time with "before", "since" or the like beside it: where both are in the text, and the span they mean."""
        before, after = _OPENS_BEFORE.search(self.text[:start]), _OPENS_AFTER.match(self.text, end)
        opens = before or after
        if opens is None or self.from_to:
            return start, end, spans_
        kind = next(n for n in range(len(_OPENS)) if opens[f"o{n}"])
        now = self.now.timestamp()
        # of several years, the last in which that time had begun
        first, last = max((span for span in spans_ if span[0] <= now), default=spans_[0])
        first, last = ((0.0, first), (0.0, last), (last, max(now, last)), (first, max(now, last)))[kind]
        return before.start() if before else start, after.end() if after and not before else end, [(first, last)]

    def _year_first(self, match: re.Match[str]) -> list[Span]:
        year, _, month, day, month_, day_ = match.groups()
        return _calendar([int(year)], int(month or month_ or 0), int(day or day_ or 0), self.zone)

    def _day_first(self, match: re.Match[str]) -> list[Span]:
        one, sign, other, year = int(match[1]), match[2], int(match[3]), int(match[4])
        found = _calendar([year], other, one, self.zone)
        if sign == "/" or not found:  # 3/4/2024 is 3 April or 4 March
            found += [span for span in _calendar([year], one, other, self.zone) if span not in found]
        return found

    def _month_by_name(self, match: re.Match[str]) -> list[Span]:
        day, year, name = match["before"] or match["after"], match["year"], match["month"]
        number = next((n for n in range(len(_PARTS)) if match[f"part{n}"]), None)
        alone = not (day or year or number is not None)
        before = self.text[: match.start("month")]
        doubtful = name in _WORDS_TOO or name in self.people or _SOMEBODY.search(before)
        if doubtful and alone and not _IN.search(before):
            return []  # the verb "may", or somebody called June
        found = _calendar([int(year)] if year else self.years, _NUMBER_OF[name], int(day or 0), self.zone)
        if number is None or day:
            return found
        return [_part(span, *_PARTS[number][1:]) for span in found]

    def _month_day(self, match: re.Match[str]) -> list[Span]:
        return _calendar(self.years, int(match[1]), int(match[2] or 0), self.zone)

    def _season(self, pattern: re.Pattern[str], month: int, length: int) -> None:
        """Read a season only beside a year: by itself it is more often about what somebody likes or wears."""
        match = pattern.search(self.text)
        year = _YEAR.search(self.text)
        if match is None or (year is None and not self.found):
            return
        if year is None:
            # 2025年の夏: the year was read before
            whole = [span for span in self.found if span[1] - span[0] > 300 * DAY]
            years = [datetime.fromtimestamp(start, self.zone).year for start, _ in whole]
            self.found = [span for span in self.found if span not in whole]
        else:
            years = [int(year[1])]
            self.text = self.text[: year.start()] + " " + self.text[year.end() :]
        if years:
            self.text = pattern.sub(" ", self.text, count=1)
        for each in years:
            self.found.append(_season_of(each, month, length, self.zone))

    def _last_weekday(self, match: re.Match[str]) -> list[Span]:
        day = _NUMBER_OF_WEEKDAY[match["before"] or match["after"]]
        back = (self.now.weekday() - day - 1) % 7 + 1
        return [_day(self.now - timedelta(days=back))]

    def _last_season(self, match: re.Match[str]) -> list[Span]:
        """The last season of that name that has begun ("this summer") or is over ("last summer")."""
        month = next(month for month in (3, 6, 9, 12) if match[f"s{month}"])
        begun = [_season_of(year, month, 3, self.zone) for year in (self.now.year, self.now.year - 1)]
        begun += [_season_of(self.now.year - 2, month, 3, self.zone)]
        now = self.now.timestamp()
        return [next(span for span in begun if (span[0] if match["which"] == "this" else span[1]) <= now)]

    def _weekday_of_week(self, match: re.Match[str]) -> list[Span]:
        day = _WEEKDAYS_ZH[match["day_zh"]] if match["day_zh"] else WEEKDAYS_JA.index(match["day"])
        weeks = _WEEKS_BACK.get(match["weeks"] or match["weeks_zh"])
        back = (self.now.weekday() - day - 1) % 7 + 1 if weeks is None else self.now.weekday() - day + 7 * weeks
        return [_day(self.now - timedelta(days=back))]

    def _ago(self, match: re.Match[str]) -> list[Span]:
        count = match[1] or match[3]
        days = _UNITS.get(match[2] or match[4], 30) * (int(count) if count.isdecimal() else _COUNTS.get(count, 1))
        centre = self.now - timedelta(days=days)
        slack = timedelta(days=max(days // 10, 0))
        return [(_day(centre - slack)[0], _day(centre + slack)[1])]


def time_worth(created: NDArray[np.float64], wanted: Sequence[Span]) -> NDArray[np.float32]:
    """How well each time fits the spans, 0 to 1: 1 within a named day, less outside it, and less for longer spans."""
    best = np.zeros(len(created), dtype=np.float32)
    for start, end in wanted:
        share = next((share for longest, share in _WORTH_BY_LENGTH if end - start <= longest), _WORTH_OF_A_YEAR)
        best = np.maximum(best, np.float32(share) * _near(created, start, end))
    return best


def made_within(created: NDArray[np.float64], wanted: Sequence[Span]) -> NDArray[np.bool_]:
    """Which were made in one of the spans."""
    inside = np.zeros(len(created), dtype=bool)
    for start, end in wanted:
        inside |= (created >= start) & (created <= end)
    return inside


def _near(created: NDArray[np.float64], start: float, end: float) -> NDArray[np.float32]:
    away = np.where(created < start, (start - created) / FADES_BEFORE, np.maximum(created - end, 0) / FADES_AFTER)
    return np.where(away > 0, MOST_WORTH_OUTSIDE * np.exp2(-np.minimum(away, 60)), 1).astype(np.float32)


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


def _season_of(year: int, month: int, months: int, zone: tzinfo | None) -> Span:
    start = _calendar([year], month, 0, zone)[0][0]
    return start, start + months * 30.6 * DAY


def _in_digits(match: re.Match[str]) -> str:
    """A Japanese date in digits, with a year of an era turned into a calendar year."""
    if match["era"]:
        of_era = 1 if match["of_era"] == "元" else _number(match["of_era"])
        return f"{_BEFORE_ERA[match['era']] + of_era}年"
    year = f"{''.join(str(_NUMERALS.index(each)) for each in match['year'])}年" if match["year"] else ""
    day = f"{_number(match['day'])}日" if match["day"] else ""
    return f"{year}{_number(match['month'])}月{day}"


def _day_in_digits(match: re.Match[str]) -> str:
    """The first of November as 1 November, November the first as November 1."""
    number = _DAYS.index(match["of"] or match["after"]) + 1
    return f"{number} " if match["of"] else f"{match['month']} {number}"


def _number(written: str) -> int:
    """A number below a hundred, in digits or as 二十三 or 二三."""
    if written.isdecimal():
        return int(written)
    tens, ten, ones = written.rpartition("十")
    if not ten:
        return int("".join(str(_NUMERALS.index(each)) for each in written))
    return (_NUMERALS.index(tens) if tens in [*_NUMERALS] else 1) * 10 + (_NUMERALS.index(ones[0]) if ones else 0)


def _part(span: Span, first: float, last: float) -> Span:
    start, end = span
    return start + first * (end - start), start + last * (end - start)


def _day(moment: datetime) -> Span:
    start = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return start.timestamp(), (start + timedelta(days=1)).timestamp()


def _relative(now: datetime, unit: str, steps: int) -> Span:
    if unit == "day":
        return _day(now + timedelta(days=steps))
    if unit == "week":
        start = now - timedelta(days=now.weekday() - 7 * steps)
        return _day(start)[0], _day(start + timedelta(days=6))[1]
    if unit == "weekend":
        saturday = now + timedelta(days=5 - now.weekday() + 7 * steps)
        return _day(saturday)[0], _day(saturday + timedelta(days=1))[1]
    if unit == "month":
        first = now.replace(day=1)
        for _ in range(-steps):
            first = (first - timedelta(days=1)).replace(day=1)
        return _calendar([first.year], first.month, 0, now.tzinfo)[0]
    return _calendar([now.year + steps], 0, 0, now.tzinfo)[0]
