"""Cursor: a file of JSON lines per conversation, below `~/.cursor/projects/`, without times."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vault_mem.imports.items import moment
from vault_mem.imports.transcripts.reading import Source, Step, lines, mapping, named, own_words, private_in, texts
from vault_mem.notes.session import ASSISTANT, USER, Turn

NAME = "cursor"
HOME = ("", ".cursor", "projects")
_QUERY = re.compile(r"</?user_query>")
transcripts = named("agent-transcripts/**/*.jsonl")


def read(source: Source, start: int) -> Iterator[Step]:
    """What was said, from an offset of the file on."""
    for position, found in lines(source.path, start):
        record = mapping(found)
        message = mapping(record.get("message"))
        role, content = record.get("role") or message.get("role"), message.get("content")
        if role not in (USER, ASSISTANT):
            yield Step(position)
            continue
        parts = [mapping(part) for part in content] if isinstance(content, list) else []
        calls = [part for part in parts if part.get("type") in ("tool_use", "tool_call")]
        text = _QUERY.sub("", own_words(texts(content, "text"))).strip()
        names = tuple(str(part.get("name")) for part in calls)
        private = private_in((), *(part for part in parts if part.get("type") != "text"))
        yield Step(position, Turn(role, text, moment(record.get("timestamp")), names, private))
