"""Numbers, times, dates and identifiers in a text, in whatever words and digits they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from vault_mem.judge.english import STOP
from vault_mem.judge.words import compiled, known, read_rows, read_words
from vault_mem.notes.days import MONTHS, WEEKDAYS, WEEKDAYS_JA

_FIRST_MARK, _MARKS = 0xE000, 0x1800  # private-use characters; each marks where a quantity was removed

_UNITS = {written: name for name, *all_written in read_rows("units.txt") for written in all_written}
# Units as multiples of another, so that 3200グラム is 3.2キロ.
_SCALED = {
    written: (name, float(factor))
    for name, factor, *all_written in read_rows("scaled_units.txt")
    for written in all_written
}
# Counter words, which have no meaning of their own; the longer first.
_COUNTERS = "|".join(sorted(read_words("counters.txt"), key=lambda word: (-len(word), word)))
_RELATIVE = {written: name for name, *all_written in read_rows("relative_times.txt") for written in all_written}

# Parts of ordinary compounds that no dictionary lists: self-hosted, follow-up.
_JOINED = STOP | read_words("compound_parts.txt")

_WORD_VALUES = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12,
}  # fmt: skip
_WORD_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_NTH = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS = {word: number for number, word in enumerate(_NTH.split(), start=1)}
_TIMES_OVER = {"once": 1, "twice": 2, "thrice": 3, "single": 1}
_KANJI_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {"零": 0, "両": 2}
_KANJI_SMALL = {"十": 10, "百": 100, "千": 1000}
_KANJI_LARGE = {"万": 10_000, "億": 100_000_000, "兆": 1_000_000_000_000}

_KN = r"(?:[0-9][0-9,]*(?:\.[0-9]+)?[千万億兆]?(?:[0-9]+千?)?|[〇一二三四五六七八九十百千万億兆]+)"
_DIGITS = "0123456789"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NUMERALS = _DIGITS + "〇一二三四五六七八九十百千万億兆"
_EN_NUMBER_WORD = "|".join(sorted([*_WORD_VALUES, *_WORD_SCALES], key=len, reverse=True))
_EN_NUMBER = rf"(?:(?:{_EN_NUMBER_WORD})(?:[ -](?:and )?(?:{_EN_NUMBER_WORD}))*)"
_MONTH = rf"(?:{'|'.join(name + '|' + name[:3] for name in MONTHS)}|sept)\.?"


@dataclass(frozen=True)
class Quantity:
    """One number, time, date or identifier: what kind, its value in one form, and the words it stood in."""

    kind: str
    value: object
    text: str
    unit: str = ""

    def agrees(self, other: Quantity) -> bool:
        """Whether both can mean the same."""
        if self.kind != other.kind:
            return {self.kind, other.kind} == {"time", "number"} and self._as_hour(other)
        if self.kind == "time":
            return self._same_time(other)
        if self.kind == "date":
            pairs = zip(self.value, other.value, strict=True)  # type: ignore[call-overload]
            return all(one is None or two is None or one == two for one, two in pairs)
        if self.unit in _SECONDS and other.unit in _SECONDS:
            return round(float(self.value) * _SECONDS[self.unit] - float(other.value) * _SECONDS[other.unit], 6) == 0  # type: ignore[arg-type]
        return self.value == other.value and (not self.unit or not other.unit or self.unit == other.unit)

    def _same_time(self, other: Quantity) -> bool:
        """15:00 is 3pm, and 3 may be 3pm, but 14:00 and a bare 2 are different times."""
        shared = set(self.value) & set(other.value)  # type: ignore[call-overload]
        twelve_hours = other if self.unit else self
        certain = len(set(twelve_hours.value)) == 1  # type: ignore[call-overload]
        return bool(shared) and (self.unit == other.unit or certain)

    def _as_hour(self, other: Quantity) -> bool:
        """A bare number may be the hour that the other text spells out as a time."""
        time, number = (self, other) if self.kind == "time" else (other, self)
        if number.unit or not isinstance(number.value, float):
            return False
        return any(minutes % 60 == 0 and minutes // 60 % 12 == number.value % 12 for minutes in time.value)  # type: ignore[attr-defined]


# 90 minutes are an hour and a half, but replacing "minute" by "second" is a change.
_SECONDS = {"hour": 3600.0, "minute": 60.0, "second": 1.0, "ms": 0.001}


class Reader(NamedTuple):
    """A pattern and what it means. Every match contains the `word`, and one of the `signs` if there are any."""

    written: str
    read: Callable[[re.Match[str]], Quantity | None]
    signs: frozenset[str]
    word: str


_ANY_DIGIT = re.compile(r"\d")
_ANY_MARK = re.compile(f"[{chr(_FIRST_MARK)}-{chr(_FIRST_MARK + _MARKS)}]")


def placeholder(number: int) -> str:
    """The character that replaces the quantity of that number in the rest of the text."""
    return chr(_FIRST_MARK + number)


def quantities(text: str) -> tuple[list[Quantity], str]:
    """Take every quantity out of a normalised text; returns them and the rest of the text."""
    found: list[Quantity] = []
    text = _ANY_MARK.sub(" ", text)
    signs = set(text)
    if _ANY_DIGIT.search(text):  # of whatever script
        signs.add(_DIGITS[0])
    for written, read, needed, word in READERS:
        if (needed and needed.isdisjoint(signs)) or word not in text:
            continue

        def take(match: re.Match[str], read: Callable[[re.Match[str]], Quantity | None] = read) -> str:
            quantity = read(match)
            if quantity is None or len(found) == _MARKS:
                return match.group()
            found.append(quantity)
            return f" {placeholder(len(found) - 1)} "

        text = compiled(written).sub(take, text)
    return found, text


def unmatched(left: list[Quantity], right: list[Quantity]) -> tuple[list[Quantity], list[Quantity]]:
    """The quantities of each text that match none of the other."""
    right = list(right)
    alone: list[Quantity] = []
    for quantity in left:
        partner = next((other for other in right if quantity.agrees(other)), None)
        if partner is None:
            alone.append(quantity)
        else:
            right.remove(partner)
    return alone, right


def _number(text: str) -> float | None:
    """The value of digits, kanji numerals or English number words."""
    text = text.replace(",", "").strip()
    try:
        return float(text)
    except ValueError:
        pass
    if text and text[0].isascii() and text[0].isalpha():
        return _english_number(text)
    return _kanji_number(text)


def _english_number(text: str) -> float | None:
    total, current = 0.0, 0.0
    words = [word for word in re.split(r"[ -]+", text) if word != "and"]
    for word in words:
        if word in _WORD_VALUES:
            current += _WORD_VALUES[word]
        elif word in _WORD_SCALES:
            current = max(current, 1) * _WORD_SCALES[word]
            if _WORD_SCALES[word] > 100:
                total, current = total + current, 0.0
        else:
            return None
    return total + current


def _kanji_number(text: str) -> float | None:
    total, section, digits = 0.0, 0.0, ""
    for sign in text:
        if sign.isdigit() or sign == ".":
            digits += sign
        elif sign in _KANJI_DIGITS:
            digits += str(_KANJI_DIGITS[sign])
        elif sign in _KANJI_SMALL:
            section += float(digits or 1) * _KANJI_SMALL[sign]
            digits = ""
        elif sign in _KANJI_LARGE:
            total += (section + float(digits or (0 if section else 1))) * _KANJI_LARGE[sign]
            section, digits = 0.0, ""
        else:
            return None
    return total + section + float(digits or 0)


def _clock(hour: float | None, minute: float, part: str) -> frozenset[int] | None:
    if hour is None or hour > 24 or minute >= 60:
        return None
    base = int(hour) % 24
    if part in ("pm", "evening", "afternoon", "night", "午後", "夜", "夕方", "晩") and base < 12:
        hours = {base + 12} if not (part in ("night", "夜", "晩") and base < 5) else {base}
    elif part in ("am", "morning", "午前", "朝", "深夜", "未明", "早朝"):
        hours = {base % 12}
    elif base > 12 or base == 0:
        hours = {base}
    else:
        hours = {base, (base + 12) % 24}
    return frozenset(each * 60 + int(minute) for each in hours)


def _time(match: re.Match[str], hour: str, minute: str | None = None, part: str | None = None) -> Quantity | None:
    part = part or ""
    value = _clock(_number(hour), _number(minute) or 0 if minute else 0, part.replace(".", ""))
    if value and not part and hour.startswith("0"):
        value = frozenset({min(value)})  # 02:00 is not 2 in the afternoon
    written = match.group().strip()
    if written.count(".") == 1:  # the full stop of the sentence, not that of p.m.
        written = written.rstrip(".")
    by_the_day = "24" if not part and (_number(hour) or 0) > 12 else ""
    return Quantity("time", value, written, by_the_day) if value else None


def _date(match: re.Match[str], year: str | None, month: str | None = None, day: str | None = None) -> Quantity | None:
    numbers = [_number(part) if part else None for part in (year, month, day)]
    values = [None if number is None else int(number) for number in numbers]
    if all(value is None for value in values):
        return None
    return Quantity("date", tuple(values), match.group().strip())


def _month_number(name: str) -> str:
    return str(next(number for number, month in enumerate(MONTHS, start=1) if month.startswith(name.rstrip(".")[:3])))


def _counted(match: re.Match[str], number: str, unit: str | None = None) -> Quantity | None:
    value, text = _number(number), match.group().strip()
    if value is None:
        return None
    unit = (unit or "").strip()
    if unit in _SCALED:
        unit, factor = _SCALED[unit]
        return Quantity("number", round(value * factor, 6), text, unit)
    return Quantity("number", value, text, _UNITS.get(unit, ""))


_SCALES = {"k": 3, "t": 12, "m": 6, "b": 9}


def _large(match: re.Match[str]) -> Quantity | None:
    """$4.1bn, 4.1 billion dollars."""
    number, scale = match[2] or match[4], match[3] or match[5]
    unit = _UNITS.get(match[1] or match[6] or "", "")
    power = 3 if scale == "thousand" else _SCALES[scale[0]]
    return Quantity("number", round(float(number.replace(",", "")) * 10**power, 6), match.group(), unit)


def _identifier(match: re.Match[str]) -> Quantity:
    return Quantity("identifier", match.group(), match.group())


def _below_zero(match: re.Match[str]) -> Quantity | None:
    found = _counted(match, match[1], match[2])
    return Quantity("number", -float(match[1]), found.text, found.unit) if found else None


_MINUTES_PAST = {"half": "30", "quarter": "15"}
_UNIT = "|".join(sorted(map(re.escape, [*_UNITS, *_SCALED]), key=len, reverse=True))
_AM_PM = r"(a\.?m\.?|p\.?m\.?)(?![a-z])"
_DAYPART = r"(?: (?:in the|at) (morning|afternoon|evening|night))?"
_JA_PART = r"(午前|午後|早朝|朝|夕方|深夜|未明|夜|晩)?の?"


def _made_up_name(match: re.Match[str]) -> Quantity | None:
    """Whether a hyphenated word is a made-up name, like acme-uploads-eu: one of its parts is not a word."""
    parts = match.group().split("-")
    if len(parts) > 2 and _JOINED.isdisjoint(parts):
        return _identifier(match)
    words = all(known(part) or known(part.rstrip("s")) or part in _JOINED for part in parts) or known("".join(parts))
    return None if words else _identifier(match)


def _readers() -> Iterator[Reader]:
    """All readers, the more specific first."""

    def reader(
        pattern: str, read: Callable[[re.Match[str]], Quantity | None], signs: str = "", word: str = ""
    ) -> Reader:
        return Reader(pattern, read, frozenset(signs), word)

    # addresses, options, operators, file paths
    yield reader(r"https?://[!-(*-~]+", lambda m: Quantity("identifier", m.group().rstrip(".,"), m.group()), "/")
    yield reader(r"(?<![\w-])--?[a-z][a-z0-9_-]*", _identifier, "-")
    yield reader(r"(?<=\s)(?:[=!<>]=|[<>])(?=\s)", _identifier, "=<>")
    yield reader(r"(?<![\w.])[a-z]{1,2}[+-](?![\w+-])", _identifier, "+-")
    yield reader(r"(?<![a-z0-9_.])[a-z][a-z0-9]*_[a-z0-9_]+", _identifier, "_")
    yield reader(
        r"(?<![a-z0-9_/])(?:~|\.{1,2})?/[a-z0-9_.-]+(?:/[a-z0-9_.-]+)*/?",
        lambda m: Quantity("identifier", m.group().rstrip("/."), m.group()),
        "/",
    )
    yield reader(r"(?<![a-z0-9_.-])[a-z]{2,}(?:-[a-z]{2,})+(?![a-z0-9_-]|\.[a-z0-9])", _made_up_name, "-")
    # dates
    yield reader(
        r"(?<![a-z0-9/.-])(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?![a-z0-9/-])", lambda m: _date(m, m[1], m[2], m[3]), "-/"
    )
    yield reader(
        r"(?<![a-z0-9/.-])(3[01]|[12]\d|0?[1-9])\.(1[0-2]|0?[1-9])\.((?:19|20)\d\d)(?![a-z0-9/-])",
        lambda m: _date(m, m[3], m[2], m[1]),
        ".",
    )
    yield reader(
        rf"\b({_MONTH}) (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,? (\d{{4}}))?",
        lambda m: _date(m, m[3], _month_number(m[1]), m[2]),
        _DIGITS,
    )
    yield reader(
        rf"\b(?:the )?(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({_MONTH})\b(?:,? (\d{{4}}))?",
        lambda m: _date(m, m[3], _month_number(m[2]), m[1]),
        _DIGITS,
    )
    months = "|".join(name for name in MONTHS if name not in ("may", "march"))
    yield reader(
        rf"\b({months}|(?<=in )(?:may|march)|(?<=since )(?:may|march))\b(?: (\d{{4}}))?",
        lambda m: _date(m, m[2], _month_number(m[1])),
        _LETTERS,
    )
    yield reader(
        rf"令和({_KN}|元)年(?:({_KN})月)?(?:({_KN})日)?",
        lambda m: _date(m, str(2018 + int(_number(m[1].replace("元", "1")) or 0)), m[2], m[3]),
        "令",
    )
    yield reader(rf"({_KN})年({_KN})月(?:({_KN})日)?", lambda m: _date(m, m[1], m[2], m[3]), "年")
    yield reader(  # 締切は5/10, and no fraction: 1/2個
        r"(?<=[ぁ-ゖ、,（])(1[0-2]|0?[1-9])/(3[01]|[12]\d|0?[1-9])(?![\d/]|[一-鿿ァ-ヺa-z]|ほど|くらい)",
        lambda m: _date(m, None, m[1], m[2]),
        "/",
    )
    yield reader(rf"({_KN})月({_KN})日", lambda m: _date(m, None, m[1], m[2]), "月")
    yield reader(rf"(?<![か箇ヶカヵ])({_KN})月(?![間曜])", lambda m: _date(m, None, m[1]), "月")
    yield reader(rf"(?!一日)({_KN})日(?![間本])", lambda m: _date(m, None, None, m[1]), "日")
    yield reader(
        r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(mon|tue|wed|thu|fri|sat|sun)\b\.?(?= at| \d|,)",
        lambda m: Quantity("weekday", (m[1] or m[2])[:3], m.group()),
        _LETTERS,
    )
    yield reader(
        r"([月火水木金土日])曜日?",
        lambda m: Quantity("weekday", WEEKDAYS[WEEKDAYS_JA.index(m[1])][:3], m.group()),
        "曜",
    )
    # times of day
    yield reader(
        rf"(?<![a-z0-9.])(\d{{1,2}})(?:[:.](\d{{2}}))? ?{_AM_PM}", lambda m: _time(m, m[1], m[2], m[3]), _DIGITS
    )
    yield reader(rf"(?<![a-z0-9.:])(\d{{1,2}}):(\d{{2}})(?![:\d]){_DAYPART}", lambda m: _time(m, m[1], m[2], m[3]), ":")
    hour = rf"({_EN_NUMBER}|\d{{1,2}})"
    for said in _MINUTES_PAST:
        yield reader(
            rf"\b{said} past {hour}{_DAYPART}",
            lambda m: _time(m, m[1], _MINUTES_PAST[m.group().split()[0]], m[2]),
            word=f"{said} past",
        )
    yield reader(rf"\b{hour} o'?clock{_DAYPART}", lambda m: _time(m, m[1], None, m[2]), word="clock")
    yield reader(rf"\b{hour} in the (morning|afternoon|evening)", lambda m: _time(m, m[1], None, m[2]), word=" in the ")
    yield reader(r"\b(?:noon|midday)\b|正午", lambda m: Quantity("time", frozenset({720}), m.group()), "d正n")
    yield reader(r"\bmidnight\b", lambda m: Quantity("time", frozenset({0}), m.group()), word="midnight")
    yield reader(rf"{_JA_PART}({_KN})時半", lambda m: _time(m, m[2], "30", m[1]), "半")
    yield reader(rf"{_JA_PART}({_KN})時(?!間)(?:({_KN})分)?", lambda m: _time(m, m[2], m[3], m[1]), "時")
    # what is said relative to now
    for word in sorted(_RELATIVE, key=len, reverse=True):
        pattern = rf"\b{word}\b" if word.isascii() else word
        yield reader(pattern, lambda m: Quantity("relative", _RELATIVE[m.group()], m.group()), word=word)
    yield reader(
        r"\b(last|this|next) "
        r"(night|morning|evening|afternoon|week|weekend|month|year|spring|summer|autumn|fall|winter)\b",
        lambda m: Quantity("relative", m.group().replace(" ", "-"), m.group()),
        _LETTERS,
    )
    # amounts with a sign before, numbers with a unit behind, identifiers, and plain numbers
    yield reader(
        r"([$€£¥]) ?([0-9][0-9,]*(?:\.\d+)?) ?(k|m|b|t|mn|bn|tn|thousand|million|billion|trillion)(?![a-z])"
        r"|(?<![\w.,])([0-9][0-9,]*(?:\.\d+)?) ?(mn|bn|tn|thousand|million|billion|trillion)(?![a-z])"
        r"(?: (dollars?|euros?|pounds?|yen|usd|eur|gbp)\b)?",
        _large,
        _DIGITS,
    )
    yield reader(r"([$€£¥]) ?([0-9][0-9,]*(?:\.\d+)?)", lambda m: _counted(m, m[2], m[1]), "$€£¥")
    yield reader(rf"(?<![\w.])-(\d+(?:\.\d+)?) ?({_UNIT})?(?![\w-])", _below_zero, "-")
    yield reader(
        rf"(?<![a-z0-9.-])({_KN})[ -]?({_UNIT})(?![a-z0-9])(?!目)", lambda m: _counted(m, m[1], m[2]), _NUMERALS
    )
    yield reader(rf"\b({_EN_NUMBER})[ -]({_UNIT})\b", lambda m: _counted(m, m[1], m[2]), _LETTERS)
    yield reader(
        r"(?<![a-z0-9.])v?\d+(?:\.\d+){1,}(?:[-.]?[a-z]+\d*)?(?![a-z0-9])",
        lambda m: (
            Quantity("identifier", m.group().lstrip("v"), m.group())
            if m.group().count(".") > 1 or m.group().startswith("v")
            else None
        ),
        _DIGITS,
    )
    yield reader(
        r"(?<![a-z0-9])(?=[a-z0-9_-]*\d)(?=[a-z0-9_-]*[a-z])(?!\d+(?:st|nd|rd|th)\b)[a-z0-9]+(?:[-_.][a-z0-9]+)*(?![a-z0-9])",
        _identifier,
        _DIGITS,
    )
    yield reader(
        r"(?<![\w'.])(?:[b-hj-z]|(?<=\w )a(?= (?:for|to|in|on|and|or|is|was|at|from|of|with)\b|[.,;:!?]|$))(?![\w'.-])",
        _identifier,
        _LETTERS,
    )
    yield reader(  # Ｌ字型, B棟
        r"(?<![a-z0-9])[a-z](?=字|型|棟|席|班|組|案|社|店)", _identifier, "字型棟席班組案社店"
    )
    yield reader(r"\b(\d+)(?:st|nd|rd|th)\b", lambda m: Quantity("ordinal", int(m[1]), m.group()), _DIGITS)
    yield reader(
        rf"第({_KN})|({_KN})(?:番目|回目|度目|つ目|人目|日目|年目|位)",
        lambda m: Quantity("ordinal", int(_number(m[1] or m[2]) or 0), m.group()),
        "第目位",
    )
    ordinals = rf"\b({'|'.join(_ORDINALS)})\b(?!-)"
    yield reader(ordinals, lambda m: Quantity("ordinal", _ORDINALS[m[1]], m.group()), _LETTERS)
    yield reader(r"最初|[初始]め(?=から|は)|はじめ(?=から|は)", lambda m: Quantity("ordinal", 1, m.group()), "初始は")
    over = rf"\b({'|'.join(_TIMES_OVER)})\b"
    yield reader(over, lambda m: Quantity("number", float(_TIMES_OVER[m[1]]), m.group()), _LETTERS)
    yield reader(r"\b(two|three|four|five|six|\d+) times\b", lambda m: _counted(m, m[1]), word=" times")
    yield reader(
        rf"([0-9][0-9,]*(?:\.[0-9]+)?[千万億兆]?(?:[0-9]+千?)?)(?:{_COUNTERS})?", lambda m: _counted(m, m[1]), _DIGITS
    )
    yield reader(
        rf"([〇一二三四五六七八九十百千万億]+)(?:{_COUNTERS}|(?=[階歳年番号倍割度畳週歩]))(?!番|部|緒|方|種|般)",
        lambda m: _counted(m, m[1]),
        _NUMERALS,
    )
    yield reader(r"ひとり|ふたり", lambda m: Quantity("number", 1.0 if m.group() == "ひとり" else 2.0, m.group()), "り")
    yield reader(rf"\b({_EN_NUMBER})\b", lambda m: _counted(m, m[1]), _LETTERS)


READERS = list(_readers())
