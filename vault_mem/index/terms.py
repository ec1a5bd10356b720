"""The terms by which a text is found: words, and in scripts without spaces pairs of characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from operator import add
from pathlib import PurePosixPath

from vault_mem.notes.stop_words import STOP_WORDS

# Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer letters: a run of them is cut into overlapping pairs.
_UNSPACED = (
    "々〆ぁ-ゖァ-ヺー㐀-䶿一-鿿豈-﫿가-힣\U00020000-\U0002fa1f"
    r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
)
# `\w` leaves out the vowel signs of Indian scripts. Arabic and Hebrew points are dropped: few people type them.
_INDIAN = r"\u0900-\u0963\u0966-\u0df3"
_POINTS = re.compile(
    r"[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc]"
)
_STARTS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_RUN = re.compile(rf"((?:[^\W_{_UNSPACED}]|[{_INDIAN}])+)|([{_UNSPACED}]+)")
_LETTER = re.compile(r"[^\W\d_]")
_ASCII_RUN = re.compile(r"[a-z0-9]+")

# English stop words, with the single letters that contractions leave behind.
STOP = STOP_WORDS | set("after before done else many maybe once whether yourself".split())
# getUserName is also found by its words.
_LETTERS = re.compile(r"[A-Za-z]+")
_CAPITAL_WITHIN = re.compile(r"[a-z][A-Z]")
_PART_OF_IDENTIFIER = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LONGEST_WORD = 45
_DOUBLED = re.compile(r"([b-df-hjkmnp-rtvwxz])\1$")


def terms(text: str) -> list[str]:
    """The terms of a text, in order, repeated as often as they occur."""
    found = _ASCII_RUN.findall(text.lower()) if text.isascii() else _terms(normalised(text))
    for word in _LETTERS.findall(text) if _CAPITAL_WITHIN.search(text) else ():
        if _CAPITAL_WITHIN.search(word):
            found += [part.casefold() for part in _PART_OF_IDENTIFIER.findall(word)]
    return found


def _terms(text: str) -> list[str]:
    found: list[str] = []
    for word, run in _RUN.findall(_POINTS.sub("", text)):
        if len(run) > 1:
            found += map(add, run, run[1:])
        else:
            found.append(word or run)
    return found


def normalised(text: str) -> str:
    """One form for full and half width, and for upper and lower case."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def unspaced(term: str) -> bool:
    """Whether a term is of a script that puts no spaces between words."""
    return bool(_STARTS_UNSPACED.match(term))


def share_unspaced(text: str) -> float | None:
    """The share of a text's letters that are of a script without spaces; None if it has no letters."""
    letters = len(_LETTER.findall(text))
    return len(_STARTS_UNSPACED.findall(text)) / letters if letters else None


def stem(term: str) -> str:
    """The stem of an English word; other terms are their own stem."""
    if not 3 < len(term) <= _LONGEST_WORD or not term.isascii() or not term.isalpha():
        return term
    return _stem(term)


@lru_cache(maxsize=20_000)
def _stem(term: str) -> str:
    for ending, left in (("sses", "ss"), ("ies", "y"), ("ss", "ss"), ("us", "us"), ("s", "")):
        if term.endswith(ending):
            term = term[: -len(ending)] + left
            break
    for ending in ("ing", "ed", "ly"):
        if term.endswith(ending) and len(term) - len(ending) >= 3:
            term = _DOUBLED.sub(r"\1", term[: -len(ending)])
            break
    if len(term) > 3 and term.endswith("e"):
        term = term[:-1]
    return term[:-1] + "i" if len(term) > 3 and term.endswith("y") else term


def naming_terms(title: str, file: str, tags: Iterable[str], aliases: Iterable[str]) -> set[str]:
    """The terms of a memory's names: its title, file name, tags and aliases."""
    return set(terms("\n".join([title, PurePosixPath(file).stem, *tags, *aliases])))
