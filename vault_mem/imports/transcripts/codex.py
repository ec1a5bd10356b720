"""Codex: a file of JSON lines per session (a rollout), below `~/.codex/sessions/`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from vault_mem.imports.items import moment
from vault_mem.imports.transcripts.reading import Source, Step, lines, mapping, named, own_words, private_in, texts
from vault_mem.notes.session import ASSISTANT, USER, Opening, Turn

NAME = "codex"
HOME = ("CODEX_HOME", ".codex", "sessions")
# Quotes inside a text are escaped, so this only matches the type of a record. Events repeat other records.
_OUTPUT = re.compile(rb'"type": ?"(?:event_msg|[a-z_]+_output)"')
_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "mcp_tool_call")
transcripts = named("rollout-*.jsonl")


def read(source: Source, start: int) -> Iterator[Step]:
    """What was said, from an offset of the file on."""
    for position, found in lines(source.path, start, _OUTPUT.search):
        record = mapping(found)
        kind, payload, at = record.get("type"), mapping(record.get("payload")), moment(record.get("timestamp"))
        if kind == "session_meta":
            branch = str(mapping(payload.get("git")).get("branch") or "")
            yield Step(position, Opening(str(payload.get("id", "")), str(payload.get("cwd", "")), branch, at))
        else:
            yield Step(position, _turn(payload, at) if kind == "response_item" else None)


def _turn(payload: dict[str, Any], at: Any) -> Turn | None:
    kind = payload.get("type")
    if kind == "message" and payload.get("role") in (USER, ASSISTANT):
        text = own_words(texts(payload.get("content"), "input_text", "output_text", "text"))
        if payload["role"] == USER and text.startswith("# AGENTS.md instructions"):
            return None
        return Turn(payload["role"], text, at)
    if kind in _CALLS:
        given = _parsed(payload.get("arguments") or payload.get("input") or payload.get("action"))
        name = str(payload.get("name") or kind)
        return Turn(ASSISTANT, "", at, (name,), private_in([(f"{payload.get('namespace', '')} {name}", given)]))
    if isinstance(kind, str) and kind.endswith("_output"):
        return Turn(USER, "", at, (), private_in((), _parsed(payload.get("output"))))
    return None


def _parsed(value: Any) -> Any:
    """Arguments, which are JSON in a text."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value
