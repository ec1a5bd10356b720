"""Which file a link means: the one place that decides it, for answers, checks and changes to links.

First as Obsidian does, by names and folders; then by the id in a file name that vault-mem made, and by a file's former
names.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from vault_mem.index.known import WrittenLink
from vault_mem.index.state import StateStore
from vault_mem.model import EPISODE_ID, MEMORY_ID, digits_of
from vault_mem.notes.links import ID_AT_END, link_name, name_key, path_key, stem_of
from vault_mem.notes.parse import MAX_NOTE_BYTES
from vault_mem.notes.references import ids_in, named_in
from vault_mem.vault.folder import Folder
from vault_mem.vault.tree import beside, name_of
from vault_mem.vault.walk import FileState, state_of, stub_of

# A name that vault-mem makes.
_OURS = re.compile(rf"{ID_AT_END.pattern}|^(?:mem|ep)_[0-9a-f]{{12}}$")
# Tells whether a link, given its target and the file it is in, means a certain note.
Means = Callable[[str, str], bool]


class Names:
    """The names of all notes as of the last sync, and with a `folder` those of every other file of the vault.

    It caches what it has looked up, so it is used for a single operation or answer.
    """

    def __init__(self, state: StateStore, folder: Folder | None = None) -> None:
        self._state = state
        self._folder = folder
        self._called: dict[str, list[str]] = {}
        self._whole = False
        self._meant: dict[tuple[str, str], str | None] = {}
        self._around: dict[str, list[tuple[str, str, WrittenLink]]] = {}
        self._written_to: dict[str, list[WrittenLink]] = {}

    def find(self, target: str, source: str = "") -> str | None:
        """The file that Obsidian opens for a link in `source`."""
        return next(iter(self._best(name_key(link_name(target)), source)), None)

    def _best(self, name: str, source: str) -> list[str]:
        """The file with this whole path, else in the source's folder, else with the shortest path; all that tie."""
        name, whole_path = _path(name, source)
        ending = f"/{name}"
        found = [
            key
            for key in self._with_name(name.rpartition("/")[2])
            if (path := path_key(key)) == name or (not whole_path and path.endswith(ending))
        ]
        if len(found) < 2:
            return found
        beside = posixpath.dirname(name_key(source))
        ranks = {
            key: (path_key(key) != name, posixpath.dirname(name_key(key)) != beside, len(path_key(key)))
            for key in found
        }
        return sorted(key for key in found if ranks[key] == min(ranks.values()))

    def note(self, target: str, source: str = "") -> str | None:
        """The note of ours that a link means: by its name, the id in it, or a name that only one note once had."""
        asked = name_key(link_name(target)), posixpath.dirname(source)
        if asked not in self._meant:
            self._meant[asked] = self._note(asked[0], source)
        return self._meant[asked]

    def _note(self, name: str, source: str) -> str | None:
        best = self._best(name, source)
        stem = name.rpartition("/")[2]
        if len(best) != 1 or len(self._with_name(stem)) > 1:  # the name may contain the id of the note it means
            owner = self._owner(stem)
            if owner is not None or not best:
                return owner or self._former(name)
        known = len(best) == 1 and (self._folder is None or bool(self._state.id_of(best[0])))
        return best[0] if known else None

    def _former(self, name: str) -> str | None:
        """The one note that once had this name."""
        ids = self._renames.get(name.lstrip("/"), set())
        keys = [key for id_ in ids if (key := self._state.key_of(id_)) is not None]
        return keys[0] if len(keys) == 1 else None

    def _owner(self, stem: str) -> str | None:
        """The note whose id is this name, or ends it."""
        if MEMORY_ID.fullmatch(stem) or EPISODE_ID.fullmatch(stem):
            return self._state.key_of(stem)
        digits = ID_AT_END.search(stem)
        ids = self._state.with_digits(digits.group(1)) if digits else set()
        return self._state.key_of(ids.pop()) if len(ids) == 1 else None

    def id(self, target: str, source: str = "") -> str | None:
        """The id of the note that a link means."""
        key = self.note(target, source)
        return None if key is None else self._state.id_of(key)

    def key_of(self, id_: str) -> str | None:
        """The note that goes by an id."""
        return self._state.key_of(id_)

    def meaning(self, key: str) -> Means:
        """A function that tells whether a link means that note."""
        return lambda target, source: self.note(target, source) == key

    def of(self, key: str) -> str:
        """How to write a link to a note: its file's name, with its folder if the name alone is not unique."""
        stem = stem_of(key)
        return stem if self.taken(stem) <= {key} else key.removesuffix(".md")

    def taken(self, stem: str) -> set[str]:
        """The files of that name, in whatever folder."""
        return set(self._with_name(name_key(stem)))

    def naming(self, *keys: str) -> list[str]:
        """The files to look into for links to any of these notes: perhaps too many, never too few."""
        if self._folder is not None:
            follow_outside(self._state, self._folder, [key for keys in self._elsewhere.values() for key in keys])
        written = [each.file for key in keys for each in self.written_to(key)]
        return sorted({*written, *self._state.too_large(MAX_NOTE_BYTES)})

    def written_to(self, key: str) -> list[WrittenLink]:
        """All that may mean a note: by its file's present or former name, its id, or the digits of its id."""
        if key not in self._written_to:
            id_ = self._state.id_of(key)
            stems = {path_key(key).rpartition("/")[2], id_}
            stems |= {name for name, owners in self._renames.items() if id_ in owners and "/" not in name}
            self._written_to[key] = self._state.naming(stems, [digits_of(id_)])
        return self._written_to[key]

    def around(self, key: str) -> list[tuple[str, str, WrittenLink]]:
        """The links from and to a note: from which file to which, and as they are written."""
        if key not in self._around:
            self._around[key] = list(self._links_around(key))
        return self._around[key]

    def _links_around(self, key: str) -> Iterator[tuple[str, str, WrittenLink]]:
        for each in self._state.links(key):
            target = self.note(each.target, key)
            if target is not None and target != key:
                yield key, target, each
        for each in self.written_to(key):
            if each.type and each.file != key and self.note(each.target, each.file) == key:
                yield each.file, key, each

    def all_links(self) -> Iterator[tuple[str, str | None, WrittenLink]]:
        """Every link of the vault: its file, the note that it means, if any, and as it is written."""
        self.take_all()
        for each in self._state.links():
            yield each.file, self.note(each.target, each.file), each

    @cached_property
    def _renames(self) -> dict[str, set[str]]:
        return self._state.renames()

    @cached_property
    def _elsewhere(self) -> dict[str, list[str]]:
        """The files of the vault that are not indexed, by name: Obsidian sees more of them than we do."""
        found: dict[str, list[str]] = {}
        if self._folder is not None:
            known = set(self._state.keys())
            for key in vault_files(self._folder):
                if key not in known:
                    found.setdefault(path_key(key).rpartition("/")[2], []).append(key)
        return found

    def _with_name(self, stem: str) -> list[str]:
        if stem not in self._called:
            notes = [] if self._whole else [key for key, _ in self._state.with_name(stem)]
            ours = _OURS.search(stem)  # unique, so the vault need not be listed
            self._called[stem] = notes if ours else [*notes, *self._elsewhere.get(stem, ())]
        return self._called[stem]

    def take_all(self) -> None:
        """Load all names in one query instead of thousands."""
        self._called = {stem: list(keys) for stem, keys in self._elsewhere.items()}
        for stem, key in self._state.all_names():
            self._called.setdefault(stem, []).append(key)
        self._whole = True


def follow_outside(state: StateStore, folder: Folder, keys: Iterable[str]) -> None:
    """Update what is known of links in files that are not indexed: the owner's notes, canvases, bases.

    To be called before anything that might break such links; only changed files are read.
    """
    known = state.outside()
    now: dict[str, FileState] = {}
    changed: dict[str, FileState] = {}
    links: list[WrittenLink] = []
    for key in keys:
        if not folder.has_links(key):
            continue
        try:
            found = folder.tree.stat(key)
            if found is None:
                continue
            now[key] = state_of(found)
            if now[key] == known.get(key):
                continue
            raw = folder.tree.read(key) or b"" if found.st_size <= MAX_NOTE_BYTES else b""
        except OSError:
            continue  # unreadable, so its links are unknown
        changed[key] = now[key]
        links += [WrittenLink(key, name) for name in sorted(named_in(raw, key) | ids_in(raw))]
    gone = [key for key in known if key not in now]
    if changed or gone:
        state.note_outside(changed, gone, links)


def vault_files(folder: Folder) -> Iterator[str]:
    """Every file of a vault that Obsidian shows, whatever it is."""
    for _, _, files in folder.tree.walk_shown():
        for file in files:
            stub = stub_of(name_of(file))  # a file that is not downloaded still counts
            if stub or not name_of(file).startswith("."):
                yield beside(file, stub) if stub else file


def _path(name: str, source: str) -> tuple[str, bool]:
    """A link's path from the root, and whether it is the whole one: `/a/b`, or `../a` from the file it stands in."""
    if name.startswith(("./", "../")):
        return posixpath.normpath(posixpath.join(posixpath.dirname(name_key(source)), name)), True
    return name.lstrip("/"), name.startswith("/")
