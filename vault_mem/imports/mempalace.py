"""MemPalace: the drawers of a palace, which are texts in a Chroma database (`chroma.sqlite3`)."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path
from typing import Any

from vault_mem.imports.databases import database_at, has_table, rows
from vault_mem.imports.items import BadItem, Found, Item, line, moment, words

NAME = "mempalace"
HOME = ("", ".mempalace", "palace")
_DATABASE = "chroma.sqlite3"
_DRAWERS = """
    SELECT e.id, e.embedding_id, e.created_at, m.key, m.string_value, m.int_value
    FROM embeddings e JOIN segments s ON s.id = e.segment_id JOIN collections c ON c.id = s.collection
    JOIN embedding_metadata m ON m.id = e.id WHERE c.name LIKE '%drawers%' ORDER BY e.id
"""


def recognises(path: Path) -> bool:
    """A folder with a Chroma database that has drawers."""
    database = database_at(path, _DATABASE)
    if not has_table(database, "collections", "embeddings", "embedding_metadata"):
        return False
    return any(rows(database, "SELECT 1 FROM collections WHERE name LIKE '%drawers%'"))


def read(path: Path, zone: tzinfo) -> Found:
    """Every drawer, with its wing and room as tags."""
    if not recognises(path):
        yield BadItem(f"{NAME}:{path.name}", "not a palace with drawers")
        return
    drawers: dict[str, dict[str, Any]] = {}
    for row in rows(database_at(path, _DATABASE), _DRAWERS):
        drawer = drawers.setdefault(str(row["embedding_id"]), {"at": row["created_at"]})
        drawer[str(row["key"])] = row["string_value"] if row["string_value"] is not None else row["int_value"]
    for id_, drawer in drawers.items():
        source, text = f"{NAME}:{id_}", drawer.get("chroma:document")
        if not isinstance(text, str) or not text.strip():
            yield BadItem(source, "it has no text")
            continue
        tags = words([each for name in ("wing", "room") if (each := line(drawer.get(name)))])
        yield Item(source, text, moment(drawer.get("filed_at")) or moment(drawer.get("at")), {"tags": tags})
