"""One tokenizer for English, Japanese and everything else: a few passes over the text, then a Viterbi search."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.sparse
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import Unigram

from training.vocabulary import CONTRACTIONS, JAPANESE, Vocabulary

MOST_TOKENS = 512  # tokens of a training text that count

# Accents go, and so do invisible joiners; dakuten stay: が decomposes to か and U+3099, which is not among these.
ACCENTS = "[\u0300-\u036f\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]+"
LATIN = "a-z\u00df-\u024f"
_JAPANESE = JAPANESE.pattern[1:-2]


def make(vocabulary: Vocabulary) -> Tokenizer:
    """Return the tokenizer over this vocabulary; its unknown characters are spelled in bytes."""
    pieces = list(zip(vocabulary.tokens, vocabulary.scores, strict=True))
    tokenizer = Tokenizer(Unigram(pieces, unk_id=1, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFKD(),
            normalizers.Lowercase(),
            normalizers.Replace(Regex(ACCENTS), ""),
            normalizers.NFC(),
            normalizers.Replace(Regex(r"(?<=\bca)n['’]t\b"), "n not"),
            normalizers.Replace(Regex(r"n['’]t\b"), " not"),
        ]
    )
    contraction = f"['’](?:{'|'.join(CONTRACTIONS)})\\b"
    other = f"[\\p{{L}}\\p{{M}}&&[^{_JAPANESE}{LATIN}]]+"
    word = f"[{LATIN}]+|[{_JAPANESE}]+|\\p{{Nd}}+|{contraction}|{other}|\\S"
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(word), "removed", invert=True)
    return tokenizer


def token_ids(tokenizer: Tokenizer, texts: Iterable[str]) -> list[list[int]]:
    """Return the token ids of each text."""
    return [
        encoding.ids[:MOST_TOKENS] for encoding in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
    ]


def bags(ids: list[list[int]], size: int) -> scipy.sparse.csr_matrix:
    """Return the texts as rows of token counts."""
    ends = np.cumsum([0, *map(len, ids)])
    columns = np.fromiter((token for row in ids for token in row), dtype=np.int64, count=ends[-1])
    return scipy.sparse.csr_matrix((np.ones(ends[-1], dtype=np.float32), columns, ends), shape=(len(ids), size))
