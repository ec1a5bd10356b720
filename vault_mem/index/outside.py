"""Files of the vault that are no notes of ours and may name them: own notes, canvases, bases.

They are not searched. Whatever would break a link of theirs looks here first: what was read before and did not change
is not read again.
"""

from __future__ import annotations

from collections.abc import Iterable

from vault_mem.index.known import Written
from vault_mem.index.state import StateStore
from vault_mem.notes.parse import MAX_NOTE_BYTES
from vault_mem.notes.references import ids_in, named_in
from vault_mem.vault.folder import Folder
from vault_mem.vault.walk import FileState, state_of


def follow_outside(state: StateStore, folder: Folder, keys: Iterable[str]) -> None:
    """Bring what is known of these files up to date."""
    known = state.outside()
    now: dict[str, FileState] = {}
    changed: dict[str, FileState] = {}
    links: list[Written] = []
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
        links += [Written(key, name) for name in sorted(named_in(raw, key) | ids_in(raw))]
    gone = [key for key in known if key not in now]
    if changed or gone:
        state.note_outside(changed, gone, links)
