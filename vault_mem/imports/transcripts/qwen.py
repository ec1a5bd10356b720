"""Qwen Code: a file of JSON lines per session, below `~/.qwen/projects/*/chats/`, with parts as in Gemini's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vault_mem.imports.items import moment
from vault_mem.imports.transcripts.reading import Source, Step, lines, mapping, named, objects, texts, turn
from vault_mem.notes.session import ASSISTANT, USER, Opening

NAME = "qwen"
HOME = ("QWEN_HOME", ".qwen", "projects")
_OUTPUT = re.compile(rb'"type": ?"(?:tool_result|system)"')  # quotes inside a text are escaped
transcripts = named("chats/*.jsonl")


def read(source: Source, start: int) -> Iterator[Step]:
    """What was said, from an offset of the file on."""
    opened = bool(start)
    for position, found in lines(source.path, start, _OUTPUT.search):
        record = mapping(found)
        at = moment(record.get("timestamp"))
        if not opened and isinstance(record.get("sessionId"), str):
            opened = True
            branch = str(record.get("gitBranch") or "")
            yield Step(position, Opening(record["sessionId"], str(record.get("cwd") or ""), branch, at))
        kind, content = record.get("type"), mapping(record.get("message")).get("parts")
        parts = objects(content)
        if kind == "tool_result":
            yield Step(position, turn(USER, "", at, (), *(part.get("functionResponse") for part in parts)))
        elif kind in (USER, ASSISTANT):
            said = [part for part in parts if not part.get("thought")]
            calls = [mapping(part["functionCall"]) for part in parts if "functionCall" in part]
            given = [(call.get("name"), call.get("args")) for call in calls]
            yield Step(position, turn(str(kind), texts(said), at, given))
        else:
            yield Step(position)
