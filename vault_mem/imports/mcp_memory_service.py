"""mcp-memory-service: its JSON export."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path
from typing import Any

from vault_mem.imports.items import BadItem, Found, Item, documents, line, moment, short_hash, words

NAME = "mcp-memory-service"


def recognises(path: Path) -> bool:
    """A JSON document with memories that have a content_hash."""
    if path.suffix.lower() != ".json":
        return False
    _, document = next(documents(path))
    records = document.get("memories") if isinstance(document, dict) else None
    return bool(isinstance(records, list) and records and isinstance(records[0], dict) and "content_hash" in records[0])


def read(path: Path, zone: tzinfo) -> Found:
    """Every memory of the export."""
    for name, document in documents(path, "*.json"):
        records = document.get("memories") if isinstance(document, dict) else None
        if not isinstance(records, list):
            yield document if isinstance(document, BadItem) else BadItem(f"{NAME}:{name}", "no list of memories in it")
            continue
        for number, record in enumerate(records, start=1):
            yield _item(record, f"{name}#{number}")


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
