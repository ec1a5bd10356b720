"""A person's words in a memory: told apart from ours, and kept where they are when ours are replaced (SPEC S-8).

What we wrote is in the revisions, and that of a new memory in the journal. Where it stands in the note as it was
written, all around it is the person's. Where it does not, somebody has worked on the text itself, and nobody can say
what may go.
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

# Obsidian's name for a paragraph, which others link to, at its end.
_BLOCK_ID = re.compile(r"[ \t]+\^[A-Za-z0-9-]+$")
# Earlier revisions do not say which part was ours: these commands replaced the whole text.
_REPLACED_ALL = ("remember", "remember --update", "import")
_MAKING = ("remember", "import", "tidy apply")
# A note written this soon after its date was written by the command that made it.
_AT_ONCE = 3.0


@dataclass(frozen=True)
class NoteChange:
    """Other bytes for a memory's file. `written`: which part of its text we wrote, or whether all of it.

    `kept` is what a person had added to a text of ours that was replaced: it is still there.
    """

    raw: bytes
    written: str | bool = False
    kept: str = ""


def replace_words(workspace: Workspace, memory: Memory, raw: bytes, text: str, *, if_unclear: str = "") -> NoteChange:
    """A memory's note with our text replaced; a person's words around it stay.

    Raises Conflict where they cannot be told apart; `if_unclear` is then what the caller can do about it. Without it,
    the whole text is replaced: for an operation that says so.
    """
    body = split(raw).body
    for ours in list(_written(workspace.folder, memory, body)) or _untouched(workspace.folder, memory, body):
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
    """The texts that we wrote into a memory, newest first; an undo may have brought back an older one."""
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


def _untouched(folder: Folder, memory: Memory, body: str) -> list[str]:
    """The text of a note that was last written when it was made: the journal does not reach back so far."""
    found = folder.tree.stat(memory.path)
    age = found.st_mtime_ns / 1e9 - memory.created.timestamp() if found else -1.0
    return [body] if 0 <= age < _AT_ONCE else []


def _around(body: str, ours: str) -> tuple[str, str] | None:
    """The text before and after ours in a note; a block id at its end is not ours."""
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
