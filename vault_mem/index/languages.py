"""Languages other than English: which one a vault is written in, and which of its words are forms of the same word."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

# Small words that are in nearly every text of the language, and rare in others.
_SMALL_WORDS = {
    "danish": "ikke af til og",
    "dutch": "het een niet van voor",
    "finnish": "ja ei että oli",
    "french": "les des une est dans",
    "german": "und der nicht ist das",
    "hungarian": "és nem egy hogy",
    "italian": "che di per una della",
    "norwegian": "ikke av til og jeg",
    "portuguese": "que não uma com para",
    "romanian": "este care pentru din nu",
    "russian": "и на не что для",
    "spanish": "los las una que para",
    "swedish": "inte och att det som",
    "turkish": "bir ve için bu",
}
# A vault is written in a language if its small words are in this share of the rows, on average.
SPOKEN_SHARE = 0.15
# Forms of one word begin with the same letters, this many; shorter words are looked up as they are.
SHARED_BEGINNING = 4


def spoken(having: Callable[[str], int], rows: int) -> tuple[str, ...]:
    """The language of a vault, unless it is English; `having` tells how many of its rows have a word."""
    if not rows:
        return ()
    shares = {
        language: sum(having(word) for word in words.split()) / len(words.split()) / rows
        for language, words in _SMALL_WORDS.items()
    }
    best = max(shares, key=lambda language: shares[language])
    return (best,) if shares[best] >= SPOKEN_SHARE else ()


@cache
def _stemmer(language: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(language)


@lru_cache(maxsize=50_000)
def stem_in(language: str, term: str) -> str:
    """The stem of a word in a language."""
    return str(_stemmer(language).stemWord(term))
