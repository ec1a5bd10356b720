"""Where a sentence ends, in English, Japanese and Chinese."""

from __future__ import annotations

import re
from itertools import pairwise

_SHORT = ("Mr", "Mrs", "Ms", "Dr", "Prof", "St", "vs", "etc", r"e\.g", r"i\.e", "[A-HJ-Z]")  # "so do I." ends one
_NO_SHORT_WORD = "".join(rf"(?<!\b{each}\.)" for each in _SHORT)
# Characters after a full stop that still belong to the sentence.
CLOSING = "」』”’)]\"'"
_CLOSING = f"[{re.escape(CLOSING)}]*+"
# A full stop inside a number or a name, or before a number as in "no. 14", does not end a sentence; a line end does.
# The pattern starts with the sign and then looks back, so that Python can skip all other characters quickly.
_END = re.compile(
    rf"[.!?。！？\n](?:(?<=\n)|(?<=[。！？])[。！？]*+{_CLOSING}|(?<=[.!?])(?<![.!?][.!?])"
    rf"(?:[.!?]++|(?<=[!?])|{_NO_SHORT_WORD}(?!(?<=\b[Nn]o\.)\s\d)){_CLOSING}(?=\s|$))\s*+"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with the spaces after it: joined, they give the text again."""
    ends = [0, *(found.end() for found in _END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends) if start < end]
