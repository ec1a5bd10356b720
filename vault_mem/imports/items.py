"""What readers yield: an item to be remembered, or why one could not be read."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vault_mem.errors import InvalidInput
from vault_mem.model import Memory

# More than any real export has; a zip archive can claim any size.
MAX_DOCUMENT_BYTES = 2_000_000_000

CONVERSATION = "conversation"  # the category of items that can grow after the import


@dataclass(frozen=True)
class Item:
    """A future memory. `source` says where it comes from, the same at every import; `fields` are those of a draft.

    Links of other items use one of its `names`; `links` has type and name of the items it links to. `memory` is set if
    the item is a whole memory of another vault, including its id.
    """

    source: str
    content: str
    created: datetime | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    private: bool = False
    names: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    memory: Memory | None = None


@dataclass(frozen=True)
class BadItem:
    """An item that could not be read, and why."""

    source: str
    reason: str


Found = Iterator[Item | BadItem]


def markdown_files(path: Path) -> Iterator[tuple[str, Path]]:
    """The notes below a folder (or the one file), by relative name, without hidden folders and links."""
    if path.is_file():
        yield path.name, path
        return
    for each in sorted(path.rglob("*.md")):
        relative = each.relative_to(path)
        if each.is_file() and not each.is_symlink() and not any(part.startswith(".") for part in relative.parts):
            yield relative.as_posix(), each


def documents(path: Path, *patterns: str) -> Iterator[tuple[str, Any]]:
    """JSON documents: the file, or those with matching names in a folder or zip archive; or a BadItem."""
    for name, raw in _raw(path, patterns):
        try:
            yield name, json.loads(raw.decode("utf-8-sig"))
        except (UnicodeDecodeError, ValueError, RecursionError) as error:
            yield name, BadItem(name, f"not JSON: {error}")


def _raw(path: Path, patterns: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    def wanted(name: str) -> bool:
        return any(fnmatch.fnmatch(name.rsplit("/", 1)[-1], pattern) for pattern in patterns)

    try:
        if path.is_dir():
            for each in sorted(path.rglob("*.json")):
                if wanted(each.name):
                    yield each.relative_to(path).as_posix(), each.read_bytes()
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for info in sorted(archive.infolist(), key=lambda info: info.filename):
                    if wanted(info.filename):
                        if info.file_size > MAX_DOCUMENT_BYTES:
                            raise InvalidInput(f"{info.filename} in {path} is too large", "unpack it and split it")
                        yield info.filename, archive.read(info)
        else:
            yield path.name, path.read_bytes()
    except (OSError, zipfile.BadZipFile) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from error


def records(
    path: Path, name: str, listed: Callable[[Any], list[Any] | None], item: Callable[[Any, str], Item | BadItem]
) -> Found:
    """The items of JSON exports in the format `name`: `listed` finds the list in a document, `item` reads one entry."""
    for file, document in documents(path, "*.json"):
        found = listed(document)
        if found is None:
            yield document if isinstance(document, BadItem) else BadItem(f"{name}:{file}", "no list of memories in it")
        for number, record in enumerate(found or (), start=1):
            yield item(record, f"{file}#{number}")


def conversation(
    name: str, key: str, title: str, parts: list[str], created: datetime | None, where: str
) -> Item | BadItem:
    """A conversation as one item, with who said what."""
    if not key or not parts:
        return BadItem(where, "a conversation without an id" if parts else "a conversation without text")
    content = f"# {title or 'Conversation'}\n\n" + "\n\n".join(parts)
    return Item(f"{name}:{key}", content, created, {"category": CONVERSATION})


def moment(value: Any) -> datetime | None:
    """A time in ISO 8601, or in seconds or milliseconds since 1970; None if it is neither."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
        if isinstance(value, str) and value.strip():
            found = datetime.fromisoformat(value.strip())
            return found if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def words(value: Any) -> list[str]:
    """Tags, from a list or a text with commas."""
    items = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else []
    found = [" ".join(item.split()).lstrip("#") for item in items if isinstance(item, str)]
    return list(dict.fromkeys(word for word in found if word))


def line(value: Any) -> str:
    """A one-line text, or nothing."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def short_hash(text: str) -> str:
    """A digest that identifies a text within its source."""
    return hashlib.sha256(" ".join(text.split()).encode(errors="replace")).hexdigest()[:8]


@dataclass(frozen=True)
class Block:
    """A paragraph or list item of a Markdown text, with the heading above it."""

    text: str
    heading: str


_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
_BOLD_LINE = re.compile(r"\*\*([^*]+)\*\*:?$")
_BULLET = re.compile(r"[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+")
_FENCE = re.compile(r"\s*(?:```|~~~)")


def blocks(text: str) -> Iterator[Block]:
    """Cut a Markdown text into its paragraphs and list items; a list item keeps the lines indented below it."""
    heading, in_code = "", False
    lines: list[str] = []

    def block() -> Iterator[Block]:
        whole = "\n".join(lines).strip()
        body = _BULLET.sub("", whole, count=1) if _BULLET.match(whole) else whole
        if body.strip("-*_= \n"):
            yield Block(body, heading)

    for row in text.splitlines():
        if _FENCE.match(row):
            in_code = not in_code
        title = None if in_code else _HEADING.match(row) or _BOLD_LINE.match(row.strip())
        starts = not in_code and (title or not row.strip() or _BULLET.match(row))
        if starts:
            yield from block()
            lines = []
        if title:
            heading = title.group(1).strip()
        elif row.strip() or in_code:
            lines.append(row)
    yield from block()
