"""OpenClaw: a database per agent, `~/.openclaw/agents/AGENT/agent/openclaw-agent.sqlite`, with the events of sessions.

Older versions keep the same events as a file of JSON lines per session, in `sessions/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vault_mem.imports.databases import rows
from vault_mem.imports.items import moment
from vault_mem.imports.transcripts.reading import (
    LONGEST_LINE,
    Source,
    Step,
    lines,
    mapping,
    objects,
    parsed,
    texts,
    turn,
)
from vault_mem.notes.session import ASSISTANT, USER, Opening, Turn

NAME = "openclaw-sessions"
AGENT = "openclaw"
HOLDS_MANY = True
_DATABASE = "agent/openclaw-agent.sqlite"
HOME = ("OPENCLAW_STATE_DIR", ".openclaw", "agents")
_OUTPUT = re.compile(rb'"role": ?"toolResult"')  # quotes inside a text are escaped


def transcripts(path: Path) -> Iterator[Source]:
    """The sessions below a folder, in files and databases, without copies of reset or deleted ones."""
    seen: set[str] = set()
    for each in [path] if path.is_file() else [*sorted(path.rglob(_DATABASE)), *sorted(path.rglob("sessions/*.jsonl"))]:
        if each.is_symlink():
            continue
        if each.suffix == ".sqlite":
            for (id_,) in rows(each, "SELECT session_id FROM transcript_events GROUP BY session_id ORDER BY 1"):
                seen.add(str(id_))
                yield Source(each, str(id_))
        elif each.stem not in seen:  # else it has moved into the database
            yield Source(each)


def known_as(database: Path, name: str) -> str:
    """The id of a session, given its key, which some hooks use."""
    query = "SELECT current_session_id FROM session_nodes WHERE session_key = ?"
    return next((str(id_) for (id_,) in rows(database, query, name)), name)


def read(source: Source, start: int) -> Iterator[Step]:
    """What was said since: in a file after an offset, in a database after a number of events."""
    if source.path.suffix != ".sqlite":
        for position, record in lines(source.path, start, _OUTPUT.search):
            yield Step(position, _said(mapping(record)))
        return
    columns = "seq, event_json, event_zstd, event_utf8_bytes"
    query = f"SELECT {columns} FROM transcript_events WHERE session_id = ? AND seq >= ? ORDER BY seq"
    for number, event, packed, size in rows(source.path, query, source.id, start):
        yield Step(number + 1, _said(mapping(parsed(event if packed is None else _unpacked(packed, size)))))


def _unpacked(packed: bytes, size: int) -> bytes:
    """A long event, which OpenClaw compresses; empty if it cannot be read."""
    import pyarrow

    try:
        plain = pyarrow.Codec("zstd").decompress(packed, decompressed_size=min(size, LONGEST_LINE), asbytes=True)
    except (OSError, ValueError, TypeError):
        return b""
    return bytes(plain)


def _said(record: dict[str, Any]) -> Turn | Opening | None:
    at = moment(record.get("timestamp"))
    if record.get("type") == "session":
        return Opening(str(record.get("id", "")), str(record.get("cwd") or ""), "", at)
    message = mapping(record.get("message"))
    role, content = message.get("role"), message.get("content")
    if record.get("type") != "message" or role not in (USER, ASSISTANT, "toolResult"):
        return None
    if role == "toolResult":
        return turn(USER, "", at, (), content)
    calls = [part for part in objects(content) if part.get("type") == "toolCall"]
    return turn(role, texts(content, "text"), at, [(part.get("name"), part.get("arguments")) for part in calls])
