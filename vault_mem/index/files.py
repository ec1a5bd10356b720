"""What the index records of a file besides its rows: its state, id, name and links."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable

from vault_mem.index.known import EPISODE, MEMORY, NOTE, OTHER, Known, WrittenLink
from vault_mem.index.links import Names
from vault_mem.index.state import StateStore
from vault_mem.notes.links import path_key
from vault_mem.notes.parse import MAX_NOTE_BYTES, Note, parse, read_bool
from vault_mem.notes.references import ids_in, named_in
from vault_mem.vault.folder import Folder
from vault_mem.vault.walk import FileState, state_of, walk


def provisional_id(key: str, taken: Callable[[str], bool] = lambda id_: False) -> str:
    """The id a file goes by as long as it has none of its own, or one that another file owns."""
    for attempt in range(1000):
        id_ = "mem_" + hashlib.sha256(f"provisional {attempt or ''}{key}".encode()).hexdigest()[:12]
        if not taken(id_):
            return id_
    raise AssertionError("a thousand hashes in a row were taken")


def read(folder: Folder, key: str, open_: Callable[[str], int] | None = None) -> tuple[bytes, FileState, int]:
    """A file's text (only the beginning if it is huge), its state before it was read, and its size."""
    handle = (open_ or folder.tree.open)(key)
    try:
        result = os.fstat(handle)
        raw = os.read(handle, min(result.st_size, MAX_NOTE_BYTES) + 1)
    finally:
        os.close(handle)
    return raw, state_of(result), result.st_size


def read_names(folder: Folder) -> Names:
    """The names of all notes from the files themselves, if there is no usable index."""
    state = StateStore(":memory:")
    known, links = [], []
    for key in walk(folder).files:
        raw, found, size = read(folder, key)
        note = parse(raw, key, mtime=0, zone=folder.zone, private=folder.is_private(key), size=size)
        declared = note.memory.id
        note.memory.id = declared or provisional_id(key)
        known.append(known_of(folder, key, found, 0, "", declared, note))
        links += links_of(key, raw, note)
    state.record(known, links=links)
    return Names(state, folder)


def known_of(folder: Folder, key: str, state: FileState, checked: int, digest: str, declared: str, note: Note) -> Known:
    """What is recorded of a file besides its links."""
    private = folder.is_private(key)
    problems = json.dumps([(each.reason, each.line, each.odd) for each in note.problems]) if note.problems else "[]"
    return Known(
        key,
        *state,
        checked,
        digest,
        declared,
        note.memory.id,
        path_key(key).rpartition("/")[2],
        note.dated_by_file,
        note.foreign_id,
        problems,
        read_bool(note.fields.get("private")) is True and not private,
        _type(folder, key, declared, note),
        note.memory.title,
        note.memory.private,
        note.memory.created.timestamp(),
        note.memory.valid_to.timestamp() if note.memory.valid_to else None,
    )


def _type(folder: Folder, key: str, declared: str, note: Note) -> str:
    if note.episode or key.startswith(folder.settings.episodes_folder + "/"):
        return EPISODE
    if note.plugin or (note.unnamed and not declared and folder.is_owned(key)):
        return OTHER
    return MEMORY if folder.is_owned(key) else NOTE


def links_of(key: str, raw: bytes, note: Note) -> list[WrittenLink]:
    """The links of a note, and whatever else it names: in code, or by an id in its text."""
    found = [WrittenLink(key, link.target, link.type, link.confidence, link.title) for link in note.memory.links]
    named = named_in(raw) | ids_in(raw) - {note.memory.id}
    return found + [WrittenLink(key, name) for name in sorted(named - {each.target for each in found})]
