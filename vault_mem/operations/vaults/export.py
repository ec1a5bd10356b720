"""export: memories written out, as JSON Lines, as one Markdown file, or as a new vault."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path

from vault_mem.errors import EditRefused, InvalidInput, Unsafe, VaultMemError, WriteFailed
from vault_mem.index.known import EPISODE, MEMORY
from vault_mem.model import Memory, to_record
from vault_mem.notes.edit import edit, replace_body
from vault_mem.notes.links import WIKILINK, link_name, read_link
from vault_mem.notes.parse import title_of, written_list
from vault_mem.notes.text import split
from vault_mem.operations.memory.filters import Filters, resolved
from vault_mem.operations.vaults.init import init
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result
from vault_mem.vault import outside
from vault_mem.vault.settings import VAULT_FILE
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, native

FORMATS = ("jsonl", "markdown", "vault")
# Replaces the name of a private memory that is not in the export.
HIDDEN = "(a private memory)"


@dataclass
class ExportReport(Result):
    """What was written where, and what was left out. `left_links` are links to memories that are not in the export."""

    out: str
    format: str
    memories: int = 0
    episodes: int = 0
    private_left_out: int = 0
    closed_left_out: int = 0
    episodes_left_out: int = 0
    left_links: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def export(
    workspace: Workspace,
    out: Path,
    format_: str = "jsonl",
    filters: Filters | None = None,
    *,
    include_private: bool = False,
    force: bool = False,
) -> ExportReport:
    """Write the memories that meet the filters to `out`; private ones only with `include_private`."""
    filters = filters or Filters()
    if format_ not in FORMATS:
        raise InvalidInput(f"unknown format {format_!r}", f"one of {', '.join(FORMATS)}")
    if filters.private and not include_private:
        raise InvalidInput("private memories are exported only with --include-private")
    out = _checked(workspace, out, format_, include_private=include_private, force=force)
    if workspace.freshen().stale:
        raise Unsafe("the index is busy, so the export would be incomplete", "try again in a moment")
    chosen = _Chosen(workspace, filters, include_private)
    report = ExportReport(str(out), format_, len(chosen.memories))
    report.private_left_out, report.closed_left_out = chosen.private_left_out, chosen.closed_left_out
    if format_ == "vault":
        _vault(chosen, out, report)
    else:
        for memory in chosen.memories:
            chosen.note_links(memory, report)
        text = _jsonl(chosen) if format_ == "jsonl" else _markdown(chosen)
        report.episodes_left_out = len(chosen.episodes)
        _write(out, text.encode(), outside.PRIVATE_MODE if include_private else outside.PUBLIC_MODE)
    return report


class _Chosen:
    """The memories to export, and what their links mean."""

    def __init__(self, workspace: Workspace, filters: Filters, include_private: bool) -> None:
        self.workspace = workspace
        self.include_private = include_private
        self.graph = workspace.graph
        filters = resolved(workspace, filters)
        found = workspace.index.memories(filters)
        self.memories = self._shown(found)[::-1]
        self.private_left_out = len(found) - len(self.memories)
        all_too = workspace.index.memories(replace(filters, closed=True))
        self.closed_left_out = len(self._shown(all_too)) - len(self.memories)
        self.episodes = self._shown(workspace.index.memories(types=(EPISODE,)))
        self.ids = {memory.id for memory in [*self.memories, *self.episodes]}
        everything = workspace.index.memories(types=(MEMORY, EPISODE))
        self.private = {memory.id for memory in everything if memory.private}

    def _shown(self, memories: list[Memory]) -> list[Memory]:
        return [each for each in memories if self.include_private or not each.private]

    def left_out(self, target: str) -> str:
        """The id of the memory a link means, if it is not exported; empty otherwise."""
        id_ = self.graph.resolve(target)
        return "" if id_ is None or id_ in self.ids else id_

    def hidden(self, target: str) -> bool:
        """Whether a link leads to a private memory that is left out; not even its name may be exported."""
        return self.left_out(target) in self.private

    def note_links(self, memory: Memory, report: ExportReport) -> None:
        """Report the links of a memory that lead nowhere in the export."""
        for target in [*(link.target for link in memory.links), *memory.supersedes]:
            if id_ := self.left_out(target):
                name = HIDDEN if self.hidden(target) else id_
                report.left_links.append(f"{memory.id} -> {name}")

    def plain(self, text: str) -> str:
        """A text without wikilinks to private memories that are left out."""
        return WIKILINK.sub(lambda match: HIDDEN if self.hidden(link_name(match.group(1))) else match.group(), text)

    def public(self, memory: Memory) -> Memory:
        """The memory without the names of private ones that are left out."""
        content = self.plain(memory.content)
        return replace(
            memory,
            content=content,
            title=memory.title if content == memory.content else title_of(content),
            links=[link for link in memory.links if not self.hidden(link.target)],
            supersedes=[target for target in memory.supersedes if not self.hidden(target)],
        )


def _jsonl(chosen: _Chosen) -> str:
    records = [to_record(chosen.public(memory)) for memory in chosen.memories]
    for record in records:
        del record["provisional"]
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _markdown(chosen: _Chosen) -> str:
    zone, resolve = chosen.workspace.folder.zone, chosen.graph.resolve
    parts = [f"# Memories of {chosen.workspace.folder.root.name}\n"]
    for memory in chosen.memories:
        shown = chosen.public(memory)
        facts = {
            "id": memory.id,
            "created": memory.created.astimezone(zone).strftime("%Y-%m-%d %H:%M"),
            "category": memory.category,
            "kind": memory.kind,
            "importance": memory.importance,
            "emotion": memory.emotion,
            "private": "true" if memory.private else "",
            "tags": ", ".join(memory.tags),
            "people": ", ".join(memory.people),
            "valid to": memory.valid_to.isoformat() if memory.valid_to else "",
            "source": memory.source or "",
            "links": ", ".join(f"{resolve(each.target) or each.target} ({each.type})" for each in shown.links),
        }
        listed = "\n".join(f"- {name}: {value}" for name, value in facts.items() if value not in ("", None))
        parts.append(f"## {shown.title}\n\n{listed}\n\n{shown.content}\n")
    return "\n".join(parts)


def _vault(chosen: _Chosen, out: Path, report: ExportReport) -> None:
    folder = chosen.workspace.folder
    settings = folder.settings
    existed = out.exists()
    try:
        init(
            out,
            folder.env,
            memories_folder=settings.memories_folder,
            private_folder=settings.private_folder,
            timezone=settings.timezone,
            nested=True,
        )
        here = folder.tree.read(VAULT_FILE) or b""
        there = (out / VAULT_FILE).read_bytes()
        if here != there:
            outside.replace(out / VAULT_FILE, there, here)
        report.memories = sum(_copy(chosen, memory, out, report) for memory in chosen.memories)
        report.episodes = sum(_copy(chosen, episode, out, report) for episode in chosen.episodes)
    except (VaultMemError, OSError) as error:
        if not existed:  # half an export is worse than none
            shutil.rmtree(out, ignore_errors=True)
        if isinstance(error, OSError):
            raise WriteFailed(
                f"the vault could not be written: {error.strerror}", "check space and permissions"
            ) from error
        raise


def _copy(chosen: _Chosen, memory: Memory, out: Path, report: ExportReport) -> bool:
    """One file, byte for byte, except for the names of private memories that are left out."""
    folder = chosen.workspace.folder
    try:
        raw, was = folder.tree.read(memory.path) or b"", folder.tree.stat(memory.path)
        copied = _without_hidden(raw, chosen, memory)
    except (OSError, EditRefused, UnicodeDecodeError) as error:
        reason = error.message if isinstance(error, EditRefused) else "cannot be read"
        report.unread.append(f"{memory.path}: {reason}")
        return False
    chosen.note_links(memory, report)
    target = out / native(memory.path)
    private = folder.is_private(memory.path)
    outside.make_folder(target.parent, PRIVATE_FOLDER_MODE if private else 0o755)
    outside.create(target, copied, outside.PRIVATE_MODE if memory.private else outside.PUBLIC_MODE)
    if was is not None:
        os.utime(target, ns=(was.st_atime_ns, was.st_mtime_ns))  # dates a note without `created`
    return True


def _without_hidden(raw: bytes, chosen: _Chosen, memory: Memory) -> bytes:
    targets = [*(link.target for link in memory.links), *memory.supersedes]
    if not any(chosen.hidden(target) for target in targets):
        return raw
    for key in ("links", "supersedes"):
        written = written_list(raw, key)
        kept = [each for each in written if (link := read_link(each)) is None or not chosen.hidden(link.target)]
        if kept != written:
            raw = edit(raw, {key: kept})
    body = split(raw).body
    return replace_body(raw, chosen.plain(body)) if chosen.plain(body) != body else raw


def _checked(workspace: Workspace, out: Path, format_: str, *, include_private: bool, force: bool) -> Path:
    """The path to write to; raises if that would overwrite something unasked, or put the export among the notes."""
    out = out.absolute()
    folder = workspace.folder
    real = out.resolve()
    if real.is_relative_to(folder.root):
        key = folder.key(real)
        in_private = folder.is_private(key)
        if format_ == "vault" or folder.is_owned(key) or (include_private and not in_private):
            raise Unsafe(f"{out} lies in the vault itself", "export to a place outside it")
    if format_ == "vault":
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise Unsafe(f"{out} is not empty", "a vault is exported to a new folder")
    elif out.is_dir():
        raise InvalidInput(f"{out} is a folder", f"name a file, such as {out / 'memories.jsonl'}")
    elif out.exists() and not force:
        raise Unsafe(f"{out} already exists", "use --force to overwrite it")
    elif not out.parent.is_dir():
        raise InvalidInput(f"{out.parent} does not exist", "make the folder first")
    return out


def _write(out: Path, data: bytes, mode: int) -> None:
    try:
        before = out.read_bytes()
    except FileNotFoundError:
        outside.create(out, data, mode)
        return
    except OSError as error:
        raise WriteFailed(f"{out} cannot be overwritten: {error.strerror}") from error
    if mode == outside.PRIVATE_MODE:
        out.chmod(mode)
    outside.replace(out, before, data)
