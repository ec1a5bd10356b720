"""ChatGPT: the conversations of a data export, the memories saved in them, and lists of saved memories."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path
from typing import Any

from vault_mem.imports.items import BadItem, Found, Item, conversation, documents, line, moment, short_hash
from vault_mem.imports.transcripts.reading import mapping

NAME = "chatgpt"
_FILES = ("conversations.json", "conversations-*.json", "memories.json", "memory.json")
_SPEAKERS = {"user": "User", "assistant": "ChatGPT"}


def recognises(path: Path) -> bool:
    """An export whose conversations have a `mapping`."""
    if not path.is_dir() and path.suffix.lower() not in (".json", ".zip"):
        return False
    for _, document in documents(path, "conversations*.json"):
        first = document[0] if isinstance(document, list) and document else None
        if isinstance(first, dict) and "mapping" in first:
            return True
    return False


def read(path: Path, zone: tzinfo) -> Found:
    """The memories that were saved in each conversation, then the conversation."""
    for name, document in documents(path, *_FILES):
        records = document.get("memories") if isinstance(document, dict) else document
        if not isinstance(records, list):
            yield document if isinstance(document, BadItem) else BadItem(f"{NAME}:{name}", "no list in it")
            continue
        for number, record in enumerate(records, start=1):
            where = f"{NAME}:{name}#{number}"
            if isinstance(record, dict) and isinstance(record.get("mapping"), dict):
                yield from _conversation(record, where)
            else:
                yield _saved(record, where)


def _saved(record: Any, where: str) -> Item | BadItem:
    """One entry of a list of memories, which have no fixed format."""
    values = record if isinstance(record, dict) else {"content": record}
    content = next((values[key] for key in ("content", "memory", "text") if values.get(key)), None)
    if not isinstance(content, str) or not content.strip():
        return BadItem(where, "it has no text")
    key = line(values.get("id")) or short_hash(content)
    created = moment(values.get("created_at")) or moment(values.get("create_time"))
    return Item(f"{NAME}:memory/{key}", content, created, {"kind": "fact"})


def _conversation(record: dict[str, Any], where: str) -> Found:
    key = line(record.get("conversation_id")) or line(record.get("id"))
    created = moment(record.get("create_time"))
    parts = []
    for message in _thread(record):
        role, recipient, text = _said(message)
        if recipient == "bio" and text:
            noted = moment(message.get("create_time")) or created
            yield Item(f"{NAME}:{line(message.get('id')) or short_hash(text)}", text, noted, {"kind": "fact"})
        elif role in _SPEAKERS and recipient == "all" and text:
            parts.append(f"**{_SPEAKERS[role]}:** {text}")
    yield conversation(NAME, key, line(record.get("title")), parts, created, where)


def _thread(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages as last shown: from the current one back to the root. Edits left other branches."""
    mapping = record["mapping"]
    node = record.get("current_node")
    if node not in mapping:
        leaves = [name for name, each in mapping.items() if isinstance(each, dict) and not each.get("children")]
        node = leaves[-1] if leaves else None
    messages: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(node, str) and node in mapping and node not in seen and isinstance(mapping[node], dict):
        seen.add(node)
        message = mapping[node].get("message")
        if isinstance(message, dict):
            messages.append(message)
        node = mapping[node].get("parent")
    return messages[::-1]


def _said(message: dict[str, Any]) -> tuple[str, str, str]:
    author, content = mapping(message.get("author")), mapping(message.get("content"))
    hidden = mapping(message.get("metadata")).get("is_visually_hidden_from_conversation")
    parts = content["parts"] if isinstance(content.get("parts"), list) else []
    text = "\n".join(part for part in parts if isinstance(part, str)).strip()
    return str(author.get("role")), str(message.get("recipient") or "all"), "" if hidden else text
