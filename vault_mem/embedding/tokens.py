"""The tokens of the built-in model: their positions in a text, and the vector of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.embedder import Embedder, Vectors
from vault_mem.embedding.languages import Translated


class Token(NamedTuple):
    """One token of a text: its number in the vocabulary and its position."""

    id: int
    start: int
    end: int


class TokenVectors:
    """The token vectors of a model: what a static model knows, word by word."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder or Embedder()

    @cached_property
    def _tokenizer(self) -> Any:
        return self._embedder.static.tokenizer

    @cached_property
    def _vectors(self) -> Vectors:
        return np.asarray(self._embedder.static.embedding)

    @cached_property
    def _scale(self) -> float:
        """The length of a typical content word's vector, so that lengths can be compared between models."""
        norms = np.linalg.norm(np.asarray(self._vectors[::7], dtype=np.float32), axis=1)
        return float(np.median(norms[norms > 0]))

    @lru_cache(maxsize=16)  # noqa: B019 - one instance lives as long as its process
    def tokens(self, text: str) -> tuple[Token, ...]:
        """The tokens of a text in order; words of other languages give the tokens of their English.

        Cached, because the tokens of one query are needed several times.
        """
        found: list[Token] = []
        end = 0
        for word in self.translations(text):
            found += self._between(text, end, word.start)
            found += [Token(token.id, word.start, word.end) for token in self._between(word.english)]
            end = word.end
        return tuple(found + self._between(text, end))

    def translations(self, text: str) -> list[Translated]:
        """The words of a text that are read in English."""
        languages = self._embedder.static.languages
        return languages.translations(text) if languages else []

    def _between(self, text: str, start: int = 0, end: int | None = None) -> list[Token]:
        found = self._tokenizer.encode(text[start:end], add_special_tokens=False)
        pairs = zip(found.ids, found.offsets, strict=True)
        return [Token(id_, start + first, start + last) for id_, (first, last) in pairs if last > first]

    @lru_cache(maxsize=4_000)  # noqa: B019 - one instance lives as long as its process
    def word(self, text: str) -> tuple[Vectors, float]:
        """The direction of a word and its weight: about 1 for content words, near 0 for function words."""
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        if not ids:
            return np.zeros(self._vectors.shape[1], dtype=np.float32), 0.0
        vector = np.asarray(self._vectors[ids], dtype=np.float32).mean(axis=0)
        norm = float(np.linalg.norm(vector))
        return (vector / norm if norm else vector), norm / self._scale

    def numbers(self, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        """The vocabulary numbers of the tokens of many texts."""
        return [np.array(ids, dtype=np.int32) for ids in (self._embedder.static.ids(texts) if texts else ())]

    def cosines(self, numbers: NDArray[Any], others: NDArray[Any]) -> Vectors:
        """The cosines of tokens, `numbers` × `others`. The first dimension, which all words share, is left out."""
        products = self._without_first_dimension(numbers) @ self._without_first_dimension(others).T
        return np.asarray(products / np.outer(self._lengths[numbers], self._lengths[others]), dtype=np.float32)

    def _without_first_dimension(self, numbers: NDArray[Any]) -> Vectors:
        return np.take(self._vectors, numbers, axis=0)[:, 1:].astype(np.float32)

    @cached_property
    def _lengths(self) -> Vectors:
        """How long the vector of each token is, without the first dimension."""
        parts = np.array_split(np.arange(len(self._vectors)), 16)
        found = np.concatenate([np.linalg.norm(self._without_first_dimension(part), axis=1) for part in parts])
        return np.where(found > 0, found, 1).astype(np.float32)
