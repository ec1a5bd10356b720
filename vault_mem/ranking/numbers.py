"""Numbers that belong to the word before them, such as bed 4, ADR-014, § 823 and 第3話; and telephone numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vault_mem.index.corpus import Corpus
from vault_mem.index.terms import STOP, normalised
from vault_mem.notes.days import MONTH_NAMES

# From this many digits on, a number identifies something by itself.
DIGITS_BY_ITSELF = 4
MOST_ZEROS_BEFORE = 3

# A word that says nothing of the number after it, or makes a date of it.
_NO_NAME = STOP | set(" ".join(MONTH_NAMES).split())
# A telephone number has this many digits, written in at most this many groups.
TELEPHONE_DIGITS, MOST_GROUPS = range(7, 16), 6

_WORD = r"(?<![^\W_])(?<![-./:@+])[a-z\u00df-\u024f\u0370-\u04ff]+|[ァ-ヺー]{2,}|[㐀-䶿一-鿿]{2,}|[가-힣]+|§"
_LABEL = r"(?:\b(?:no|nr|nummer|number)\b[\s#.]*)?"  # "room no. 12"
_NUMBERED = re.compile(
    rf"({_WORD})[\s#_-]*{_LABEL}(\d{{1,6}})(?![a-z0-9㐀-䶿一-鿿]|[-_./:@+,]\w|\s?(?:%|percent\b|out of\b))"
)
# 4号室, 第3話; not 4月 or 4人, which are no names.
_COUNTED = re.compile(
    r"第\s?\d{1,4}(?!\d)\s?[㐀-䶿一-鿿]?|"
    r"(?<![\d.,])\d{1,4}\s?(?:号[室車館機線棟楼]?|番[線地]|丁目|年生|[話话章巻卷階楼层条項版組班課课節集床])"
)
_TELEPHONE = re.compile(r"(?<![\w.-])\+?(?!(?:19|20)\d\d[-./]\d)\d[\d\s()./-]{5,}\d(?![\w-])")
_DIGITS = re.compile(r"\s*(\d+)\s*")
# Between a word and its number in a text: "Bed #4", "bed-4", "Kap. 7".
_BETWEEN = rf"[\s#№_.:-]*{_LABEL}"
_NUMBER_ENDS = r"(?![a-z0-9]|[.,:]\d)"


def numbered(text: str) -> list[str]:
    """The parts of a normalised text that are a word and its number, or a number and what it counts."""
    words = [match[0] for match in _NUMBERED.finditer(text) if match[1] not in _NO_NAME]
    return [" ".join(each.split()) for each in [*words, *_COUNTED.findall(text)]]


def short_numbers(text: str) -> set[str]:
    """The numbers of `numbered` parts that are in many texts by chance, such as the 4 of bed 4."""
    return {number for part in numbered(normalised(text)) for number in _DIGITS.findall(part) if len(number) <= 2}


def without_short(text: str) -> str:
    """A normalised text without those of its `numbered` parts whose number says nothing by itself."""

    def short(match: re.Match[str]) -> str:
        return match[0] if match[1] in _NO_NAME or len(match[2]) >= DIGITS_BY_ITSELF else " "

    return _COUNTED.sub(" ", _NUMBERED.sub(short, text))


def numbered_pattern(part: str) -> str | None:
    """A regular expression for a `numbered` part however it is written; None if it is none."""
    if match := _NUMBERED.fullmatch(part):
        before = r"(?<![a-z0-9])" if part[0].isascii() else ""
        return f"{before}{re.escape(match[1])}{_BETWEEN}0*{match[2].lstrip('0') or '0'}{_NUMBER_ENDS}"
    if _COUNTED.fullmatch(part):
        before, number, after = _DIGITS.split(part)
        return rf"{before}\s*(?<!\d)(?<!\d[.,])0*{number.lstrip('0') or '0'}\s*{after}" + ("" if after else r"(?!\d)")
    return None


def as_the_vault_writes(query: str, corpus: Corpus) -> str:
    """The query, with its numbers as the vault writes them."""
    return _as_grouped(_as_numbered(query, corpus), corpus)


def _as_numbered(query: str, corpus: Corpus) -> str:
    """The query, with numbers after words as the vault has them: ADR14 and ADR 14 may be ADR-014 there."""
    plain = normalised(query)
    if len(plain) != len(query):
        return query

    def as_known(match: re.Match[str]) -> str:
        word, number = match.groups()
        written, apart = query[match.start() : match.end()], match.start(2) > match.end(1)
        if word in _NO_NAME or not word.isalpha() or (not apart and corpus.having(word + number)):
            return written
        least = number.lstrip("0") or "0"
        forms = dict.fromkeys([number, *("0" * zeros + least for zeros in range(MOST_ZEROS_BEFORE + 1))])
        known = [form for form in forms if corpus.mentioned([word, form])]
        # beside the number as written, 02 is more likely part of a date
        known = [form for form in known if form == number or number not in known or len(form) > len("02")]
        known = [number] if number in known and number != least else known
        joined = [word + form for form in forms if corpus.having(word + form)]
        if not known and not joined:
            return written
        between = query[match.end(1) : match.start(2)] or " "
        return query[match.start() : match.end(1)] + between + " ".join([*(known or [number]), *joined])

    found, at = [], 0
    for match in _NUMBERED.finditer(plain):
        found += [query[at : match.start()], as_known(match)]
        at = match.end()
    return "".join([*found, query[at:]])


def _as_grouped(query: str, corpus: Corpus) -> str:
    """The query, with telephone numbers grouped as the vault groups them: +49 30 12345 may be 493012345 there."""

    def regrouped(match: re.Match[str]) -> str:
        groups = _DIGITS.findall(match[0])
        digits = "".join(groups)
        if len(digits) not in TELEPHONE_DIGITS or corpus.mentioned(groups):
            return match[0]
        known = (each for each in sorted(_cut(digits, corpus, MOST_GROUPS), key=len) if corpus.mentioned(each))
        return " ".join(next(known, [match[0]]))

    return _TELEPHONE.sub(regrouped, query)


def _cut(digits: str, corpus: Corpus, groups: int) -> Iterator[list[str]]:
    """The ways to cut a number into at most `groups` groups that the vault has, the last of two or more digits."""
    if corpus.having(digits):
        yield [digits]
    for size in range(1, len(digits) - 1) if groups > 1 else ():
        if corpus.having(digits[:size]):
            yield from ([digits[:size], *rest] for rest in _cut(digits[size:], corpus, groups - 1))
