"""model2vec's static model, loaded without parsing anything twice and safe to share between threads.

model2vec's own loading parses the tokenizer twice and copies it (half a second, 100 MB), and its encoding changes the
tokenizer's settings for each call, which another thread may be using. This subclass fills the same attributes and cuts
long texts itself; everything else is inherited.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
from model2vec import StaticModel
from numpy.typing import NDArray
from tokenizers import Tokenizer

from vault_mem.embedding.embedder import LANGUAGES
from vault_mem.embedding.languages import Languages
from vault_mem.embedding.unigram import Unigram

MAX_TOKENS = 512  # longer texts are embedded passage by passage (index.passages)

_BATCH = 256
# The unknown token of a Unigram model can only be found in the tokenizer's file: the library does not tell it.
_UNIGRAM = re.compile(r'"model":\s*\{\s*"type":\s*"Unigram",\s*"unk_id":\s*(\d+|null)')


class SharedModel(StaticModel):  # type: ignore[misc]  # model2vec has no types
    """A static model that any number of threads may use at once."""

    tokenizer: Any
    embedding: NDArray[Any]

    def __init__(
        self,
        vectors: NDArray[Any],
        tokenizer: Any,
        *,
        unknown: int | None,
        normalize: bool,
        weights: NDArray[Any] | None = None,
        token_mapping: NDArray[Any] | None = None,
        languages: Path | None = None,
    ) -> None:
        # Not super().__init__: it copies the tokenizer and sorts its whole vocabulary.
        if token_mapping is None and len(vectors) != tokenizer.get_vocab_size():
            raise ValueError(f"{tokenizer.get_vocab_size()} tokens, but {len(vectors)} vectors")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self.embedding = vectors
        self.tokenizer = tokenizer
        self.weights = weights
        self.token_mapping = token_mapping
        self.unk_token_id = unknown
        self.base_model_name = self.language = None
        self.config: dict[str, Any] = {}
        self.normalize = normalize
        self.max_length = MAX_TOKENS
        self.languages = Languages(languages, self._has) if languages else None

    def _has(self, word: str) -> bool:
        return self.tokenizer.token_to_id(word) is not None

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text; words in a language that the model does not know give those of their English."""
        if self.languages:
            texts = [self.languages.in_english(text) for text in texts]
        return [each.ids for each in self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The vocabulary in order."""
        return tuple(sorted(self.tokenizer.get_vocab(), key=self.tokenizer.get_vocab().__getitem__))

    @cached_property
    def median_token_length(self) -> int:
        """How many characters a token usually has, used to cut long texts before tokenising them."""
        return int(np.median([len(token) for token in self.tokenizer.get_vocab()]))

    def encode(self, sentences: Sequence[str], **_: Any) -> NDArray[Any]:
        """The mean of each text's token vectors; zeros for a text without a known token."""
        # No `max_length`: model2vec would set it in the tokenizer, which other threads may be using.
        found = super().encode(list(sentences), max_length=None, batch_size=_BATCH, use_multiprocessing=False)
        return cast("NDArray[Any]", found)

    def tokenize(self, sentences: Sequence[str], max_length: int | None = None) -> list[list[int]]:
        """The known tokens of each text, `MAX_TOKENS` at most."""
        most = max_length or MAX_TOKENS
        if any(len(text) > most for text in sentences):
            longest = most * self.median_token_length
            sentences = [text[:longest] for text in sentences]
        return [[id_ for id_ in ids[:most] if id_ != self.unk_token_id] for ids in self.ids(sentences)]

    def _set_max_length_in_tokenizer(self, max_length: int | None) -> None:
        """Do nothing: `tokenize` cuts texts itself, so that the tokenizer is never changed."""


def load(source: Path | str) -> SharedModel:
    """Load a model from its folder; model2vec itself loads other layouts and models from the hub."""
    if isinstance(source, Path) and (source / "tokenizer.json").is_file():
        import safetensors

        with safetensors.safe_open(source / "model.safetensors", framework="numpy") as tensors:
            held = {name: tensors.get_tensor(name) for name in tensors.keys()}  # noqa: SIM118 - not a dict
        if "embeddings" in held:
            tokenizer, unknown = _tokenizer((source / "tokenizer.json").read_text(encoding="utf-8"))
            config = json.loads((source / "config.json").read_bytes())
            return SharedModel(
                held["embeddings"],
                tokenizer,
                unknown=unknown,
                normalize=bool(config.get("normalize", False)),
                weights=held.get("weights"),
                token_mapping=held.get("mapping"),
                languages=source / LANGUAGES if (source / LANGUAGES).is_dir() else None,
            )
    options = {"force_download": False} if isinstance(source, Path) else {}
    model = StaticModel.from_pretrained(source, **options)
    return SharedModel(
        model.embedding,
        _unlimited(model.tokenizer),
        unknown=model.unk_token_id,
        normalize=model.normalize,
        weights=model.weights,
        token_mapping=model.token_mapping,
    )


def _tokenizer(text: str) -> tuple[Any, int | None]:
    """A tokenizer from its file, and its token for unknown text, which has no meaning and is left out of vectors."""
    unigram = _UNIGRAM.search(text)
    if unigram and Unigram.can(described := json.loads(text)):
        return Unigram(described), described["model"]["unk_id"]
    tokenizer = _unlimited(Tokenizer.from_str(text))
    if hasattr(tokenizer.model, "unk_token"):
        token = tokenizer.model.unk_token
        return tokenizer, None if token is None else tokenizer.token_to_id(token)
    return tokenizer, json.loads(unigram[1]) if unigram else json.loads(text)["model"].get("unk_id")


def _unlimited(tokenizer: Any) -> Any:
    """The tokenizer, set neither to cut texts nor to pad them to a fixed length."""
    tokenizer.no_truncation()
    padding = tokenizer.padding
    if padding is not None:
        kept = {name: padding[name] for name in ("pad_id", "pad_token", "pad_type_id")}
        tokenizer.enable_padding(**kept, length=0)
    return tokenizer
