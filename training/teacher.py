"""The teacher, a sentence transformer. It embeds each text only once: vectors are kept in the work folder."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

CHUNK_TEXTS = 4096  # texts per cache file, so that an interrupted build continues where it stopped
MOST_TOKENS = 64  # tokens the teacher reads of a text


class Teacher:
    """Sentence vectors of the teacher, cached by content."""

    def __init__(self, model: Path, cache: Path) -> None:
        self._path = model
        self._cache = cache
        self._model: SentenceTransformer | None = None
        cache.mkdir(parents=True, exist_ok=True)

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        """Return one unit vector per text."""
        chunks = [self._chunk(texts[start : start + CHUNK_TEXTS]) for start in range(0, len(texts), CHUNK_TEXTS)]
        return np.concatenate(chunks).astype(np.float32)

    def _chunk(self, texts: list[str]) -> NDArray[np.float16]:
        file = self._cache / (hashlib.sha256("\0".join(texts).encode()).hexdigest()[:24] + ".npy")
        if file.exists():
            kept: NDArray[np.float16] = np.load(file)
            return kept
        started = time.time()
        made = self._loaded().encode(texts, batch_size=32, show_progress_bar=False, normalize_embeddings=True)
        vectors: NDArray[np.float16] = made.astype(np.float16)
        partial = file.with_suffix(".partial.npy")
        np.save(partial, vectors)
        partial.rename(file)
        print(f"teacher: {len(texts)} texts in {time.time() - started:.0f} s", file=sys.stderr, flush=True)
        return vectors

    def _loaded(self) -> SentenceTransformer:
        if self._model is None:
            import torch
            from sentence_transformers import SentenceTransformer

            torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
            self._model = SentenceTransformer(str(self._path), device="cpu")
            self._model.max_seq_length = MOST_TOKENS
        return self._model
