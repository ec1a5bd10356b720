"""Views: public memories mirrored for people to read (SPEC W-1). Lines with a memory's marker are ours, not the rest.

Every operation that changes a memory calls `follow` with what it was and what it becomes; the lines are part of
its transaction, and so of its undo.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from vault_mem.errors import VaultMemError
from vault_mem.model import Memory
from vault_mem.notes.excerpt import cut
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import marked
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction, writing
from vault_mem.vault.steps import read

DIGEST = "MEMORY.md"
MONOLOGUE = "memory/inner-monologue-latest.md"
INTROSPECTION = "introspection"


@dataclass(frozen=True)
class RebuildResult:
    """What rebuilding the views changed."""

    files: list[str]
    memories: int


def follow(transaction: Transaction, before: Memory | None, after: Memory | None) -> None:
    """Let the views follow a memory that is new, changed or gone."""
    folder = transaction.folder
    old = _lines(folder, before) if before else {}
    new = _lines(folder, after) if after and folder.settings.views else {}
    memory = after or before
    if memory is None:
        return
    for key, place in {**old, **new}:
        line = marked.find(_text(folder, key), memory.id)
        wanted = new.get((key, place))
        if wanted is not None or line is not None:
            transaction.line(key, memory.id, line, wanted, place)
    _follow_monologue(transaction, before, after)


def speak(transaction: Transaction, memory: Memory) -> None:
    """The latest introspection stands in a file of its own."""
    wanted = memory.category == INTROSPECTION and not memory.private
    if wanted and transaction.folder.settings.views:
        transaction.overwrite(MONOLOGUE, _monologue(memory))


def leave(transaction: Transaction, id_: str) -> None:
    """Take a memory's lines out of every view, wherever a person may have moved them."""
    folder = transaction.folder
    wanted = marked.marker(id_).encode()
    for path in [folder.root / DIGEST, *sorted((folder.root / "memory").glob("????-??-??.md"))]:
        key = folder.key(path)
        try:
            raw = read(folder, key)
        except VaultMemError as error:
            transaction.notices.append(f"{key} could not be kept up to date: {error.message}")
            continue
        if raw and wanted in raw and folder.is_view(key):
            place = marked.IN_BLOCK if key == DIGEST else marked.BY_TIME
            transaction.line(key, id_, marked.find(_decoded(raw), id_), None, place)


def silence(transaction: Transaction, memory: Memory, instead: Memory | None) -> None:
    """Take a memory's words out of the latest monologue, if they are there; another's may stand instead."""
    if not _speaks(transaction.folder, memory):
        return
    if instead is None:
        transaction.remove(MONOLOGUE, read(transaction.folder, MONOLOGUE) or b"")
    else:
        transaction.overwrite(MONOLOGUE, _monologue(instead))


def rebuild(workspace: Workspace) -> RebuildResult:
    """Make the views anew from the memories; a person's own text in them stays."""
    folder = workspace.folder
    with writing(folder):
        workspace.freshen()
        public = [memory for memory in workspace.index.memories() if not memory.private]
        wanted: dict[str, dict[str, tuple[str, str]]] = {}
        for memory in sorted(public, key=lambda each: each.created):
            for (key, place), line in (_lines(folder, memory) if folder.settings.views else {}).items():
                wanted.setdefault(key, {})[memory.id] = (line, place)
        transaction = Transaction(folder, "views rebuild", "made anew from the memories")
        present = [DIGEST, *(folder.key(path) for path in (folder.root / "memory").glob("????-??-??.md"))]
        for key in sorted({*wanted, *(each for each in present if folder.is_view(each))}):
            _rebuild_file(transaction, key, wanted.get(key, {}))
        spoken = [memory for memory in public if memory.category == INTROSPECTION]
        if spoken and not any(_speaks(folder, memory) for memory in spoken):
            speak(transaction, max(spoken, key=lambda memory: memory.created))
        if transaction.steps:
            transaction.commit()
    return RebuildResult(transaction.keys, len(public))


def _rebuild_file(transaction: Transaction, key: str, wanted: dict[str, tuple[str, str]]) -> None:
    raw = read(transaction.folder, key)
    text = _decoded(raw)
    for id_ in marked.marked_ids(text or ""):
        if id_ not in wanted:
            text = marked.put(text, id_, None, marked.BY_TIME, key)
    for id_, (line, place) in wanted.items():
        if marked.find(text, id_) != line:
            text = marked.put(text, id_, line, place, key)
    after = None if text is None else text.encode(errors="surrogateescape")
    if raw is None and after is not None:
        transaction.create(key, after)
    elif raw is not None and after is None:
        transaction.remove(key, raw)
    elif raw is not None and after is not None:
        transaction.write(key, raw, after)


def _lines(folder: Folder, memory: Memory) -> dict[tuple[str, str], str]:
    """The lines that mirror a memory, by file and place; none for a private one."""
    if memory.private or memory.provisional:
        return {}
    created = memory.created.astimezone(folder.zone)
    text = re.sub(r"\[id:", "[id :", cut(memory.content))
    end = marked.marker(memory.id)
    lines = {(f"memory/{created:%Y-%m-%d}.md", marked.BY_TIME): f"- {created:%H:%M} {text} {end}"}
    if _curated(folder, memory, folder.now()):
        lines[(DIGEST, marked.IN_BLOCK)] = f"- {created:%Y-%m-%d} {text} {end}"
    return lines


def _curated(folder: Folder, memory: Memory, now: datetime) -> bool:
    settings = folder.settings
    wanted = memory.importance >= settings.curated_importance or memory.category in settings.curated_categories
    return wanted and not memory.closed_at(now)


def _follow_monologue(transaction: Transaction, before: Memory | None, after: Memory | None) -> None:
    """A changed introspection changes the monologue only if it is the one that stands there."""
    if before is not None and after is not None and _speaks(transaction.folder, before):
        speak(transaction, after)


def _speaks(folder: Folder, memory: Memory) -> bool:
    raw = read(folder, MONOLOGUE)
    return raw is not None and raw.decode(errors="replace").strip() == memory.content.strip()


def _monologue(memory: Memory) -> bytes:
    return memory.content.strip().encode() + b"\n"


def _text(folder: Folder, key: str) -> str | None:
    return _decoded(read(folder, key))


def _decoded(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode(errors="surrogateescape")
