"""Misspelt words in a query: not in the vault, but close to a word that is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.index.corpus import Corpus
from vault_mem.index.terms import STOP, normalised
from vault_mem.ranking.numbers import as_the_vault_writes

# Shorter words are too often one letter away from another.
SHORTEST_CORRECTED = 5
# A query with more unknown words than this is not misspelt, but in a language that the vault does not have.
MOST_UNKNOWN_WORDS = 3

_WORD = re.compile(r"(?<![^\W_])[A-Za-zÀ-ɏ]+(?![\w'’-])")
# A part number or a hash: letters and digits. A hash has at least 32 of them, a shortened one at least seven.
_IDENTIFIER = re.compile(r"(?<![^\W_])(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{5,}(?![^\W_])", re.IGNORECASE)
_SHORT_HASH, _HASH = 7, 32
# 64GB, 64 GB; not 2nd
_MEASURE = re.compile(r"\b(\d+) ?(?!(?:st|nd|rd|th|er)\b)([a-z]{1,3})\b", re.IGNORECASE)


def corrected(query: str, corpus: Corpus, vectors: TokenVectors) -> str:
    """The query, with words that neither vault nor model knows replaced by a word of the vault one letter away."""
    query = _MEASURE.sub(lambda match: _measured(match, corpus), query)
    query = _IDENTIFIER.sub(lambda match: _identified(match[0], corpus), as_the_vault_writes(query, corpus))
    known = {normalised(query[token.start : token.end].strip()) for token in vectors.tokens(query)}
    doubtful = {
        word
        for word in map(normalised, _WORD.findall(query))
        if len(word) >= SHORTEST_CORRECTED and word not in STOP and word not in known and not corpus.having(word)
    }
    if not doubtful or len(doubtful) > MOST_UNKNOWN_WORDS:
        return query
    meant = {word: found for word in doubtful if (found := _nearest(word, corpus.words(word[0])))}
    return _WORD.sub(lambda match: meant.get(normalised(match.group()), match.group()), query) if meant else query


def _measured(match: re.Match[str], corpus: Corpus) -> str:
    """A number and its unit, with a space between them or without one, as the vault has it."""
    number, unit = match.groups()
    if corpus.having(normalised(number + unit)):
        return f"{match[0]} {number}{unit}" if " " in match[0] else match[0]
    return f"{number} {unit}" if corpus.having(normalised(unit)) else match[0]


def _identified(written: str, corpus: Corpus) -> str:
    """An identifier as the vault writes it: E2406 may be E2406SAW there, and a hash may be shortened."""
    word = normalised(written)
    if corpus.having(word):
        return written
    longer = [other for other in corpus.words(word) if _goes_on(other, len(word)) and corpus.having(other)]
    shorter = [
        word[:size] for size in range(_SHORT_HASH, len(word)) if len(word) >= _HASH and corpus.having(word[:size])
    ]
    found = longer or shorter
    most = max(found, key=len, default="")
    return most if all(map(most.startswith, found)) and found else written  # the rest: cut short in names and titles


def _goes_on(other: str, size: int) -> bool:
    """Whether an identifier may be cut after `size` characters: not within a number, unless it is a hash."""
    of_hash = len(other) >= _HASH and size >= _SHORT_HASH
    return of_hash or not (other[size - 1].isdigit() and other[size].isdigit())


def _nearest(word: str, words: Iterable[str]) -> str:
    """A word that is one typing mistake away, or whose singular or plural is; of several the first in the alphabet."""
    one = word.removesuffix("s")
    close = [
        (not _one_slip(word, other), other)
        for other in words
        if abs(len(other) - len(word)) <= 2 and other.isalpha() and _one_slip(one, other.removesuffix("s"))
    ]
    return min(close, default=(False, ""))[1]


def _one_slip(one: str, other: str) -> bool:
    """Whether one letter was left out, added, replaced, or swapped with the next."""
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    rest, other_rest = one[start:], other[start:]
    return (
        rest[1:] == other_rest
        or rest == other_rest[1:]
        or rest[1:] == other_rest[1:]
        or (rest[:2] == other_rest[1::-1] and rest[2:] == other_rest[2:])
    )
