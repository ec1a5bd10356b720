"""Healing: after a file was renamed, links to its old name get the new one, once nobody is at work there (SPEC V-5)."""

from __future__ import annotations

import os
from collections import Counter
from functools import cached_property

from vault_mem.errors import EditRefused, VaultMemError
from vault_mem.index.state import EVERY_FILE, Known
from vault_mem.model import EPISODE_ID, MEMORY_ID
from vault_mem.notes.links import link_name, name_key, nameable
from vault_mem.notes.references import Reference, named_in, rewritten
from vault_mem.operations.declined import Declined
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction, writing
from vault_mem.vault.names import ID_AT_END
from vault_mem.vault.steps import read
from vault_mem.vault.tree import name_of, native
from vault_mem.vault.walk import content_hash

COMMAND = "heal"


def heal(workspace: Workspace) -> list[str]:
    """Write new names into links to old ones, in quiet notes of ours. Returns the keys of the notes changed."""
    if not workspace.folder.settings.heal_links:
        return []
    state = workspace.index.state
    if not state.unhealed():
        return []
    waiting = looked_at = state.take_unhealed()
    try:
        transaction, waiting = _plan(workspace, looked_at)
        if transaction.steps:
            waiting = [*waiting, *transaction.keys]
            with writing(workspace.folder):
                keys = transaction.keys
                transaction.commit()
                waiting = [key for key in waiting if key not in keys]
                return keys
    except VaultMemError as error:
        workspace.notices.append(f"links not healed: {error.message}")
    finally:
        state.add_unhealed(waiting)
    return []


def waiting(workspace: Workspace) -> list[str]:
    """Notes with links that are healed once they are quiet."""
    if not workspace.folder.settings.heal_links:
        return []
    unhealed = workspace.index.state.unhealed()
    if EVERY_FILE not in unhealed:
        return unhealed
    planned, wait = _plan(workspace, unhealed)  # a note was renamed and nobody has looked yet who names it
    return sorted({*wait, *planned.keys})


def _plan(workspace: Workspace, looked_at: list[str]) -> tuple[Transaction, list[str]]:
    """What can be healed now, and the files that have to wait."""
    folder, state = workspace.folder, workspace.index.state
    transaction = Transaction(folder, COMMAND, "notes that it links to were renamed", unasked=True)
    declined = Declined(folder)
    homes = _Homes(workspace)
    wait: list[str] = []
    for key in state.hashes() if EVERY_FILE in looked_at else looked_at:
        raw = _note(folder, key)
        found = {name: home for name in named_in(raw) if (home := homes.of(name, key))}
        if not found or declined(COMMAND, key, content_hash(raw, len(raw))):
            continue
        known = state.files([key]).get(key)
        if known is None or known.problems != "[]":
            continue
        try:
            after = rewritten(raw, lambda reference: _led_home(reference, key, homes))  # noqa: B023 - called at once
        except EditRefused as error:
            workspace.notices.append(f"{key}: links to old names were left: {error.message}")
            continue
        if after == raw:
            continue
        if all(map(workspace.quiet_file, {key, *(home.key for home in found.values())})):
            transaction.write(key, raw, after, keep_time=True)
            transaction.ids.append(known.id)
        else:
            wait.append(key)
    return transaction, wait


def _led_home(reference: Reference, key: str, homes: _Homes) -> Reference | str:
    home = homes.of(reference.name, key)
    return reference if home is None else reference.to(homes.name(home, with_folder="/" in reference.name))


def _note(folder: Folder, key: str) -> bytes:
    """A note that may be changed; nothing where it cannot be read."""
    try:
        return (read(folder, key) or b"") if folder.is_note(key) else b""
    except VaultMemError:
        return b""


class _Homes:
    """Where notes are now that were called otherwise before."""

    def __init__(self, workspace: Workspace) -> None:
        self._folder = workspace.folder
        self._index = workspace.index
        self._found: dict[str, Known | None] = {}
        self._private: dict[str, bool] = {}

    def of(self, name: str, referrer: str) -> Known | None:
        """The note that a name no longer names but means; None where all is well, or nothing can be done."""
        if name not in self._found:
            self._found[name] = self._find(name_key(link_name(name)))
        home = self._found[name]
        if home is None or (self._is_private(home.key) and not self._folder.is_private(referrer)):
            return None  # a public note never names a private one (SPEC P-3)
        return home

    def name(self, home: Known, *, with_folder: bool) -> str:
        """What a link calls it now."""
        path = home.key.removesuffix(".md")
        stem = path.rsplit("/", 1)[-1]
        return path if with_folder or self._everywhere[name_key(stem)] > 1 else stem

    def _find(self, name: str) -> Known | None:
        stem = name.rsplit("/", 1)[-1]
        if not stem or ".." in name.split("/") or (name == stem and self._index.state.with_name(name)):
            return None
        ids = self._ids(name, stem)
        homes = [known for known in self._index.state.with_ids(ids) if self._folder.is_note(known.key)]
        if len(homes) != 1 or not nameable(homes[0].key.removesuffix(".md")) or homes[0].key.startswith("%"):
            return None
        return None if self._everywhere[name] else homes[0]

    def _ids(self, name: str, stem: str) -> set[str]:
        if MEMORY_ID.fullmatch(stem) or EPISODE_ID.fullmatch(stem):
            return {stem}
        by_id = ID_AT_END.search(stem)
        owners = self._index.state.with_digits(by_id.group(1)) if by_id else set()
        return owners or self._renames.get(name, set())

    @cached_property
    def _renames(self) -> dict[str, set[str]]:
        return self._index.state.renames()

    @cached_property
    def _everywhere(self) -> Counter[str]:
        """How many files of the whole vault a name may mean: Obsidian sees more of them than we do."""
        found: Counter[str] = Counter()
        for _, folders, files in self._folder.tree.walk():
            folders[:] = [each for each in folders if not name_of(each).startswith(".")]
            for file in files:
                path = os.fsencode(native(file)).decode(errors="replace")
                parts = name_key(path.removesuffix(".md")).split("/")
                found.update("/".join(parts[start:]) for start in range(len(parts)))
        return found

    def _is_private(self, key: str) -> bool:
        if key not in self._private:
            memory = self._index.by_files([key]).get(key)
            self._private[key] = self._folder.is_private(key) or memory is None or memory.private
        return self._private[key]
