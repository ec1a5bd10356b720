"""A person's words in a memory: told apart from ours, and kept where they are when ours are replaced (SPEC S-8).

What we wrote is in the revisions, and for a new memory in the journal. If the note still has it unchanged, everything
around it is the person's. If not, the person has edited our text itself, and nobody can say what may be replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vault_mem.errors import Conflict
from vault_mem.model import Memory
from vault_mem.notes.edit import replace_body
from vault_mem.notes.text import split, split_text
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import journal
from vault_mem.vault.folder import Folder
from vault_mem.vault.history import id_in, of_memory
from vault_mem.vault.steps import FileStep, MadeStep

# Obsidian's block id at the end of a paragraph, which other notes link to.
_BLOCK_ID = re.compile(r"[ \t]+\^[A-Za-z0-9-]+$")
# Earlier revisions do not say which part was ours: these commands replaced the whole text.
_REPLACED_ALL = ("remember", "remember --update", "import")
_MAKING = ("remember", "import", "tidy apply")
# Seconds: a note last written this soon after its `created` was written by the command that made it.
_AT_ONCE = 3.0


@dataclass(frozen=True)
class NoteChange:
    """New bytes for a memory's file. `written` is the part of its text that we wrote, or True for all of it.

    `kept` is what a person had added to the text that was replaced; it is still there.
    """

    raw: bytes
    written: str | bool = False
    kept: str = ""


def replace_words(workspace: Workspace, memory: Memory, raw: bytes, text: str, *, if_unclear: str = "") -> NoteChange:
    """A memory's note with our text replaced; a person's words around it stay.

    If the two cannot be told apart, raises Conflict with `if_unclear` as the hint. Without `if_unclear`, the whole text
    is replaced, which only an operation that announces it may do.
    """
    body = split(raw).body
    for ours in list(_written(workspace.folder, memory, body)) or _if_untouched(workspace.folder, memory, body):
        found = _around(body, ours)
        if found is not None:
            before, after = found
            kept = (before + after).strip()
            new = f"{before}{text}{after or chr(10)}" if kept else f"{text}\n"
            return NoteChange(replace_body(raw, new), text if kept else True, kept)
    if if_unclear and body.strip():
        raise Conflict(f"{memory.id}: its text was written or changed by hand, and nothing was replaced", if_unclear)
    return NoteChange(replace_body(raw, f"{text}\n"), written=True)


def _written(folder: Folder, memory: Memory, body: str) -> Iterator[str]:
    """The texts that we wrote into a memory, newest first; older ones count because an undo may have restored one."""
    for revision in reversed(of_memory(folder, memory.id)):
        if isinstance(revision.written, str):
            yield revision.written
        elif revision.after is not None and (revision.written or revision.command in _REPLACED_ALL):
            note = split_text(revision.after)
            if note.front is not None:  # else only the front matter changed
                yield note.body
    for entry in journal.entries(folder):
        for step in entry.steps if entry.command in _MAKING and memory.id in entry.ids else ():
            if isinstance(step, FileStep) and step.before is None and id_in(step.after or b"") == memory.id:
                yield split_text((step.after or b"").decode(errors="replace")).body
            elif isinstance(step, MadeStep) and step.says(body):
                yield body


def _if_untouched(folder: Folder, memory: Memory, body: str) -> list[str]:
    """The text of a note that was not written again after it was made, even if the journal does not go back so far."""
    found = folder.tree.stat(memory.path)
    age = found.st_mtime_ns / 1e9 - memory.created.timestamp() if found else -1.0
    return [body] if 0 <= age < _AT_ONCE else []


def _around(body: str, ours: str) -> tuple[str, str] | None:
    """The text before and after ours in a note; a block id at the end is not ours."""
    wanted = ours.strip().splitlines()
    lines = body.splitlines(keepends=True)
    bare = [line.rstrip() for line in lines]
    for start in range(len(lines) - len(wanted) + 1 if wanted else 0):
        end = start + len(wanted)
        block = _BLOCK_ID.search(bare[end - 1]) if not _BLOCK_ID.search(wanted[-1]) else None
        last = bare[end - 1][: block.start()] if block else bare[end - 1]
        if [*bare[start : end - 1], last] == [line.rstrip() for line in wanted]:
            newline = lines[end - 1][len(lines[end - 1].rstrip("\r\n")) :]
            after = (block.group() if block else "") + newline + "".join(lines[end:])
            return "".join(lines[:start]), after
    return None
