"""Excerpts: the part of a memory that answers, in whole sentences if they fit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from vault_mem.index.terms import STOP, normalised, stem, terms
from vault_mem.notes.sentences import sentences
from vault_mem.notes.tokens import count_tokens
from vault_mem.operations.memory.results import Found

# How many characters of the first result are shown, and of the others.
FIRST, OTHERS = 600, 240
# Lengths in characters to which a result may be cut; the longest that fits the budget is used.
_LENGTHS = (600, 400, 240, 160, 100, 60, 30)
# A result that takes no more than this share of the remaining budget is shown whole.
WHOLE = 0.5

# A text is not cut between two of these, which would split a word, a number or an identifier. Kana and kanji may be.
_WORD = re.compile(r"[^\s、。，；：「」『』（）ぁ-ゖァ-ヺー㐀-鿿]")
_HEADING = re.compile(r"#{1,6}\s")

Cost = Callable[[Found], int]
Wanted = Mapping[str, float]


def wanted_words(query: str) -> dict[str, float]:
    """The words of a query that an excerpt should contain, all with the same weight."""
    return {stem(term): 1.0 for term in terms(query) if term not in STOP}


def best_part(text: str, wanted: Wanted, length: int) -> str:
    """The part of a text with most of the wanted words: whole sentences up to `length`, or a piece of a longer one."""
    text = text.strip()
    if len(text) <= length:
        return text
    parts = sentences(text)
    hits = [_hits(each, wanted) for each in parts]
    for at in range(len(parts) - 1):
        if _HEADING.match(parts[at]):  # says what the next sentence is about, but answers nothing by itself
            hits[at], hits[at + 1] = 0.0, hits[at + 1] + hits[at] / 2
    best = max(range(len(parts)), key=lambda at: (hits[at], -at))
    start, end = best, best + 1
    if len(parts[best].strip()) > length:
        return _piece(parts[best].strip(), wanted, length)
    while True:
        size = sum(map(len, parts[start:end]))
        if end < len(parts) and size + len(parts[end].rstrip()) <= length:
            end += 1
        elif start > 0 and size + len(parts[start - 1]) <= length:
            start -= 1
        else:
            return "".join(parts[start:end]).strip()


def _piece(sentence: str, wanted: Wanted, length: int) -> str:
    """The part of a long sentence around the first of the most wanted words, with `...` where it was cut."""
    words = [(match.start(), _hits(match.group(), wanted)) for match in re.finditer(r"\S+", sentence)]
    at = max(words, key=lambda word: (word[1], -word[0]))[0] if words else 0
    if words and len(words) == 1:  # a script without spaces: any of the wanted characters will do
        found = [sentence.casefold().find(term) for term in wanted if term in sentence.casefold()]
        at = min(found, default=0)
    room = max(length - 6, 1)
    start = max(min(at - room // 4, len(sentence) - room), 0)
    end = min(start + room, len(sentence))
    while 0 < start < at and _inside(sentence, start):
        start += 1
    while end < len(sentence) and end > start + 1 and _inside(sentence, end):
        end -= 1
    if end <= start + 1:  # one word longer than there is room for
        return ""
    before, after = "..." if start else "", "..." if end < len(sentence) else ""
    return f"{before}{sentence[start:end].strip()}{after}"


def _inside(text: str, at: int) -> bool:
    return bool(_WORD.match(text[at - 1]) and _WORD.match(text[at]))


def fit_budget(
    results: Sequence[Found], query: str, budget: int | None, cost: Cost | None = None, wanted: Wanted | None = None
) -> tuple[list[Found], list[Found]]:
    """The results that fit, each with as much of its text as there is room for, and those that do not.

    Without a budget all fit as they are. Otherwise the first is always shortened until it fits, if need be to its bare
    text; `cost` is how many tokens it takes to show one.
    """
    if budget is None:
        return list(results), []
    cost = cost or (lambda found: count_tokens(found.passage))
    wanted = wanted_words(query) if wanted is None else wanted
    shown: list[Found] = []
    for number, found in enumerate(results):
        best = _fitting(found, wanted, budget, cost)
        if best is None and not shown:
            best = _fitting(replace(found, bare=True), wanted, budget, cost)
        if best is None:
            return shown, list(results[number:])
        shown.append(best)
        budget -= cost(best)
    return shown, []


def _fitting(found: Found, wanted: Wanted, budget: int, cost: Cost) -> Found | None:
    content = found.memory.content.strip()
    whole = replace(found, passage=content, shortened=False, budgeted=True)
    if content and cost(whole) <= budget * WHOLE:
        return whole
    for text in dict.fromkeys([content, *(best_part(found.passage or content, wanted, length) for length in _LENGTHS)]):
        if text and (text != content or len(content) <= _LENGTHS[0]):
            shorter = replace(found, passage=text, shortened=text != content, budgeted=True)
            if cost(shorter) <= budget:
                return shorter
    return None


def _hits(text: str, wanted: Wanted) -> float:
    plain = normalised(text)
    # every form of a word contains its stem but for the last letter, so most sentences are ruled out cheaply
    if not any(word[:-1] in plain if len(word) > 2 else word in plain for word in wanted):
        return 0.0
    # fsum is exact in any order; the order of a set differs between processes, and would change which part is shown
    return math.fsum(wanted.get(term, 0.0) for term in {stem(term) for term in terms(text)})
