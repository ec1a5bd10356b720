"""Episodes as notes: reading one, and the text of a new one."""

from __future__ import annotations

from datetime import tzinfo
from typing import Any

from vault_mem.model import Episode
from vault_mem.notes.links import read_link
from vault_mem.notes.parse import parse, read_time
from vault_mem.notes.write import written
from vault_mem.notes.yamlish import quoted


def read_episode(raw: bytes, path: str, zone: tzinfo, *, private: bool, id_: str) -> Episode:
    """The episode that a note describes, as far as it can be read; `id_` is used if the note gives none."""
    note = parse(raw, path, mtime=0, zone=zone, private=private)
    memory, fields = note.memory, note.fields
    return Episode(
        id=memory.id or id_,
        title=memory.title,
        summary=_text(fields.get("summary")),
        created=memory.created,
        path=path,
        members=[link.target for item in _items(fields.get("members")) if (link := read_link(item))],
        start=read_time(fields.get("start"), zone),
        end=read_time(fields.get("end"), zone),
        importance=memory.importance,
        private=memory.private,
        content=memory.content,
    )


def episode_text(episode: Episode, zone: tzinfo) -> str:
    """The text of a new episode's file."""
    lines = ["---", f"id: {episode.id}", f"created: {written(episode.created, zone)}"]
    lines += ["private: true"] if episode.private else []
    lines += [f"summary: {quoted(episode.summary)}", "members:"]
    lines += [f"  - {quoted(f'[[{name}]]')}" for name in episode.members]
    lines += [
        f"{key}: {written(value, zone)}" for key in ("start", "end") if (value := getattr(episode, key)) is not None
    ]
    return "\n".join([*lines, f"importance: {episode.importance}", "---", episode.content]) + "\n"


def _items(value: Any) -> list[Any]:
    if value is None:
        return []
    single = not isinstance(value, list) or (len(value) == 1 and isinstance(value[0], list) and len(value[0]) == 1)
    return [value] if single else value[:1000]


def _text(value: Any) -> str:
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""
