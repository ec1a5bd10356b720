"""import: bring in memories from elsewhere, through the guard. Importing again adds only what is new."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from vault_mem.errors import Conflict, EditRefused, NotFound
from vault_mem.imports.formats import reader_for
from vault_mem.imports.items import CONVERSATION, BadItem, Item
from vault_mem.index.sync import Progress
from vault_mem.model import GIVEN, INVERSE_LINK, Link, Memory, as_dict
from vault_mem.notes.edit import edit
from vault_mem.notes.links import body_links, name_key, read_link, write_link
from vault_mem.notes.origin import parts
from vault_mem.notes.parse import title_of, written_list
from vault_mem.notes.write import file_name, note_text
from vault_mem.operations.changing import changing, commit, to_edit_in
from vault_mem.operations.memory.drafts import Draft, checked, refuse_secrets
from vault_mem.operations.memory.guard import guard
from vault_mem.operations.memory.remember import Planned
from vault_mem.operations.memory.remember_many import AT_ONCE, UNFIT, Batch, taken_back
from vault_mem.operations.upkeep.edit_memory import edit_memory
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record
from vault_mem.vault.journal import Transaction
from vault_mem.vault.parts import RunningOperation, one_operation

_PLAIN_NAME = re.compile(r"[^/\\.#~\s][^/\\#|^\[\]\0\n]*\.md")


@dataclass(frozen=True)
class SkippedItem:
    """An imported item and its memory: the one that was made of it, or the one because of which it was skipped."""

    source: str
    id: str
    similarity: float | None = None


@dataclass
class ImportReport(Result):
    """What became of every item. In a dry run `imported` is what would be saved, without ids."""

    format: str
    dry_run: bool = False
    imported: list[SkippedItem] = field(default_factory=list)
    skipped: list[SkippedItem] = field(default_factory=list)
    grown: list[SkippedItem] = field(default_factory=list)
    duplicates: list[SkippedItem] = field(default_factory=list)
    refused: list[BadItem] = field(default_factory=list)
    links: int = 0
    total: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        found = as_record(self, *([] if self.grown else ["grown"]))
        return found | {"counts": {name: len(value) for name, value in found.items() if isinstance(value, list)}}


def import_(
    workspace: Workspace,
    source: Path,
    format_: str = "auto",
    *,
    dry_run: bool = False,
    private: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import everything in `source`. Items whose source or id the vault knows are skipped; conversations are continued.

    It is one operation that happens completely or not at all. If it is interrupted (ImportInterrupted), the operation
    is what was imported so far, and importing again continues from there.
    """
    reader = reader_for(source, format_)
    report = ImportReport(reader.NAME, dry_run)
    items = partial(reader.read, source, workspace.folder.zone)
    report.total = sum(1 for _ in items())
    if dry_run:
        return _Import(workspace, report, private).run(items(), progress)
    try:
        with taken_back(workspace), one_operation(workspace.folder, "import") as whole:
            return _Import(workspace, report, private, whole).run(items(), progress)
    except KeyboardInterrupt as interrupt:
        if not whole.finished:
            report.imported.clear()  # interrupted a second time, so the next command rolls it back
        raise ImportInterrupted(report) from interrupt


class ImportInterrupted(KeyboardInterrupt):
    """An import that was interrupted; the report lists what was imported."""

    def __init__(self, report: ImportReport) -> None:
        super().__init__()
        self.report = report


class _Import:
    """A running import: what the vault knew before, and what was imported since."""

    def __init__(
        self, workspace: Workspace, report: ImportReport, private: bool, whole: RunningOperation | None = None
    ) -> None:
        self.workspace = workspace
        self.batch = Batch(workspace, whole)
        self.report = report
        self.private = private
        workspace.freshen()
        known = sorted((each["created"], each["id"], each.get("source") or "") for each in workspace.index.records())
        self.sources = {part: id_ for _, id_, source in reversed(known) for part in (*parts(source), source)}
        self.ids = {id_ for _, id_, _ in known}
        self.names: dict[str, str] = {}
        self.new: dict[str, Memory] = {}
        self.links: list[tuple[str, str, str, str]] = []  # source, id, type of link, name of the other
        self.texts: set[str] = set()

    def run(self, items: Iterable[Item | BadItem], progress: Progress | None) -> ImportReport:
        """Import all items, then write the links between them."""
        with self.batch.held():
            for done, item in enumerate(items, start=1):
                try:
                    if isinstance(item, BadItem):
                        self.report.refused.append(item)
                    else:
                        self._take(replace(item, source=" ".join(item.source.split())))
                except UNFIT as error:
                    self.report.refused.append(BadItem(item.source, error.message))
                if progress:
                    progress(done, self.report.total)
            self._link()
        return self.report

    def _take(self, item: Item) -> None:
        known = self.sources.get(item.source)
        if item.memory is not None:
            known = item.memory.id if item.memory.id in self.ids else None
        if known is not None:
            (self.report.grown if self._grew(item, known) else self.report.skipped).append(
                SkippedItem(item.source, known)
            )
            self._named(item, known)
            return
        draft = _draft(item, self.private)
        if item.memory is not None or self.report.dry_run:
            draft = checked(draft, self.workspace.folder.zone)
            if not draft.private:
                refuse_secrets(as_dict(draft))
            duplicate = self._duplicate(draft)
        else:
            result = self.batch.remember(draft)
            found = result.duplicate_of
            duplicate = SkippedItem("", found.memory.id, found.similarity) if found else None
        if duplicate:
            self.report.duplicates.append(replace(duplicate, source=item.source))
            self._named(item, duplicate.id)
            return
        id_ = ""
        if self.report.dry_run:
            self.texts.add(draft.content)
        elif (memory := self._restored(item.memory, draft) if item.memory is not None else result.memory) is not None:
            id_ = memory.id
            self.ids.add(id_)
            self.new[id_] = replace(memory, content="", links=[])  # the texts are in the files
            self.links += [(item.source, id_, *link) for link in item.links]
            self._named(item, id_)
        self.sources[item.source] = id_
        self.report.imported.append(SkippedItem(item.source, id_))

    def _grew(self, item: Item, id_: str) -> bool:
        """Whether a conversation has new turns since it was imported; adds them, unless its memory was edited."""
        if item.memory is not None or item.fields.get("category") != CONVERSATION or not id_:
            return False
        self.batch.write()  # its memory may still be in the batch
        before, after = self.workspace.index.get(id_).content.strip(), item.content.strip()
        if len(after) <= len(before) or not after.startswith(before):
            return False
        if not self.report.dry_run:
            edit_memory(self.workspace, id_, content=after, reason="the conversation went on", command="import")
            self.batch.part_done()
        return True

    def _named(self, item: Item, id_: str) -> None:
        for name in item.names:
            if id_:
                self.names.setdefault(name_key(name), id_)

    def _duplicate(self, draft: Draft) -> SkippedItem | None:
        """The memory that a draft repeats, not counting other items of this import, which were told apart before."""
        if self.report.dry_run and draft.content in self.texts:
            return SkippedItem("", "")
        dedup = self.workspace.folder.settings.dedup_threshold
        found = self.workspace.reading(lambda: guard(self.workspace, draft.content, dedup)).duplicate_of
        if found is None or found.memory.id in self.new:
            return None
        return SkippedItem("", found.memory.id, found.similarity)

    def _restored(self, memory: Memory, draft: Draft) -> Memory:
        """A memory of another vault with all its fields; it keeps its file name, which links use, if that is free."""
        folder = self.workspace.folder
        zone = folder.zone
        in_text = {name_key(link.target) for link in body_links(draft.content)}
        created = memory.created.astimezone(zone)
        whole = replace(
            memory,
            content=draft.content,
            created=created,
            private=draft.private,
            links=[link for link in memory.links if name_key(link.target) not in in_text],
        )
        raw = note_text(whole, zone).encode()
        if memory.title != title_of(draft.content):
            raw = edit(raw, {"title": memory.title})
        if memory.aliases:
            raw = edit(raw, {"aliases": memory.aliases})
        name = memory.path.rsplit("/", 1)[-1]
        if draft.private or not _PLAIN_NAME.fullmatch(name):
            name = file_name(whole)
        settings = folder.settings
        parent = f"{settings.memories_folder}/{created:%Y-%m}"
        key = f"{settings.private_folder if draft.private else parent}/{name}"
        if self._taken(key):
            key = f"{key.rpartition('/')[0]}/{file_name(whole)}"
        if self._taken(key):
            raise Conflict(f"{folder.shown(key)} already exists", "nothing was overwritten")
        whole.path = key

        self.batch.put(Planned(whole, raw))
        return whole

    def _taken(self, key: str) -> bool:
        unwritten = self.workspace.unwritten
        return self.workspace.folder.tree.exists(key) or (unwritten is not None and key in unwritten)

    def _link(self) -> None:
        """Write the links between items, now that all have memories, a few hundred at a time."""
        self.batch.write()
        wanted = [
            (source, id_, type_, other)
            for source, id_, type_, name in self.links
            if (other := self.names.get(name_key(name)) or self.names.get(name_key(name.rsplit("/", 1)[-1])))
            and other != id_
        ]
        for first in range(0, len(wanted), AT_ONCE):
            some = wanted[first : first + AT_ONCE]
            self.report.links += changing(self.workspace, partial(self._write_links, some))
            self.batch.part_done(len(some))

    def _write_links(self, wanted: list[tuple[str, str, str, str]]) -> int:
        transaction = Transaction(self.workspace.folder, "import")
        made = 0
        for source, id_, type_, other in wanted:
            try:
                made += self._linked(transaction, id_, type_, other)
            except (EditRefused, Conflict, NotFound) as error:
                self.workspace.notices.append(f"{source}: not linked: {error.message}")
        if transaction.steps:
            commit(self.workspace, transaction)
        return made

    def _linked(self, transaction: Transaction, id_: str, type_: str, other: str) -> bool:
        """Link two memories, on the private side if there is one. Returns False if they were linked already."""
        one, two = (self.new.get(each) or self.workspace.index.get(each) for each in (id_, other))
        if two.private and not one.private:
            one, two, type_ = two, one, INVERSE_LINK.get(type_, type_)
        name = self.workspace.names.of(two.path)
        raw = to_edit_in(transaction, self.workspace, one)
        links = written_list(raw, "links")
        found = [each for each in links if (known := read_link(each)) and name_key(known.target) == name_key(name)]
        if found and (type_ == "related" or (read_link(found[0]) or Link("")).type != "similar"):
            return False  # only "similar", which the guard wrote, is replaced by a type that somebody chose
        link = write_link(Link(name, type_, None, two.title))
        transaction.write(one.path, raw, edit(raw, {"links": [*(each for each in links if each not in found), link]}))
        transaction.ids += [one.id, two.id]
        return True


def _draft(item: Item, private: bool) -> Draft:
    if item.memory is None:
        secret = private or item.private
        return Draft(item.content, private=secret, created=item.created, source=item.source, **item.fields)
    shared = {"content", "created", "metadata", *GIVEN} - {"private", "supersedes"}
    values = {name: getattr(item.memory, name) for name in shared}
    return Draft(**values, private=private or item.memory.private)
