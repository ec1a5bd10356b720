"""mem0: the JSON of get_all() or of a memory export."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path
from typing import Any

from vault_mem.imports.items import BadItem, Found, Item, documents, line, moment, records, short_hash, words
from vault_mem.imports.transcripts.reading import mapping

NAME = "mem0"


def recognises(path: Path) -> bool:
    """A JSON document with records that have a `memory`."""
    if path.suffix.lower() != ".json":
        return False
    _, document = next(documents(path))
    first = (_records(document) or [None])[0]
    return isinstance(first, dict) and isinstance(first.get("memory"), str)


def read(path: Path, zone: tzinfo) -> Found:
    """Every record."""
    return records(path, NAME, _records, _item)


def _records(document: Any) -> list[Any] | None:
    """The list, wherever a version of mem0 puts it."""
    if isinstance(document, dict):
        document = next((document[key] for key in ("results", "memories", "data") if key in document), None)
        document = _records(document) if isinstance(document, dict) else document
    return document if isinstance(document, list) else None


def _item(record: Any, where: str) -> Item | BadItem:
    if not isinstance(record, dict):
        return BadItem(f"{NAME}:{where}", "not a record")
    content = next((record[key] for key in ("memory", "content", "text", "data") if record.get(key)), None)
    if not isinstance(content, str) or not content.strip():
        return BadItem(f"{NAME}:{record.get('id') or where}", "it has no text")
    metadata = mapping(record.get("metadata"))
    category = line(metadata.get("category"))
    fields: dict[str, Any] = {"tags": words([*words(record.get("categories")), *words(metadata.get("tags"))])}
    return Item(
        source=f"{NAME}:{line(record.get('id')) or short_hash(content)}",
        content=content,
        created=moment(record.get("created_at")),
        fields=fields | ({"category": category} if category else {}),
    )
