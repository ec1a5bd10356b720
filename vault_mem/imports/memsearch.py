"""memsearch: the entries of the daily notes in `.memsearch/memory/`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo
from pathlib import Path

from vault_mem.imports.items import BadItem, Found, Item, blocks, short_hash
from vault_mem.imports.openclaw import day_of, timed

NAME = "memsearch"


def recognises(path: Path) -> bool:
    """A project with .memsearch/memory, or that folder itself."""
    return path.is_dir() and (".memsearch" in path.parts or (path / ".memsearch" / "memory").is_dir())


def read(path: Path, zone: tzinfo) -> Found:
    """The days in order; its session summaries are list items and paragraphs."""
    for file in _days(path):
        try:
            text = file.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            yield BadItem(f"{NAME}:{file.name}", f"cannot be read: {error}")
            continue
        day = day_of(file.stem, zone)
        for block in blocks(text):
            if block.text.startswith("<!--"):
                continue  # a reference to the transcript
            created, content = timed(block.text, day)
            yield Item(f"{NAME}:{file.name}#{short_hash(block.text)}", content, created)


def _days(path: Path) -> Iterator[Path]:
    inner = path / ".memsearch" / "memory"
    for each in sorted((inner if inner.is_dir() else path).rglob("*.md")):
        if each.is_file() and not each.is_symlink():
            yield each
