"""Healing: after a file was renamed, links to its old name get the new one, once the files are quiet (SPEC V-5)."""

from __future__ import annotations

from vault_mem.errors import EditRefused, VaultMemError
from vault_mem.notes.links import link_name, nameable
from vault_mem.notes.references import Reference, named_in, rewritten
from vault_mem.operations.changing import is_quiet_file
from vault_mem.operations.unasked.declined import declined_in
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.journal import Transaction, writing
from vault_mem.vault.steps import read_if_can
from vault_mem.vault.walk import content_hash

COMMAND = "heal"


def heal(workspace: Workspace) -> list[str]:
    """Replace old names in links, in quiet notes that are ours. Returns the keys of the changed notes."""
    if not workspace.folder.settings.heal_links:
        return []
    state = workspace.index.known
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


def notes_to_heal(workspace: Workspace) -> list[str]:
    """Notes whose links will be healed once they are quiet."""
    if not workspace.folder.settings.heal_links:
        return []
    unhealed = workspace.index.known.unhealed()
    planned, wait = _plan(workspace, unhealed) if unhealed else (None, [])
    return sorted({*wait, *(planned.keys if planned else ())})


def _plan(workspace: Workspace, looked_at: list[str]) -> tuple[Transaction, list[str]]:
    """What can be healed now, and the files that have to wait."""
    folder, state = workspace.folder, workspace.index.known
    transaction = Transaction(folder, COMMAND, "notes that it links to were renamed", unasked=True)
    declined = declined_in(folder)
    homes = _Homes(workspace)
    wait: list[str] = []
    for key in looked_at:
        raw = read_if_can(folder, key) if folder.is_note(key) else b""
        found = {home for name in named_in(raw) if (home := homes.of(name, key))}
        if not found or declined(COMMAND, key, content_hash(raw, len(raw))):
            continue
        known = state.files([key]).get(key)
        if known is None or known.frozen:
            continue
        try:
            after = rewritten(raw, lambda reference: homes.led_to(reference, key))  # noqa: B023 - called at once
        except EditRefused as error:
            workspace.notices.append(f"{key}: links to old names were left: {error.message}")
            continue
        if after == raw:
            continue
        if all(is_quiet_file(workspace, each) for each in {key, *found}):
            transaction.write(key, raw, after)
            transaction.ids.append(known.id)
        else:
            wait.append(key)
    return transaction, wait


class _Homes:
    """Where renamed notes are now."""

    def __init__(self, workspace: Workspace) -> None:
        self._folder = workspace.folder
        self._index = workspace.index
        self._names = workspace.names
        self._private: dict[str, bool] = {}

    def of(self, target: str, referrer: str) -> str | None:
        """The note that a broken link means; None if the link works, or cannot be healed."""
        if self._names.find(target, referrer) is not None or link_name(target).startswith(("./", "../")):
            return None
        home = self._names.note(target, referrer)
        if home is None or not self._folder.is_note(home) or not nameable(home.removesuffix(".md")):
            return None
        if home.startswith("%") or (self._is_private(home) and not self._folder.is_private(referrer)):
            return None  # a public note never names a private one (SPEC P-3)
        return home

    def led_to(self, reference: Reference, referrer: str) -> Reference | str:
        """The reference with its note's present name; unchanged if there is nothing to heal."""
        home = self.of(reference.target, referrer)
        if home is None:
            return reference
        return reference.renamed(home, self._names.of(home), referrer, keep_words=True)

    def _is_private(self, key: str) -> bool:
        if key not in self._private:
            memory = self._index.by_files([key]).get(key)
            self._private[key] = self._folder.is_private(key) or memory is None or memory.private
        return self._private[key]
