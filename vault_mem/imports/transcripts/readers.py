"""The readers of transcripts."""

from __future__ import annotations

from types import ModuleType

from vault_mem.imports.transcripts import claude_code, codex, cursor, gemini, openclaw_sessions, opencode, qwen

READERS: dict[str, ModuleType] = {
    reader.NAME: reader for reader in (claude_code, codex, cursor, gemini, opencode, openclaw_sessions, qwen)
}


def reader_of(agent: str) -> ModuleType | None:
    """The reader of an agent's transcripts, if there is one."""
    return READERS.get(agent) or READERS.get(f"{agent}-sessions")
