"""OpenClaw: a file of JSON lines per session, below `~/.openclaw/agents/AGENT/sessions/`."""

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

NAME = "openclaw-sessions"
HOME = ("OPENCLAW_STATE_DIR", ".openclaw", "agents")
_OUTPUT = re.compile(rb'"role": ?"toolResult"')  # quotes inside a text are escaped


def transcripts(path: Path) -> Iterator[Source]:
    """The sessions below a folder; copies that OpenClaw keeps when a session is reset or deleted are none."""
    for each in [path] if path.is_file() else sorted(path.rglob("sessions/*.jsonl")):
        if not each.is_symlink():
            yield Source(each)


def read(source: Source, start: int) -> Iterator[Step]:
    """What was said, from an offset of the file on."""
    for position, record in lines(source.path, start, _OUTPUT.search):
        kind = mapping(record).get("type")
        at = moment(mapping(record).get("timestamp"))
        if kind == "session":
            found = mapping(record)
            yield Step(position, Opening(str(found.get("id", "")), str(found.get("cwd") or ""), "", at))
            continue
        message = mapping(mapping(record).get("message"))
        role, content = message.get("role"), message.get("content")
        if kind != "message" or role not in (USER, ASSISTANT, "toolResult"):
            yield Step(position)
            continue
        calls = [part for part in map(mapping, content if isinstance(content, list) else ())
                 if part.get("type") == "toolCall"]  # fmt: skip
        if role == "toolResult":
            yield Step(position, Turn(USER, "", at, (), private_texts(content)))
            continue
        private = [text for part in calls if is_ours(part.get("name"), part.get("arguments"))
                   for text in private_texts(part.get("arguments"))]  # fmt: skip
        names = tuple(str(part.get("name")) for part in calls)
        yield Step(position, Turn(role, own_words(texts(content, "text")), at, names, tuple(private)))
