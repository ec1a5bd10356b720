"""Qwen Code: a file of JSON lines per session, below `~/.qwen/projects/*/chats/`; messages in Gemini's parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from vault_mem.imports.transcripts.reading import (
    Source,
    Step,
    is_ours,
    lines,
    mapping,
    moment,
    own_words,
    private_texts,
    texts,
)
from vault_mem.notes.session import ASSISTANT, USER, Opening, Turn

NAME = "qwen"
HOME = ("QWEN_HOME", ".qwen", "projects")
_OUTPUT = re.compile(rb'"type": ?"(?:tool_result|system)"')  # quotes inside a text are escaped


def transcripts(path: Path) -> Iterator[Source]:
    """The sessions below a folder."""
    for each in [path] if path.is_file() else sorted(path.rglob("chats/*.jsonl")):
        if not each.is_symlink():
            yield Source(each)


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
        parts = [mapping(part) for part in content] if isinstance(content, list) else []
        if kind == "tool_result":
            private = tuple(text for part in parts for text in private_texts(part.get("functionResponse")))
            yield Step(position, Turn(USER, "", at, (), private))
        elif kind in (USER, ASSISTANT):
            said = [part for part in parts if not part.get("thought")]
            calls = [mapping(part["functionCall"]) for part in parts if "functionCall" in part]
            private = tuple(text for call in calls if is_ours(call.get("name"), call.get("args"))
                            for text in private_texts(call.get("args")))  # fmt: skip
            names = tuple(str(call.get("name")) for call in calls)
            yield Step(position, Turn(str(kind), own_words(texts(said)), at, names, private))
        else:
            yield Step(position)
