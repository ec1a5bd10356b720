"""Gemini: a file per session, below `~/.gemini/tmp/*/chats/`; one JSON document, or in newer versions JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vault_mem.imports.items import moment
from vault_mem.imports.transcripts.reading import Source, Step, document, lines, mapping, named, objects, texts, turn
from vault_mem.notes.session import ASSISTANT, USER, Opening, Turn

NAME = "gemini"
HOME = ("", ".gemini", "tmp")
_ROLES = {"user": USER, "gemini": ASSISTANT, "model": ASSISTANT}
transcripts = named("chats/*.json", "chats/*.jsonl")


def read(source: Source, start: int) -> Iterator[Step]:
    """What was said since: in JSON lines after an offset, in a document after a number of messages."""
    if source.path.suffix == ".jsonl":
        seen: set[str] = set()
        for position, record in lines(source.path, start):
            yield Step(position, _said(mapping(record), seen))
        return
    whole = mapping(document(source.path))
    if not start:
        yield Step(0, _opening(whole))
    messages = whole.get("messages")
    for number, message in enumerate(messages if isinstance(messages, list) else [], start=1):
        if number > start:
            yield Step(number, _turn(mapping(message)))


def _said(record: dict[str, Any], seen: set[str]) -> Turn | Opening | None:
    """What a line says: the session's head, or a message. A message that grew is written again with the same id."""
    if "sessionId" in record and "type" not in record:
        return _opening(record)
    said, id_ = _turn(record), str(record.get("id", ""))
    if said is None or (id_ in seen and not said.private):
        return None
    if said.text:
        seen.add(id_)
    return said


def _opening(record: dict[str, Any]) -> Opening:
    folders = record.get("directories")
    project = folders[0] if isinstance(folders, list) and folders and isinstance(folders[0], str) else ""
    return Opening(str(record.get("sessionId", "")), project, "", moment(record.get("startTime")))


def _turn(message: dict[str, Any]) -> Turn | None:
    role = _ROLES.get(str(message.get("type") or message.get("role")))
    if role is None:
        return None
    made = objects(message.get("toolCalls"))
    calls = [(call.get("name"), call.get("args")) for call in made]
    at = moment(message.get("timestamp"))
    return turn(role, texts(message.get("content")), at, calls, *(call.get("result") for call in made))
