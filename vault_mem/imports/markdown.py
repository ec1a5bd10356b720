"""A folder of Markdown notes: a memory for each, with the fields of its front matter that we know."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo
from pathlib import Path

from vault_mem.fields import Form
from vault_mem.imports.items import BadItem, Found, Item, markdown_files
from vault_mem.model import GIVEN, Memory
from vault_mem.notes.links import stem_of
from vault_mem.notes.parse import Note, parse, read_time

NAME = "markdown"
# Problems that make a note unreadable; a value of the wrong type is just another convention.
_UNREADABLE = ("broken YAML", "front matter", "not UTF-8", "has NUL")

# Fields that name other notes or an author are not imported.
_FIELDS = [
    name for name, each in GIVEN.items() if each.form is not Form.NAMES and name not in ("private", "source", "scope")
]


def recognises(path: Path) -> bool:
    """Any Markdown file, or a folder with one."""
    return path.suffix.lower() == ".md" or (path.is_dir() and any(True for _ in markdown_files(path)))


def read(path: Path, zone: tzinfo) -> Found:
    """Every note, sorted by name."""
    for name, note in notes(path, zone):
        if isinstance(note, BadItem):
            yield note
            continue
        memory = note.memory
        stem = stem_of(name)
        yield Item(
            source=f"{NAME}:{name}",
            content=memory.content,
            created=(read_time(note.fields.get("date"), zone) if note.dated_by_file else None) or memory.created,
            fields=fields_of(memory),
            private=memory.private,
            names=(stem, name.removesuffix(".md"), memory.title, *memory.aliases),
            links=tuple((link.type, link.target) for link in memory.links),
        )


def notes(path: Path, zone: tzinfo, prefix: str = NAME) -> Iterator[tuple[str, Note | BadItem]]:
    """Every note below a folder, parsed, or why it could not be."""
    for name, file in markdown_files(path):
        source = f"{prefix}:{name}"
        try:
            raw = file.read_bytes()
            note = parse(raw, name, mtime=file.stat().st_mtime, zone=zone)
        except OSError as error:
            yield name, BadItem(source, f"cannot be read: {error.strerror}")
            continue
        wrong = [str(each.reason) for each in note.problems if each.reason.startswith(_UNREADABLE)]
        yield name, BadItem(source, wrong[0]) if wrong else note


def fields_of(memory: Memory) -> dict[str, object]:
    """The fields of a memory that a draft has."""
    return {name: getattr(memory, name) for name in _FIELDS}
