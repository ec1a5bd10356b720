"""Claude Code: a file of JSON lines per session, below `~/.claude/projects/`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from vault_mem.imports.items import moment
from vault_mem.imports.transcripts.reading import Source, Step, lines, mapping, named, objects, texts, turn
from vault_mem.notes.session import ASSISTANT, USER, Opening

NAME = "claude-code"
HOME = ("CLAUDE_CONFIG_DIR", ".claude", "projects")
# Quotes inside a text are escaped, so these only match parts of a message.
_RESULT, _TEXT = re.compile(rb'"type": ?"tool_result"'), re.compile(rb'"type": ?"text"')


def transcripts(path: Path) -> Iterator[Source]:
    """The sessions below a folder, without those of subagents."""
    for each in named("*.jsonl")(path):
        if "subagents" not in each.path.parts and not each.path.name.startswith("agent-"):
            yield each


def read(source: Source, start: int) -> Iterator[Step]:
    """What was said, from an offset of the file on."""
    opened = False
    for position, record in lines(source.path, start, lambda line: _RESULT.search(line) and not _TEXT.search(line)):
        if record is None or record.get("isSidechain") or record.get("isMeta") or record.get("isCompactSummary"):
            yield Step(position)
            continue
        at = moment(record.get("timestamp"))
        if not opened and isinstance(record.get("sessionId"), str) and "cwd" in record:
            opened = True
            branch = str(record.get("gitBranch") or "")
            yield Step(position, Opening(record["sessionId"], str(record["cwd"]), branch, at))
        message = mapping(record.get("message"))
        if record.get("type") not in (USER, ASSISTANT) or message.get("role") not in (USER, ASSISTANT):
            yield Step(position)
            continue
        content, parts = message.get("content"), objects(message.get("content"))
        calls = [(part.get("name"), part.get("input")) for part in parts if part.get("type") == "tool_use"]
        results = [part.get("content") for part in parts if part.get("type") == "tool_result"]
        yield Step(position, turn(message["role"], texts(content, "text"), at, calls, *results))
