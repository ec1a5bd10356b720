"""An upper bound for the tokens in a text: no common tokenizer needs more, so budgets are never exceeded."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

_PIECE = re.compile(r"[A-Za-z]+| (?=\S)|\s+|.", re.DOTALL)
# A line with all blanks after it: no piece crosses its end.
_LINE = re.compile(r"[^\n]+(?:\n\s*)?|\n\s*")
# Tokenizers split rare words into pieces of about three letters.
_LETTERS_PER_TOKEN = 3
# In the worst case, two blanks make a token.
_BLANKS_PER_TOKEN = 2


def count_tokens(text: str) -> int:
    """The most tokens a text can take: digits, signs and kana one each, rarer characters up to one for each byte."""
    return sum(map(_of_line, _LINE.findall(text)))


@lru_cache(maxsize=500)  # while an answer is filled up to a budget, it is counted again for every line
def _of_line(line: str) -> int:
    return sum(times * _cost(piece) for piece, times in Counter(_PIECE.findall(line)).items())


@lru_cache(maxsize=10_000)
def _cost(piece: str) -> int:
    if piece == " ":  # goes with the word that follows
        return 0
    if piece.isascii() and piece.isalpha():
        return -(-len(piece) // _LETTERS_PER_TOKEN)
    if piece.isspace():
        return -(-len(piece) // _BLANKS_PER_TOKEN)
    if "\u3000" <= piece <= "\u30ff" or piece.isascii():
        return 1
    size = len(piece.encode("utf-8", "replace"))
    return {1: 1, 2: 2, 3: 2}.get(size, size)  # most ideographs are one token, some two; emoji go by bytes
