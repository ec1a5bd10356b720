"""Which note a link's name means, told from the files alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from vault_mem.errors import VaultMemError
from vault_mem.notes.links import link_name, name_key
from vault_mem.notes.parse import parse
from vault_mem.notes.references import named_in
from vault_mem.vault.folder import Folder
from vault_mem.vault.tree import Refused
from vault_mem.vault.walk import walk

Means = Callable[[str], bool]

ID_AT_END = re.compile(r"(?:^|-)([0-9a-f]{8})$")


class Names:
    """The names of all notes of a vault; `renames` has the names that files once had, with the ids of those files."""

    def __init__(self, keys: Iterable[str], renames: Mapping[str, set[str]] | None = None) -> None:
        self._renames = renames or {}
        self._stems: dict[str, set[str]] = {}
        for key in keys:
            stem = name_key(key.removesuffix(".md").rpartition("/")[2])
            known = self._stems.get(stem)
            if known is None:
                self._stems[stem] = {key}
            else:
                known.add(key)

    @property
    def keys(self) -> list[str]:
        """All notes, in the order of their keys: what is made of them must not hang on how a folder is listed."""
        return sorted(key for keys in self._stems.values() for key in keys)

    def naming(self, *notes: tuple[str, str]) -> list[str]:
        """The notes to look into for names of any of these, given by key and id; the files themselves decide."""
        return self.keys

    def of(self, key: str) -> str:
        """What a link calls a note: its file's name, with its folder where the name alone is not unique."""
        stem = stem_of(key)
        return stem if self.taken(stem) <= {key} else key.removesuffix(".md")

    def known(self, name: str) -> bool:
        """Whether any note goes by that name."""
        return bool(self._called(name_key(link_name(name))))

    def find(self, name: str) -> str | None:
        """The one note that has such a name, if there is exactly one."""
        found = self._called(name_key(link_name(name)))
        return next(iter(found)) if len(found) == 1 else None

    def taken(self, stem: str) -> set[str]:
        """The notes whose file has that name, in whatever folder."""
        return self._with_stem(name_key(stem))

    def _called(self, name: str) -> set[str]:
        """The notes that a name may mean: with its folder, or failing that without."""
        found = self._with_stem(name.rpartition("/")[2])
        if "/" not in name:
            return found
        return {key for key in found if name_key(key.removesuffix(".md")) == name} or found

    def _with_stem(self, stem: str) -> set[str]:
        return self._stems.get(stem, set())

    def meaning(self, key: str, id_: str) -> Means:
        """Tells whether a name means that note: by its file's name, its id, or the id that the name ends in."""
        known: dict[str, bool] = {}
        digits = id_.partition("_")[2][:8]

        def means(name: str) -> bool:
            name = name_key(link_name(name))
            if name not in known:
                found = self._called(name)
                by_id = ID_AT_END.search(name)
                known[name] = found == {key} or (
                    len(found) != 1 and (name == id_ or bool(by_id and by_id.group(1) == digits))
                )
                if not found and not by_id:
                    known[name] = known[name] or self.former(name) == {id_}
            return known[name]

        return means

    def former(self, name: str) -> set[str]:
        """The ids of the notes that once had this name."""
        return self._renames.get(name_key(name), set())


def stem_of(key: str) -> str:
    """A file's name without folder and ending."""
    return key.rsplit("/", 1)[-1].removesuffix(".md")


def names_of(folder: Folder) -> Names:
    """The names of all notes, from the folders as they are now."""
    return Names(walk(folder).files)


def changeable(folder: Folder, key: str, raw: bytes) -> bool:
    """Whether a note is ours to change: in our folders, and read without a problem (SPEC V-7)."""
    return folder.is_note(key) and not parse(raw, key, mtime=0, zone=folder.zone).problems


def referrers(folder: Folder, keys: Iterable[str], means: Means) -> Iterator[tuple[str, bytes]]:
    """The notes that name another, with their bytes, from the files themselves."""
    for key in keys:
        raw = bytes_of(folder, key)
        if raw and b"[[" in raw and any(map(means, named_in(raw))):
            yield key, raw


def bytes_of(folder: Folder, key: str) -> bytes | None:
    """A file's bytes; None where it is gone or not ours to read. A failing disk must not pass for "names nothing"."""
    try:
        return folder.tree.read(key)
    except (PermissionError, Refused):
        return None
    except OSError as error:
        raise VaultMemError(f"cannot read {key}: {error.strerror}", "nothing was changed; try again") from error
