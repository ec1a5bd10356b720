"""claude-mem: observations and summaries of sessions, in its database `~/.claude-mem/claude-mem.db`."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path
from typing import Any

from vault_mem.imports.databases import database_at, has_table, rows
from vault_mem.imports.items import BadItem, Found, Item, line, moment, words
from vault_mem.imports.transcripts.reading import parsed

NAME = "claude-mem"
_DATABASE = "claude-mem.db"
HOME = ("", ".claude-mem", _DATABASE)
_TABLES = ("observations", "session_summaries")
_SUMMARY = ("request", "investigated", "learned", "completed", "next_steps", "notes")


def recognises(path: Path) -> bool:
    """Its database, or the folder with it."""
    return has_table(database_at(path, _DATABASE), *_TABLES)


def read(path: Path, zone: tzinfo) -> Found:
    """The observations, then the summaries, in order."""
    if not recognises(path):
        yield BadItem(f"{NAME}:{path.name}", "not its database")
        return
    for table, item in ((_TABLES[0], _observation), (_TABLES[1], _summary)):
        for record in map(dict, rows(database_at(path, _DATABASE), f"SELECT * FROM {table} ORDER BY id")):
            yield item(record, f"{NAME}:{table}/{record.get('id')}")


def _observation(record: dict[str, Any], source: str) -> Item | BadItem:
    """An observation about the use of a tool: a title, what happened, and facts."""
    facts = [f"- {fact}" for fact in _list(record.get("facts"))]
    said = [record.get("narrative") or record.get("text"), "\n".join(facts)]
    text = "\n\n".join(each.strip() for each in said if isinstance(each, str) and each.strip())
    title = line(record.get("title"))
    if not text and not title:
        return BadItem(source, "it has no text")
    tags = words(_list(record.get("concepts")))
    content = f"# {title}\n\n{text}".strip() if title else text
    return Item(source, content, _time(record), {"category": line(record.get("type")) or "observation", "tags": tags})


def _summary(record: dict[str, Any], source: str) -> Item | BadItem:
    parts = [f"{name.replace('_', ' ')}: {line(record.get(name))}" for name in _SUMMARY if line(record.get(name))]
    if not parts:
        return BadItem(source, "it has no text")
    return Item(source, "\n".join(parts), _time(record), {"category": "session"})


def _time(record: dict[str, Any]) -> Any:
    return moment(record.get("created_at_epoch")) or moment(record.get("created_at"))


def _list(value: Any) -> list[str]:
    found = parsed(value) if isinstance(value, str) else value
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []
