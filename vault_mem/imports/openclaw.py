"""An OpenClaw workspace: the entries of the daily logs in memory/ and of the curated MEMORY.md."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from vault_mem.imports.items import BadItem, Found, Item, blocks, short_hash
from vault_mem.notes.text import split_text

NAME = "openclaw"
# Lines that vault-mem itself wrote there are views of memories, and not imported.
_VIEW = re.compile(r"^[^\n]*\[id:mem_[0-9a-f]{12}\][^\n]*(?:\n|\Z)", re.MULTILINE)
_MANAGED = re.compile(r"<!-- vault-mem:begin.*?<!-- vault-mem:end[^\n]*(?:\n|\Z)", re.DOTALL)
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_TIME = re.compile(r"\**(?:\[)?([01]?\d|2[0-3]):([0-5]\d)(?:\])?\**\s*(?:[-–—:]\s*)?")
CURATED_IMPORTANCE = 4


def recognises(path: Path) -> bool:
    """A folder with memory/*.md, or with MEMORY.md."""
    return path.is_dir() and ((path / "MEMORY.md").is_file() or any((path / "memory").glob("*.md")))


def read(path: Path, zone: tzinfo) -> Found:
    """The daily logs by date, then the curated memory."""
    for file in [*sorted((path / "memory").glob("*.md")), path / "MEMORY.md"]:
        name = file.relative_to(path).as_posix()
        if not file.is_file() or file.is_symlink():
            continue
        try:
            text = file.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            yield BadItem(f"{NAME}:{name}", f"cannot be read: {error}")
            continue
        curated = name == "MEMORY.md"
        day = day_of(file.stem, zone)
        for block in blocks(_own(text)):
            created, content = timed(block.text, day)
            yield Item(
                source=f"{NAME}:{name}#{short_hash(block.text)}",
                content=content,
                created=created,
                fields={"importance": CURATED_IMPORTANCE, "kind": "fact"} if curated else {},
            )


def _own(text: str) -> str:
    """The text without front matter and our lines."""
    return _VIEW.sub("", _MANAGED.sub("", split_text(text).body))


def day_of(stem: str, zone: tzinfo) -> datetime | None:
    """The day that a file is named after."""
    match = _DAY.search(stem)
    try:
        return datetime(*map(int, match.groups()), tzinfo=zone) if match else None  # type: ignore[misc,arg-type]
    except ValueError:
        return None


def timed(text: str, day: datetime | None) -> tuple[datetime | None, str]:
    """When an entry was written: the day of its file, at the time it begins with."""
    match = _TIME.match(text)
    if day is None or not match or match.end() == len(text):
        return day, text
    return day + timedelta(hours=int(match.group(1)), minutes=int(match.group(2))), text[match.end() :]
