"""JSON Lines as `vault-mem export` writes them: whole memories, ids and links included."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from vault_mem.errors import InvalidInput
from vault_mem.imports.items import BadItem, Found, Item
from vault_mem.model import LINK_TYPES, MEMORY_ID, TIME_KEYS, Memory, from_record
from vault_mem.notes.links import WIKILINK

NAME = "jsonl"
_NEEDED = ("id", "content", "created")
_FIELDS = {each.name for each in fields(Memory)}


def recognises(path: Path) -> bool:
    """A file that ends in .jsonl."""
    return path.suffix.lower() in (".jsonl", ".ndjson")


def read(path: Path, zone: tzinfo) -> Found:
    """Every line."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    for number, raw in enumerate(lines, start=1):
        if raw.strip():
            yield _item(raw, f"{NAME}:{path.name}#L{number}", zone)


def _item(raw: bytes, where: str, zone: tzinfo) -> Item | BadItem:
    try:
        record = json.loads(raw.decode("utf-8-sig"))
        lacking = [name for name in _NEEDED if not isinstance(record, dict) or name not in record]
        if lacking:
            return BadItem(where, f"not a memory as export writes it: no {' and no '.join(lacking)}")
        memory = from_record({name: value for name, value in record.items() if name in _FIELDS})
        for name in TIME_KEYS:
            value = getattr(memory, name)
            if isinstance(value, datetime) and value.tzinfo is None:
                setattr(memory, name, value.replace(tzinfo=zone))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return BadItem(where, f"not a memory as export writes it: {error}")
    if not _sound(memory):
        return BadItem(where, "not a memory as export writes it: a value of the wrong kind")
    return Item(memory.source or f"{NAME}:{memory.id}", memory.content, memory.created, memory=memory)


def _sound(memory: Memory) -> bool:
    """Whether the values that drafts do not check are valid; the file may come from anybody."""
    texts = [memory.id, memory.path, memory.title, *_list(memory.aliases), *_list(memory.supersedes)]
    texts += [text for link in memory.links for text in (link.target, link.title)]
    if not all(isinstance(text, str) and "\n" not in text for text in texts):
        return False
    names = [*memory.supersedes, *(link.target for link in memory.links)]
    return (
        bool(MEMORY_ID.fullmatch(memory.id))
        and isinstance(memory.created, datetime)
        and isinstance(memory.last_confirmed, datetime | None)
        and all(WIKILINK.fullmatch(f"[[{name}]]") for name in names)
        and all(link.type in LINK_TYPES and isinstance(link.confidence, int | float | None) for link in memory.links)
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [None]
