"""A new note: the text of a memory's file, and its name."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, tzinfo
from typing import Any

from vault_mem.fields import Form
from vault_mem.model import FIELDS, META, Episode, Memory, digits_of
from vault_mem.notes.links import write_link
from vault_mem.notes.yamlish import quoted, scalar

SLUG_LENGTH = 40

_ALWAYS_WRITTEN = ("importance", "private")  # always written


def note_text(memory: Memory, zone: tzinfo) -> str:
    """The text of a new memory's file."""
    lines = ["---", f"id: {memory.id}", f"created: {written(memory.created, zone)}"]
    for name, each in FIELDS.items():
        value = getattr(memory, name)
        if name not in _ALWAYS_WRITTEN and value in (None, [], each.default):
            continue
        if each.form is Form.NAMES:
            value = [f"[[{target}]]" for target in value]
        lines += _lines(name, value, zone)
    for name, noted in memory.metadata.items():
        lines += _lines(f"{META}{name}", noted, zone)
    lines += _lines("links", [write_link(link) for link in memory.links], zone)
    return "\n".join([*lines, "---", memory.content]) + "\n"


def file_name(memory: Memory | Episode) -> str:
    """Private notes are named by their id alone; others by a slug that ends in the id's first 8 hex."""
    if memory.private:
        return f"{memory.id}.md"
    return f"{slug(memory.title)}-{digits_of(memory.id)}.md"


def slug(title: str) -> str:
    """A short, readable file name; letters of all scripts stay."""
    text = unicodedata.normalize("NFKC", title).casefold()
    text = unicodedata.normalize("NFC", "".join(_unaccented(sign) for sign in text))
    words = re.sub(r"[\W_]+", "-", text).strip("-")
    return words[:SLUG_LENGTH].strip("-") or "memory"


def _unaccented(sign: str) -> str:
    """é as e; but が stays が: only Latin letters lose their marks."""
    base = unicodedata.normalize("NFD", sign)[0]
    return base if base.isascii() else sign


def _lines(key: str, value: Any, zone: tzinfo) -> list[str]:
    if isinstance(value, list):
        if not value:
            return [f"{key}: []"]
        return [f"{key}:", *(f"  - {quoted(item) if '[[' in item else scalar(item)}" for item in value)]
    return [f"{key}: {written(value, zone)}"]


def written(value: Any, zone: tzinfo) -> str:
    """A value as it is written in front matter, times in the vault's zone."""
    return scalar(value.astimezone(zone) if isinstance(value, datetime) else value)
