"""What a memory is: plain dataclasses and the words of the vault, no input or output."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from operator import attrgetter
from typing import Any


class Kind(StrEnum):
    """What a memory is: a moment, a state that holds until it changes, or how the agent is."""

    EVENT = "event"
    FACT = "fact"
    RELATION = "relation"
    TASK = "task"
    SUMMARY = "summary"
    MOOD = "mood"


class LinkType(StrEnum):
    """What one memory is to another."""

    SIMILAR = "similar"
    CAUSED_BY = "caused_by"
    LEADS_TO = "leads_to"
    RELATED = "related"


KINDS = tuple(each.value for each in Kind)
KIND_ALIASES = {"long_mood_state": "mood"}
STATE_KINDS = ("fact", "relation", "task", "summary")
LINK_TYPES = tuple(each.value for each in LinkType)
# A link reads the other way round from its other end.
INVERSE_LINK = {"caused_by": "leads_to", "leads_to": "caused_by"}

DEFAULT_CATEGORY = "daily"
DEFAULT_KIND = "event"
DEFAULT_EMOTION = "neutral"
DEFAULT_IMPORTANCE = 3

MEMORY_ID = re.compile(r"mem_[0-9a-f]{12}")
EPISODE_ID = re.compile(r"ep_[0-9a-f]{12}")

TITLE_LENGTH = 60

# What a program notes on a memory for itself; in front matter its keys have the prefix.
MetaValue = str | int | float | bool
META = "meta_"


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it is written in one note: the target's name, and what the display text says of it."""

    target: str
    type: str = "related"
    confidence: float | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file could not be read whole: where, and the reason in words.

    `odd`: only a value that is not understood; it is kept, and the note can be changed all the same.
    """

    path: str
    reason: str
    line: int | None = None
    odd: bool = False

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"path": self.path, "line": self.line, "reason": self.reason}


@dataclass(slots=True)
class Memory:
    """One memory. `path` is relative to the vault; `provisional` means that the file does not (yet) own the id."""

    id: str
    content: str
    created: datetime
    path: str = ""
    title: str = ""
    seq: int | None = None  # 2, 3 … where several were saved in one second
    importance: int = DEFAULT_IMPORTANCE
    private: bool = False
    category: str = DEFAULT_CATEGORY
    kind: str = DEFAULT_KIND
    tags: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    emotion: str = DEFAULT_EMOTION
    secondary: list[str] = field(default_factory=list)
    intensity: float | None = None
    valence: float | None = None
    arousal: float | None = None
    body_state: str | None = None
    about_time: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    status: str | None = None
    supersedes: list[str] = field(default_factory=list)
    confidence: float | None = None
    salience: float | None = None
    last_confirmed: datetime | None = None
    source: str | None = None
    scope: str | None = None
    sources: list[str] = field(default_factory=list)
    sources_digest: str | None = None
    links: list[Link] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    metadata: dict[str, MetaValue] = field(default_factory=dict)  # a program's own, in front matter as `meta_…`
    provisional: bool = False

    @property
    def order(self) -> tuple[datetime, int, str]:
        """What memories are put in order by, the oldest first."""
        return self.created, self.seq or 1, self.id

    def closed_at(self, moment: datetime) -> bool:
        """Whether the memory's time of validity is over at `moment`."""
        return self.valid_to is not None and self.valid_to <= moment

    def to_dict(self) -> dict[str, Any]:
        """The memory as the JSON of every command; what is empty is left out, but for what all memories have."""
        record = to_record(self)
        rest = {key: value for key, value in record.items() if key not in _ALWAYS and value not in (None, [], {}, "")}
        return {key: record[key] for key in _ALWAYS} | rest


_ALWAYS = ("id", "path", "title", "content", "created", "importance", "category", "kind", "emotion", "tags", "private")


@dataclass(slots=True)
class Episode:
    """Memories that belong together, as one story. `members` are the names that its note gives, not ids."""

    id: str
    title: str
    summary: str
    created: datetime
    path: str = ""
    members: list[str] = field(default_factory=list)
    start: datetime | None = None
    end: datetime | None = None
    importance: int = DEFAULT_IMPORTANCE
    private: bool = False
    content: str = ""


TIME_KEYS = ("created", "valid_from", "valid_to", "last_confirmed")
_values = attrgetter(*Memory.__slots__)


def to_record(memory: Memory) -> dict[str, Any]:
    """The memory as JSON-ready values, times as ISO 8601 with offset."""
    record = dict(zip(Memory.__slots__, _values(memory), strict=True))
    for key in TIME_KEYS:
        if record[key] is not None:
            record[key] = record[key].isoformat()
    record["links"] = [
        {"target": link.target, "type": link.type, "confidence": link.confidence, "title": link.title}
        for link in memory.links
    ]
    return record


def from_record(record: dict[str, Any]) -> Memory:
    """The memory that `to_record` described."""
    values = dict(record)
    for key in TIME_KEYS:
        if values.get(key) is not None:
            values[key] = datetime.fromisoformat(values[key])
    values["links"] = [Link(**link) for link in values.get("links", ())]
    return Memory(**values)
