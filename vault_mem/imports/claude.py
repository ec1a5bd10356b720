"""Claude: the conversations of a data export, and its memories.json."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path
from typing import Any

from vault_mem.imports.items import BadItem, Found, Item, blocks, conversation, documents, line, moment, short_hash
from vault_mem.imports.transcripts.reading import mapping, objects, texts

NAME = "claude"
_SPEAKERS = {"human": "User", "assistant": "Claude"}


def recognises(path: Path) -> bool:
    """An export whose conversations have `chat_messages`, or its memories."""
    if not path.is_dir() and path.suffix.lower() not in (".json", ".zip"):
        return False
    for _, document in documents(path, "conversations*.json", "memories.json"):
        first = document[0] if isinstance(document, list) and document else document
        if isinstance(first, dict) and ("chat_messages" in first or "conversations_memory" in first):
            return True
    return False


def read(path: Path, zone: tzinfo) -> Found:
    """Every conversation, and every paragraph of the memories."""
    for name, document in documents(path, "conversations*.json", "memories.json"):
        if isinstance(document, BadItem):
            yield document
            continue
        for number, record in enumerate(document if isinstance(document, list) else [document], start=1):
            where = f"{NAME}:{name}#{number}"
            if isinstance(record, dict) and "chat_messages" in record:
                yield _conversation(record, where)
            elif isinstance(record, dict) and ("conversations_memory" in record or "project_memories" in record):
                yield from _memories(record)
            else:
                yield BadItem(where, "neither a conversation nor memories")


def _memories(record: dict[str, Any]) -> Found:
    projects = mapping(record.get("project_memories"))
    told = {"memory": record.get("conversations_memory")} | {f"project/{key}": text for key, text in projects.items()}
    for name, text in told.items():
        for block in blocks(text if isinstance(text, str) else ""):
            content = f"{block.heading}: {block.text}" if block.heading else block.text
            yield Item(f"{NAME}:{name}#{short_hash(content)}", content, fields={"kind": "fact"})


def _conversation(record: dict[str, Any], where: str) -> Item | BadItem:
    parts = []
    for message in objects(record["chat_messages"]):
        sender = _SPEAKERS.get(str(message.get("sender")))
        text = _text(message) if sender else ""
        if text:
            parts.append(f"**{sender}:** {text}")
    created = moment(record.get("created_at"))
    return conversation(NAME, line(record.get("uuid")), line(record.get("name")), parts, created, where)


def _text(message: dict[str, Any]) -> str:
    """A message's text, which newer exports split into parts."""
    if isinstance(message.get("text"), str) and message["text"].strip():
        return str(message["text"]).strip()
    content = message.get("content")
    return texts(content, "text").strip() if isinstance(content, list) else ""
