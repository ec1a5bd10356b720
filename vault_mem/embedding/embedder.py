"""The embedding model: any model2vec model, the one in the package by default."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vault_mem.errors import ModelNotFound

if TYPE_CHECKING:
    from vault_mem.embedding.static import SharedModel

Vectors = NDArray[np.float32]

# How many texts' vectors are kept, so that what the guard has compared need not be embedded again when it is saved:
# some hundred at a time at most (`remember_many`).
MOST_KEPT = 1_000
BUILT_IN = Path(__file__).parent / "default"

LANGUAGES = "languages"  # a folder beside the model, with tables of other languages
_FILES = ("config.json", "tokenizer.json", "model.safetensors")
_loaded: dict[tuple[str, str], SharedModel] = {}
_loading = threading.Lock()

_MODEL_HINT = (
    "set `model` to a model2vec folder on this machine, or unset it to use the built-in model "
    "(vault-mem config unset --user model, or VAULT_MEM_MODEL)"
)


class Embedder:
    """Turns texts into unit vectors. The model is loaded at first use."""

    def __init__(self, name: str = "") -> None:
        self.name = name or "built-in"
        self._path = self._locate(name)
        self._recent: dict[str, Vectors] = {}

    @staticmethod
    def _locate(name: str) -> Path | str:
        if not name:
            return BUILT_IN
        folder = Path(os.path.expanduser(name))  # noqa: PTH111 - leaves ~name alone if nobody is called that
        if folder.is_dir():
            return folder
        if name.startswith((".", "~", "/", "\\")) or name.count("/") > 1:
            raise ModelNotFound(f"embedding model {name!r}: there is no such folder", _MODEL_HINT)
        return name

    @cached_property
    def static(self) -> SharedModel:
        """The loaded model; one folder's model is loaded once in a process."""
        from vault_mem.embedding.static import load  # loads model2vec: only for commands that embed

        key = (str(self._path), self.fingerprint if isinstance(self._path, Path) else "")
        with _loading:
            if key not in _loaded:
                try:
                    _loaded[key] = load(self._path)
                except Exception as error:  # the hub client, safetensors and tokenizers each raise errors of their own
                    why = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
                    raise ModelNotFound(
                        f"embedding model {self.name!r} cannot be loaded: {why}", _MODEL_HINT
                    ) from error
                if self._path != BUILT_IN and not np.isfinite(_loaded[key].embedding).any():
                    del _loaded[key]
                    raise ModelNotFound(f"embedding model {self.name!r} has no number in its vectors", _MODEL_HINT)
            return _loaded[key]

    @property
    def dim(self) -> int:
        """How many numbers a vector has."""
        return int(self.static.dim)

    @cached_property
    def fingerprint(self) -> str:
        """Identifies the model: when it changes, every memory is embedded again."""
        if isinstance(self._path, Path):
            try:
                files = [*(self._path / name for name in _FILES), *sorted((self._path / LANGUAGES).glob("*"))]
                return _hash_of(tuple(map(_state_of, files)))
            except OSError as error:
                which = Path(error.filename or self._path).name
                raise ModelNotFound(
                    f"embedding model {self.name!r}: {which} cannot be read: {error.strerror}", _MODEL_HINT
                ) from error
        digest = hashlib.blake2b(f"{self.name} {self.dim}".encode(), digest_size=12)
        digest.update(np.ascontiguousarray(self.static.embedding[:64]).tobytes())
        return digest.hexdigest()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """A unit vector for every text; a text without a known token gets a zero vector."""
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        if len(texts) > MOST_KEPT:
            return self._encoded(texts)
        known = self._recent  # replaced as a whole, never changed: safe to read from any thread
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known = known | dict(zip(new, self._encoded(new), strict=True))
            self._recent = dict(list(known.items())[-MOST_KEPT:])
        return np.stack([known[text] for text in texts])

    def _encoded(self, texts: Sequence[str]) -> Vectors:
        found = self.static.encode(texts)
        vectors = np.nan_to_num(np.asarray(found, dtype=np.float32))
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        norms[norms == 0] = 1  # a zero vector stays one
        return np.asarray(vectors / norms, dtype=np.float32)


def _state_of(file: Path) -> tuple[Path, int, int, int, int]:
    """A file with everything that shows whether it has changed."""
    now = file.stat()
    return file, now.st_mtime_ns, now.st_ctime_ns, now.st_size, now.st_ino


@lru_cache(maxsize=8)
def _hash_of(states: tuple[tuple[Path, int, int, int, int], ...]) -> str:
    """The hash of a model's files, 15 MB and more; read once in a process unless they change."""
    digest = hashlib.blake2b(digest_size=12)
    for file, *_ in states:
        digest.update(file.read_bytes())
    return digest.hexdigest()
