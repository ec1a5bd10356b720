"""Memories outside the searched folders: dragged to another folder, or in a folder that was renamed.

They are recognised by their ids (SPEC O-5).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from vault_mem.index.known import Known, KnownFiles
from vault_mem.index.links import vault_files
from vault_mem.notes.text import id_in
from vault_mem.vault.folder import Folder
from vault_mem.vault.tree import name_of, parent_of
from vault_mem.vault.walk import look_at

# Front matter that gives an id is shorter than this.
_HEAD_BYTES = 8192


def find_astray(folder: Folder, state: KnownFiles) -> dict[str, str]:
    """All files outside the searched folders that give an id no memory has, by id."""
    found = _unsearched(folder, state)
    return {id_: key for id_, key in found.items() if not state.declaring([id_])}


def _unsearched(folder: Folder, state: KnownFiles, names: Collection[str] | None = None) -> dict[str, str]:
    """The files that give an id and are not searched, by id; with `names`, only files with one of these names."""
    known = set(state.keys())
    found: dict[str, str] = {}
    for key in vault_files(folder):
        wanted = key.lower().endswith(".md") if names is None else name_of(key) in names
        if wanted and key not in known and (id_ := _id_of(folder, key)):
            found.setdefault(id_, key)
    searched = look_at(folder, found.values()).files  # may have come back since the index saw them
    return {id_: key for id_, key in found.items() if key not in searched}


def _id_of(folder: Folder, key: str) -> str:
    try:
        with folder.tree.opened(key) as handle:
            raw = os.read(handle, _HEAD_BYTES)
    except OSError:
        return ""
    return id_in(raw) if raw.removeprefix(b"\xef\xbb\xbf").startswith(b"---") else ""


def note_astray(folder: Folder, state: KnownFiles, gone: Iterable[Known]) -> None:
    """Look for memories that have just left the searched folders, and record where they are."""
    missing = [old for old in gone if old.declared and not state.declaring([old.declared])]
    if not missing:
        return
    ids = {old.declared for old in missing}
    found = _unsearched(folder, state, {name_of(old.key) for old in missing})
    found = {id_: key for id_, key in found.items() if id_ in ids}
    if found:
        state.put(astray=(state.get("astray") or {}) | found, astray_untold=True)


def still_astray(folder: Folder, state: KnownFiles) -> dict[str, str]:
    """The files that `note_astray` recorded and that have not come back, by id."""
    noted: Mapping[str, str] = state.get("astray") or {}
    return {id_: key for id_, key in noted.items() if not state.declaring([id_]) and folder.tree.is_file(key)}


def messages_for(folder: Folder, keys: Iterable[str]) -> list[str]:
    """What to tell the user about such files, one sentence per folder."""
    said = []
    for parent, count in sorted(Counter(map(parent_of, keys)).items()):
        lie, them = ("memory now lies", "it") if count == 1 else ("memories now lie", "them")
        include = ",".join([*folder.settings.include, f"{parent}/**" if parent else "*.md"])
        said.append(
            f"{count} {lie} in {parent or 'the root of the vault'}{'/' * bool(parent)}, where nothing is searched: "
            f'move {them} back, or include the folder: vault-mem config set include "{include}"'
        )
    return said


def new_home(folder: Folder, state: KnownFiles, top: str) -> tuple[str, int]:
    """Where a folder's notes are now, recognised by their ids: the folder with most of them, and how many it has."""
    lost = {known.declared: known.key[len(top) :] for known in state.all_files() if known.key.startswith(f"{top}/")}
    found = _unsearched(folder, state, {name_of(key) for key in lost.values()})
    homes = Counter(
        key.removesuffix(lost[id_]) for id_, key in found.items() if id_ in lost and key.endswith(lost[id_])
    )
    return homes.most_common(1)[0] if homes else ("", 0)
