"""Words as the judge compares them, what shows their role, and what the lexicon knows about them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from vault_mem.embedding.sorted_lines import look_up

DATA = Path(__file__).parent / "data"
_NONE: frozenset[str] = frozenset()
# Letters of words and names in languages that are written as English is: Łukasz, Çağla, Nguyễn.
SMALL_LETTERS, CAPITAL_LETTERS = "a-zß-öø-ɏḁ-ỿ", "A-ZÀ-ÖØ-ÞĀ-ɎḀ-Ỿ"
# Compiled at first use: one command needs only a few of the hundred patterns.
compiled = cache(re.compile)
# The Japanese particle after a word shows its role.
_PARTICLE = re.compile(
    r"\s*(?:さん|様|くん|君|ちゃん|先生|氏)?(が|は|を|に|へ|から|より|と|の|で|も|まで|によって|により)"
)
_SUBJECT = frozenset(("が", "は", "も"))


def read_words(name: str) -> frozenset[str]:
    """A shipped list of words."""
    return frozenset(word for line in _lines(name) for word in line.split())


def read_rows(name: str) -> list[list[str]]:
    """A shipped table: the words of each line."""
    return [line.split() for line in _lines(name)]


def read_pairs(name: str) -> list[tuple[str, str]]:
    """A shipped list of pairs, one a line."""
    return [(one, other) for one, other in read_rows(name)]


def read_phrases(name: str) -> list[tuple[str, str]]:
    """A shipped list of phrases: on each line its level, then the phrase."""
    return [(level, phrase) for level, _, phrase in (line.partition(" ") for line in _lines(name))]


def read_expressions(name: str) -> list[tuple[str, str]]:
    """A shipped list of regular expressions: on each line a name, if it has one, then a colon and the expression."""
    return [(before, expression) for before, _, expression in (line.rpartition(": ") for line in _lines(name))]


def read_spellings(name: str) -> list[tuple[str, str, str]]:
    """A shipped list of spellings: a string the text must contain, an expression, and what replaces its matches.

    If the expression is a plain word, it is itself that string. A blank at the edge of a replacement is written as `_`.
    """
    found = []
    for needed, said in read_expressions(name):
        expression, _, form = said.partition(" →")
        needed = needed or (expression if expression.isalnum() else "")
        found.append((needed, expression, form.strip().replace("_", " ")))
    return found


def spelled(text: str, spellings: list[tuple[str, str, str]]) -> str:
    """The text with each of the spellings replaced."""
    for needed, expression, form in spellings:
        if needed in text:
            text = compiled(expression).sub(form, text)
    return text


def _lines(name: str) -> list[str]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


PERSONS, KIN = read_words("persons.txt"), read_words("kin.txt")


@dataclass(frozen=True)
class Word:
    """One content word: as written, its dictionary form, its number in the text, and its role if the text shows it.

    A `piece` is a single kanji of a longer word: 健 of 健診. The `compound` is the hyphenated word that it is part of,
    such as blue-green, or in Japanese the word that follows without a break.
    """

    text: str
    lemma: str
    number: int
    role: str = ""
    name: bool = False
    piece: bool = False
    compound: str = ""


@dataclass(frozen=True)
class Difference:
    """One thing that differs: its kind, and the words on either side (empty if one side has none)."""

    kind: str
    before: str
    after: str

    def __str__(self) -> str:
        if self.before and self.after:
            return f"{self.kind} {self.before} → {self.after}"
        return f"{self.kind} added: {self.after}" if self.after else f"{self.kind} dropped: {self.before}"


def role_after(text: str, position: int) -> str:
    """The particle at this position, if there is one."""
    match = _PARTICLE.match(text, position)
    return match.group(1) if match else ""


def role_class(role: str) -> str:
    """が, は and も all mark the subject."""
    return "subject" if role in _SUBJECT else role


class Lexicon:
    """The shipped word lists."""

    def __init__(self) -> None:
        data = json.loads((DATA / "lexicon.json").read_bytes())
        self.lemmas: dict[str, str] = data["lemmas"]
        synonyms, opposites = read_pairs("synonyms.txt"), read_pairs("opposites.txt")
        self.same = _partners(_pairs([*data["derived"], *synonyms]))
        self.opposites = _partners(_pairs([*data["opposites"], *opposites]) - _pairs(synonyms))
        self.unlike = _pairs(read_pairs("unlike.txt"))
        phrases = "put on|go out|get in|come in|go in|go up|go down|take off"
        self.ambiguous = read_words("ambiguous.txt") | set(phrases.split("|"))
        self.meanings = (DATA / "meanings.txt").read_bytes()


def _pairs(found: list[tuple[str, str]]) -> set[tuple[str, str]]:
    return {(min(pair), max(pair)) for pair in found}


def _partners(pairs: set[tuple[str, str]]) -> dict[str, set[str]]:
    partners: dict[str, set[str]] = {}
    for one, other in pairs:
        partners.setdefault(one, set()).add(other)
        partners.setdefault(other, set()).add(one)
    return partners


@cache
def lexicon() -> Lexicon:
    """The shipped word lists, read once."""
    return Lexicon()


@lru_cache(maxsize=5_000)
def meanings(word: str) -> tuple[str, ...] | None:
    """The meanings of a word that other words share; None if the lexicon does not have the word."""
    found = look_up(lexicon().meanings, word)
    return None if found is None else tuple(found)


def known(word: str) -> bool:
    """Whether the lexicon has the word."""
    return meanings(word) is not None


@lru_cache(maxsize=10_000)
def synonyms(one: str, other: str) -> bool:
    """Whether two dictionary forms share a reading, a root, or a meaning that is the main one of either."""
    if derived(one, other):
        return True
    if (min(one, other), max(one, other)) in lexicon().unlike:
        return False
    left, right = meanings(one) or (), meanings(other) or ()
    if f"={one}" in right or f"={other}" in left or one in right or other in left:
        return True
    return any(
        meaning[1:] in right if meaning[0] == "~" else meaning in right or f"~{meaning}" in right
        for meaning in left
        if meaning[0] != "=" and not _ambiguous(meaning.lstrip("~"))
    )


_DERIVED = re.compile(r"(?:e?r|e?d|e?rs|or|ing|ments?|able|ly|ness|ure|ions?|ery|ance|al|ive|y|ee|est|let)$")


@cache
def _ambiguous(gloss: str) -> bool:
    """Whether an English translation is too ambiguous to connect two words: take, taker, taking."""
    words = lexicon().ambiguous
    return gloss in words or any(
        f"{gloss[: match.start()]}{end}" in words for match in [_DERIVED.search(gloss)] if match for end in ("", "e")
    )


def derived(one: str, other: str) -> bool:
    """Whether one word is made from the other: Mexico, Mexican."""
    return other in lexicon().same.get(one, _NONE)


def opposite(one: str, other: str) -> bool:
    """Whether two words are opposites."""
    return other in lexicon().opposites.get(one, _NONE)


def opposed(one: Word, other: Word) -> bool:
    """Whether two words are opposites, in their dictionary forms or as they are written."""
    return opposite(one.lemma, other.lemma) or opposite(one.text, other.text)
