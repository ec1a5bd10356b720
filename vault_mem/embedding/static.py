"""A static model ready to use: token vectors and a tokenizer, loaded without parsing anything twice.

The vectors are those of model2vec's own `encode`, number for number. Unlike it, encoding changes nothing in the
tokenizer, so that many threads can share one model.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BATCH = 256
# How tokenizers' own files begin the one kind of model that tells its unknown token nowhere else.
_UNIGRAM = re.compile(r'"model":\s*\{\s*"type":\s*"Unigram",\s*"unk_id":\s*(\d+|null)')


class Static:
    """One loaded model."""

    def __init__(
        self,
        embedding: NDArray[Any],
        tokenizer: Any,
        *,
        unknown: int | None,
        normalize: bool,
        weights: NDArray[Any] | None = None,
        mapping: NDArray[Any] | None = None,
    ) -> None:
        if mapping is None and len(embedding) != tokenizer.get_vocab_size():
            raise ValueError(f"{tokenizer.get_vocab_size()} tokens, but {len(embedding)} vectors")
        self.embedding = embedding
        self.tokenizer = tokenizer
        self._unknown = unknown
        self._normalize = normalize
        self._weights = weights
        self._mapping = mapping
        padding = tokenizer.padding
        if padding is not None:
            kept = {name: padding[name] for name in ("pad_id", "pad_token", "pad_type_id")}
            tokenizer.enable_padding(**kept, length=0)

    @property
    def dim(self) -> int:
        """How many numbers a vector has."""
        return int(self.embedding.shape[1])

    def encode(self, texts: Sequence[str], most_tokens: int) -> NDArray[Any]:
        """The mean of each text's token vectors; zeros for a text without a known token."""
        return np.concatenate(
            [self._batch(texts[start : start + _BATCH], most_tokens) for start in range(0, len(texts), _BATCH)]
        )

    @cached_property
    def _median_length(self) -> int:
        return int(np.median([len(token) for token in self.tokenizer.get_vocab()]))

    def _ids(self, texts: Sequence[str], most_tokens: int) -> list[list[int]]:
        if any(len(text) > most_tokens for text in texts):  # cut as model2vec does, before the tokens are counted
            longest = most_tokens * self._median_length
            texts = [text[:longest] for text in texts]
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        encoded = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [[id_ for id_ in each.ids[:most_tokens] if id_ != self._unknown] for each in encoded]

    def _batch(self, texts: Sequence[str], most_tokens: int) -> NDArray[Any]:
        ids = self._ids(texts, most_tokens)
        kind = np.dtype(np.float32) if self.embedding.dtype == np.int8 else self.embedding.dtype
        found = np.zeros((len(ids), self.dim), dtype=kind)
        by_length: dict[int, list[int]] = defaultdict(list)
        for place, each in enumerate(ids):
            if each:
                by_length[len(each)].append(place)
        for places in by_length.values():
            tokens = np.array([ids[place] for place in places], dtype=np.int64)
            vectors = self.embedding[tokens if self._mapping is None else self._mapping[tokens]]
            if self._weights is not None:
                vectors = vectors * self._weights[tokens][:, :, None]
            found[places] = vectors.mean(axis=1)
        if not self._normalize:
            return found
        exact = found.astype(np.float32)
        return np.asarray((exact / (np.linalg.norm(exact, axis=1, keepdims=True) + 1e-32)).astype(kind))


def load(place: Path | str) -> Static:
    """A model from its folder; one of another layout, or from the hub, by way of model2vec."""
    if isinstance(place, Path) and (place / "tokenizer.json").is_file():
        import safetensors

        with safetensors.safe_open(place / "model.safetensors", framework="numpy") as tensors:
            held = {name: tensors.get_tensor(name) for name in tensors.keys()}  # noqa: SIM118 - not a dict
        if "embeddings" in held:
            from tokenizers import Tokenizer

            text = (place / "tokenizer.json").read_text(encoding="utf-8")
            config = json.loads((place / "config.json").read_bytes())
            tokenizer = Tokenizer.from_str(text)
            return Static(
                held["embeddings"],
                tokenizer,
                unknown=_unknown(tokenizer, text),
                normalize=bool(config.get("normalize", False)),
                weights=held.get("weights"),
                mapping=held.get("mapping"),
            )
    from model2vec import StaticModel

    options = {"force_download": False} if isinstance(place, Path) else {}
    model = StaticModel.from_pretrained(place, **options)
    return Static(
        model.embedding,
        model.tokenizer,
        unknown=model.unk_token_id,
        normalize=model.normalize,
        weights=model.weights,
        mapping=model.token_mapping,
    )


def _unknown(tokenizer: Any, text: str) -> int | None:
    """The token that stands for what the model does not know; it says nothing, and is left out."""
    if hasattr(tokenizer.model, "unk_token"):
        token = tokenizer.model.unk_token
        return None if token is None else tokenizer.token_to_id(token)
    found = _UNIGRAM.search(text)
    unknown = json.loads(found.group(1)) if found else json.loads(text)["model"].get("unk_id")
    return None if unknown is None else int(unknown)
