"""mcp-memory-service: its JSON export."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path
from typing import Any

from vault_mem.imports.items import BadItem, Found, Item, documents, line, moment, records, short_hash, words

NAME = "mcp-memory-service"


def recognises(path: Path) -> bool:
    """A JSON document with memories that have a content_hash."""
    if path.suffix.lower() != ".json":
        return False
    _, document = next(documents(path))
    first = (_memories(document) or [None])[0]
    return isinstance(first, dict) and "content_hash" in first


def read(path: Path, zone: tzinfo) -> Found:
    """Every memory of the export."""
    return records(path, NAME, _memories, _item)


def _memories(document: Any) -> list[Any] | None:
    found = document.get("memories") if isinstance(document, dict) else None
    return found if isinstance(found, list) else None


def _item(record: Any, where: str) -> Item | BadItem:
    content = record.get("content") if isinstance(record, dict) else None
    if not isinstance(content, str) or not content.strip():
        return BadItem(f"{NAME}:{where}", "it has no text")
    category = line(record.get("memory_type"))
    return Item(
        source=f"{NAME}:{line(record.get('content_hash')) or short_hash(content)}",
        content=content,
        created=moment(record.get("created_at")) or moment(record.get("created_at_iso")),
        fields={"tags": words(record.get("tags"))} | ({"category": category} if category else {}),
    )
