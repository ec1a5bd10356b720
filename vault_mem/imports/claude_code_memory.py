"""Claude Code's own memory: the notes in `~/.claude/projects/*/memory/`, one thought each."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path

from vault_mem.imports.items import BadItem, Found, Item
from vault_mem.notes.text import split_text

NAME = "claude-code-memory"
HOME = ("CLAUDE_CONFIG_DIR", ".claude", "projects")
_INDEX = "MEMORY.md"


def recognises(path: Path) -> bool:
    """Never detected, since any folder may contain one called memory."""
    return False


def read(path: Path, zone: tzinfo) -> Found:
    """The notes of all projects, without their index if there are others."""
    for folder in sorted(each for each in [path, *path.rglob("memory")] if each.name == "memory" and each.is_dir()):
        files = [each for each in sorted(folder.glob("*.md")) if each.is_file() and not each.is_symlink()]
        for file in [each for each in files if each.name != _INDEX] or files:
            source = f"{NAME}:{folder.parent.name}/{file.name}"
            try:
                text = split_text(file.read_bytes().decode("utf-8-sig")).body.strip()
            except (OSError, UnicodeDecodeError) as error:
                yield BadItem(source, f"cannot be read: {error}")
                continue
            yield Item(source, text, fields={"kind": "fact"}) if text else BadItem(source, "it has no text")
