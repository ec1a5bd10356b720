"""opencode: one database for all sessions, `~/.local/share/opencode/opencode.db`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vault_mem.imports.databases import database_at, rows
from vault_mem.imports.items import moment
from vault_mem.imports.transcripts.reading import Source, Step, mapping, parsed, turn
from vault_mem.notes.session import ASSISTANT, USER, Opening, Turn

NAME = "opencode"
HOME = ("", ".local/share/opencode", "opencode.db")
HOLDS_MANY = True


def transcripts(path: Path) -> Iterator[Source]:
    """The sessions of a database, without those of subagents."""
    database = database_at(path, "opencode.db")
    if database.is_file():
        for (id_,) in rows(database, "SELECT id FROM session WHERE parent_id IS NULL ORDER BY time_created, id"):
            yield Source(database, str(id_))


def read(source: Source, start: int) -> Iterator[Step]:
    """What was said after a number of messages."""
    found = rows(source.path, "SELECT directory, time_created FROM session WHERE id = ?", source.id)
    for folder, created in found if not start else ():
        yield Step(0, Opening(source.id, str(folder or ""), "", moment(created)))
    messages = "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id"
    for number, (id_, created, data) in enumerate(rows(source.path, messages, source.id), start=1):
        message = mapping(parsed(data))
        if message.get("role") == ASSISTANT and "completed" not in mapping(message.get("time")):
            return  # it is still being written
        if number > start:
            yield Step(number, _turn(source.path, str(id_), moment(created), message))


def _turn(database: Path, id_: str, at: Any, message: dict[str, Any]) -> Turn | None:
    if message.get("role") not in (USER, ASSISTANT):
        return None
    found = rows(database, "SELECT data FROM part WHERE message_id = ? ORDER BY id", id_)
    parts = [mapping(parsed(data)) for (data,) in found]
    said = [part.get("text") for part in parts if part.get("type") == "text" and not part.get("synthetic")]
    used = [(part.get("tool"), mapping(part.get("state"))) for part in parts if part.get("type") == "tool"]
    calls, results = [(name, state.get("input")) for name, state in used], [state.get("output") for _, state in used]
    return turn(message["role"], "\n".join(each for each in said if isinstance(each, str)), at, calls, *results)
