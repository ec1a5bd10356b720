"""The difference of two texts in reading order: by words, or by lines for long texts."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

Difference = list[tuple[str, str]]

# A word, white space, or one character, as in languages without spaces between words.
_PIECE = re.compile(r"\s+|[0-9A-Za-z\u00c0-\u024f\u0370-\u052f]+|.", re.DOTALL)
_MOST_WORDS = 3_000
# Longer files are not compared, which would take seconds.
_MOST_LINES = 5_000


def of_words(before: str, after: str) -> Difference:
    """Two short texts, word by word."""
    one, other = _PIECE.findall(before), _PIECE.findall(after)
    if len(one) + len(other) > _MOST_WORDS:
        return of_lines(before, after)
    return _difference(one, other)


def of_lines(before: str, after: str) -> Difference:
    """Two files, line by line."""
    one, other = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if len(one) + len(other) > _MOST_LINES:
        return [(sign, text) for sign, text in (("-", before), ("+", after)) if text]
    return _difference(one, other)


def _difference(one: list[str], other: list[str]) -> Difference:
    found: Difference = []
    for step, start, stop, other_start, other_stop in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if step == "equal":
            found.append(("=", "".join(one[start:stop])))
            continue
        found += [("-", "".join(one[start:stop]))] if stop > start else []
        found += [("+", "".join(other[other_start:other_stop]))] if other_stop > other_start else []
    return found
