"""Memories that an operation is about to write, so that its later ones are compared with them too."""

from __future__ import annotations

from vault_mem.index.catalogue import Catalogue
from vault_mem.index.files import known_of
from vault_mem.index.index import Index
from vault_mem.index.rows import rows_of, texts_to_embed
from vault_mem.model import digits_of
from vault_mem.notes.parse import parse
from vault_mem.vault.walk import FileState

_NO_FILE = FileState(0, 0, 0, 0)


class Unwritten:
    """Their rows, as the index will have them; only the caller sees them."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._digits: set[str] = set()
        self.catalogue = Catalogue.empty(index.table.dim)

    def __contains__(self, key: str) -> bool:
        return self.catalogue.place_of(key) is not None

    def has_digits(self, digits: str) -> bool:
        """Whether an id among them begins with these digits."""
        return digits in self._digits

    def add(self, key: str, raw: bytes) -> None:
        """Add a memory, given what its file will say."""
        folder = self._index.folder
        note = parse(raw, key, mtime=0, zone=folder.zone, private=folder.is_private(key))
        known = known_of(folder, key, _NO_FILE, 0, "", note.memory.id, note)
        vectors = self._index.embedder.encode(texts_to_embed(note.memory.content))
        self._digits.add(digits_of(note.memory.id))
        self.catalogue.add(rows_of(known, note.memory, vectors, self._index.table.dim))
