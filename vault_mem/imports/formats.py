"""The formats, and how the format of a file or folder is recognised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vault_mem.errors import InvalidInput
from vault_mem.imports import (
    basic_memory,
    chatgpt,
    claude,
    claude_code_memory,
    claude_mem,
    jsonl,
    markdown,
    mcp_memory_service,
    mem0,
    mempalace,
    memsearch,
    openclaw,
)
from vault_mem.imports.conversations import Conversations
from vault_mem.imports.transcripts.readers import READERS as TRANSCRIPTS

# The order in which they are tried: specific formats before general ones.
_MODULES: tuple[Any, ...] = (
    jsonl,
    mcp_memory_service,
    mem0,
    claude,
    chatgpt,
    claude_mem,
    mempalace,
    memsearch,
    openclaw,
    basic_memory,
)
READERS: dict[str, Any] = {
    reader.NAME: reader
    for reader in (*_MODULES, markdown, claude_code_memory, *map(Conversations, TRANSCRIPTS.values()))
}
FORMATS = ("auto", *sorted(READERS))


def reader_for(path: Path, format_: str = "auto") -> Any:
    """The reader of a format, or the one that recognises the source."""
    if not path.exists():
        raise InvalidInput(f"{path} does not exist", "name a file or folder to import from")
    if format_ != "auto":
        if format_ not in READERS:
            raise InvalidInput(f"unknown format {format_!r}", f"one of {', '.join(FORMATS)}")
        return READERS[format_]
    for reader in READERS.values():
        if reader.recognises(path):
            return reader
    raise InvalidInput(f"{path} is in no format that is known here", f"--format: one of {', '.join(FORMATS[1:])}")
