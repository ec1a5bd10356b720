"""Memories that followed one another are linked in their files only if they belong together (SPEC O-3)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from vault_mem.embedding.calibration import Calibration, size_of
from vault_mem.errors import NotFound
from vault_mem.index.known import EPISODE
from vault_mem.model import Memory
from vault_mem.notes.edit import edit
from vault_mem.notes.links import WIKILINK, name_key, read_link
from vault_mem.notes.parse import written_list
from vault_mem.operations.changing import commit
from vault_mem.operations.upkeep.backlinks import changeable
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import history
from vault_mem.vault.journal import Transaction, writing
from vault_mem.vault.steps import read


class Relatedness:
    """Whether two memories belong together: they are close in meaning, or share a person, tag or episode."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._names = workspace.names
        self._least = 1 - workspace.folder.settings.link_threshold

    @cached_property
    def _calibration(self) -> Calibration:
        return self._workspace.calibration  # reads all rows, so only when two are really compared

    def __call__(self, one: Memory, other: Memory) -> bool:
        """Whether these two belong together."""
        return (
            not _marks(one).isdisjoint(_marks(other))
            or not self._episodes(one).isdisjoint(self._episodes(other))
            or self._similarity(one, other) >= self._least
        )

    def _episodes(self, memory: Memory) -> set[str]:
        files = {each.file for each in self._names.written_to(memory.path)}
        return {key for key, known in self._workspace.index.known.files(files).items() if known.type == EPISODE}

    def _similarity(self, one: Memory, other: Memory) -> float:
        with self._workspace.candidates() as candidates:
            catalogue = candidates.catalogue([one.path, other.path])
            places = [catalogue.place_of(memory.path) for memory in (one, other)]
            if None in places:
                return 0.0
            cosine = float(catalogue.vectors[places[0]] @ catalogue.vectors[places[1]])
        return self._calibration.similarity(cosine, size_of(one.content, other.content))


def _marks(memory: Memory) -> set[tuple[str, str]]:
    return {(name, name_key(each)) for name in ("people", "tags") for each in getattr(memory, name)}


def by_time_alone(workspace: Workspace) -> Iterator[tuple[str, list[str]]]:
    """Links that `consolidate` once wrote between memories that only followed one another, by file."""
    folder, names, belong_together = workspace.folder, workspace.names, Relatedness(workspace)
    written: dict[str, set[str]] = {}
    for _, record, _ in history.read_all(folder, '"consolidate"'):
        if record.get("command") == "consolidate":
            new = _links(record.get("after")) - _links(record.get("before"))
            written.setdefault(str(record.get("id")), set()).update(new)
    for id_, links in sorted(written.items()):
        try:
            memory = workspace.index.get(id_)
        except NotFound:
            continue
        raw = read(folder, memory.path) or b""
        loose = []
        for item in written_list(raw, "links") if changeable(folder, memory.path, raw) else ():
            link = read_link(item) if item in links else None
            target = names.id(link.target, memory.path) if link else None
            if target is not None and not belong_together(memory, workspace.index.get(target)):
                loose.append(item)
        if loose:
            yield memory.path, loose


def _links(front: object) -> set[str]:
    return {match.group() for match in WIKILINK.finditer(front)} if isinstance(front, str) else set()


def take_out(workspace: Workspace) -> None:
    """Remove those links, in one operation; the activity log still knows which memories were active together."""
    with writing(workspace.folder):
        transaction = Transaction(workspace.folder, "doctor --fix", "they only followed one another")
        for key, loose in by_time_alone(workspace):
            raw = read(workspace.folder, key) or b""
            kept = [item for item in written_list(raw, "links") if item not in loose]
            transaction.write(key, raw, edit(raw, {"links": kept}))
        if transaction.steps:
            commit(workspace, transaction)
