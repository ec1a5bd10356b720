"""A Unigram tokenizer: the same tokens as the tokenizers library, in a fifth of the memory.

The library's trie has a node for every beginning of every token, 70 MB for ours. Here each part of a word that may be a
token is looked up in a dictionary. Recent words are cached, so it takes about as long. The library still normalises
texts and splits them into words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from tokenizers import Encoding, PreTokenizedString, Token, Tokenizer

# The library's penalty for a letter that is in no token.
_UNKNOWN_PENALTY = 10.0
_MOST_CACHED_WORDS = 10_000
_NO_MODEL = {"type": "WordLevel", "vocab": {}, "unk_token": ""}


class Tokens(NamedTuple):
    """The tokens of a text, and their positions if asked for."""

    ids: list[int]
    offsets: Sequence[tuple[int, int]] = ()


class Unigram:
    """A tokenizer as its `tokenizer.json` describes it, with the methods of the library's that a model needs."""

    def __init__(self, described: dict[str, Any]) -> None:
        vocabulary = described["model"]["vocab"]
        self.unknown: int = described["model"]["unk_id"]
        self._number = {token: number for number, (token, _) in enumerate(vocabulary)}
        self._score = [score for _, score in vocabulary]
        self._unknown_score = min(self._score) - _UNKNOWN_PENALTY
        self._bytes = [self._number.get(f"<0x{byte:02X}>", self.unknown) for byte in range(256)]
        self._longest: dict[str, int] = {}  # length of the longest token, by its first letter
        for token in self._number:
            self._longest[token[0]] = max(self._longest.get(token[0], 0), len(token))
        words = Tokenizer.from_str(json.dumps(described | {"model": _NO_MODEL}))
        self._normalizer, self._pre_tokenizer = words.normalizer, words.pre_tokenizer
        self._cut = lru_cache(_MOST_CACHED_WORDS)(self._best_cut)

    @staticmethod
    def can(described: dict[str, Any]) -> bool:
        """Whether this class can replace the tokenizer: Unigram with byte fallback, and no tokens added to a text."""
        model = described["model"]
        return (
            model.get("type") == "Unigram"
            and model.get("unk_id") is not None
            and model.get("byte_fallback", False)
            and all(described.get(part) for part in ("normalizer", "pre_tokenizer"))
            and not any(described.get(part) for part in ("added_tokens", "post_processor"))
        )

    def get_vocab(self) -> dict[str, int]:
        """The number of each token."""
        return self._number

    def get_vocab_size(self) -> int:
        """How many tokens there are."""
        return len(self._score)

    def token_to_id(self, token: str) -> int | None:
        """The number of a token."""
        return self._number.get(token)

    def encode_batch_fast(self, texts: Sequence[str], *, add_special_tokens: bool) -> list[Tokens]:
        """The tokens of each text; there are no special ones."""
        normal, words = self._normalizer.normalize_str, self._pre_tokenizer.pre_tokenize_str
        return [Tokens([id_ for word, _ in words(normal(text)) for id_, _, _ in self._cut(word)]) for text in texts]

    def encode(self, text: str, *, add_special_tokens: bool) -> Tokens | Encoding:
        """The tokens of a text, and where they are in it."""
        cut = PreTokenizedString(text)
        cut.normalize(self._normalizer.normalize)
        self._pre_tokenizer.pre_tokenize(cut)
        found: list[tuple[int, int, int]] = []
        for word, (start, end), _ in cut.get_splits("original", "char"):
            if text[start:end].lower() != word:  # letters were changed; only the library knows which became which
                cut.tokenize(self._placed)
                return cut.to_encoding()
            found += [(id_, start + first, start + last) for id_, first, last in self._cut(word)]
        return Tokens([id_ for id_, _, _ in found], [(start, end) for _, start, end in found])

    def _placed(self, word: str) -> list[Token]:
        """The tokens of a word, with their positions in bytes, as the library wants them."""
        size = [0]
        for letter in word:
            size.append(size[-1] + len(letter.encode()))
        return [Token(id_, word[start:end], (size[start], size[end])) for id_, start, end in self._cut(word)]

    def _best_cut(self, word: str) -> tuple[tuple[int, int, int], ...]:
        """The tokens of a word with the highest sum of scores, and where each begins and ends in it.

        Letters that are in no token become one token for each of their bytes.
        """
        number, score, unknown = self._number, self._score, self.unknown
        best: list[float] = [0.0, *[float("-inf")] * len(word)]  # highest score of a split up to here
        last = [(unknown, 0)] * (len(word) + 1)  # the last token of that split, and where it begins
        for start, letter in enumerate(word):
            before = best[start]
            for end in range(start + 1, min(start + self._longest.get(letter, 0), len(word)) + 1):
                id_ = number.get(word[start:end])
                if id_ is not None and before + score[id_] > best[end]:
                    best[end], last[end] = before + score[id_], (id_, start)
            if letter not in number and before + self._unknown_score > best[start + 1]:
                best[start + 1], last[start + 1] = before + self._unknown_score, (unknown, start)
        found: list[tuple[int, int, int]] = []
        end = len(word)
        while end:
            id_, start = last[end]
            together = found and id_ == found[-1][0] == unknown
            found.append((id_, start, found.pop()[2] if together else end))
            end = start
        told: list[tuple[int, int, int]] = []
        for id_, start, end in reversed(found):
            ids = [self._bytes[byte] for byte in word[start:end].encode()] if id_ == unknown else [id_]
            told += [(each, start, end) for each in ids]
        return tuple(told)
