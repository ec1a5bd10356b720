"""The names of all notes as the index knows them: neither listing the vault nor reading it (see vault.names)."""

from __future__ import annotations

from vault_mem.index.state import StateStore
from vault_mem.notes.links import name_key
from vault_mem.notes.parse import MAX_NOTE_BYTES
from vault_mem.vault.names import Names


class IndexedNames(Names):
    """The names as of the last sync. For what holds the vault for writing, or has no need to be exact."""

    def __init__(self, state: StateStore) -> None:
        super().__init__((), state.renames())
        self._state = state

    @property
    def keys(self) -> list[str]:
        """All notes, in the order of their keys."""
        return self._state.keys()

    def naming(self, *notes: tuple[str, str]) -> list[str]:
        """The notes that gave a name which may mean one of these: the file's name now or once, its id or digits."""
        ids = {id_ for _, id_ in notes}
        endings = [name_key(key.removesuffix(".md").rpartition("/")[2]) for key, _ in notes]
        endings += [ending for id_ in ids for ending in (id_, id_.partition("_")[2][:8]) if ending]
        endings += [name for name, owners in self._renames.items() if owners <= ids]
        return self._state.naming(endings, MAX_NOTE_BYTES)

    def _with_stem(self, stem: str) -> set[str]:
        if stem not in self._stems:
            self._stems[stem] = {key for key, _ in self._state.with_name(stem)}
        return self._stems[stem]
