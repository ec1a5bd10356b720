"""tag: add tags to a memory and take others off."""

from __future__ import annotations

from collections.abc import Iterable

from vault_mem import redact
from vault_mem.errors import InvalidInput
from vault_mem.model import Memory
from vault_mem.notes.edit import edit
from vault_mem.notes.links import name_key
from vault_mem.notes.parse import written_words
from vault_mem.operations.memory.results import writable
from vault_mem.operations.upkeep.by_hand import NoteChange
from vault_mem.operations.upkeep.edit_memory import EditResult, change_memory
from vault_mem.operations.workspace import Workspace


def tag(workspace: Workspace, id_: str, add: Iterable[str] = (), remove: Iterable[str] = ()) -> EditResult:
    """Add tags and take others off; tags compare without regard to case, as Obsidian's do."""
    given, off = list(add), list(remove)

    def change(memory: Memory, raw: bytes) -> NoteChange:
        if memory.private:
            redact.seal({"tags": [*given, *off]})  # first: errors may quote what was given
        wanted = {name_key(each): each for each in map(_tag, given)}
        unwanted = {name_key(_tag(each)) for each in off}
        both = [each for key, each in wanted.items() if key in unwanted]
        if both:
            raise InvalidInput(f"{both[0]} cannot be added and removed at once")
        present = written_words(raw, "tags")
        stay = [text for text in present if name_key(text.lstrip("#")) not in unwanted]
        known = {name_key(text.lstrip("#")) for text in stay}
        tags = [*stay, *(text for key, text in wanted.items() if key not in known)]
        return NoteChange(raw if tags == present else edit(raw, {"tags": tags or None}))

    return change_memory(workspace, id_, change, "tag", "")


def _tag(text: str) -> str:
    found = writable(text, "a tag").strip().lstrip("#").strip()
    if not found or any(sign in found for sign in ",、\n\r"):
        raise InvalidInput(f"{text!r} cannot be a tag", "a tag is one word or a few, without a comma")
    return found
