"""The common ancestor of two versions of a note, if git or the journal still has it."""

from __future__ import annotations

from collections.abc import Iterator

from vault_mem.merging import Merged, encoded, merge
from vault_mem.merging.lines import matches, split
from vault_mem.vault import git, journal
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import id_in
from vault_mem.vault.steps import FileStep


def common_text(folder: Folder, key: str, known: bytes, other: bytes) -> bytes | None:
    """The ancestor of both versions. `known` was made on this machine, `other` came from elsewhere.

    Without one from git, the earlier text of the note most like `other`; the older if two are equally close.
    """
    in_conflict = git.version(folder, key, 1)
    if in_conflict is not None:
        return in_conflict
    said = [text for text in _said(folder, key, id_in(known)) if text not in (known, other)]
    return min(reversed(said), key=lambda text: _distance(text, other), default=None)


def merged_with(folder: Folder, key: str, known: bytes, other: bytes) -> Merged | None:
    """Two versions of a note as one; None without a known ancestor."""
    base = common_text(folder, key, known, other)
    return None if base is None else merge(key, base, known, other)


def taken_in(folder: Folder, key: str, private: bytes, public: bytes) -> bytes:
    """A private note merged with its public version; without a known ancestor, it has both texts."""
    found = merged_with(folder, key, private, public) or merge(key, None, private, public)
    return encoded(found.text)


def _said(folder: Folder, key: str, id_: str) -> Iterator[bytes]:
    """Earlier texts of a note, newest first: from the journal, then from git."""
    for entry in journal.entries(folder):
        for step in entry.steps:
            if isinstance(step, FileStep) and folder.is_note(step.key):
                for text in (step.after, step.before):
                    if text is not None and (step.key == key or (id_ and id_in(text) == id_)):
                        yield text
    if git.in_repository(folder):
        yield from git.versions(folder, key)


def _distance(one: bytes, other: bytes) -> int:
    """How many lines differ."""
    lines = [split(each.decode(errors="surrogateescape").replace("\r\n", "\n")) for each in (one, other)]
    kept = sum(place >= 0 for place in matches(*lines))
    return len(lines[0]) + len(lines[1]) - 2 * kept
