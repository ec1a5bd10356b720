"""What a memory is: plain dataclasses and the words of the vault, no input or output."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import Any

from vault_mem.fields import Form, described_field, table


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
# What a link is called seen from its other end.
INVERSE_LINK = {"caused_by": "leads_to", "leads_to": "caused_by"}

DEFAULT_CATEGORY = "daily"
DEFAULT_KIND = "event"
DEFAULT_EMOTION = "neutral"
DEFAULT_IMPORTANCE = 3

MEMORY_ID = re.compile(r"mem_[0-9a-f]{12}")
EPISODE_ID = re.compile(r"ep_[0-9a-f]{12}")

TITLE_LENGTH = 60


def digits_of(id_: str) -> str:
    """The part of an id that stands at the end of its file's name."""
    return id_.partition("_")[2][:8]


# A program's own metadata on a memory; in front matter its keys have this prefix.
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
    """Why a file could not be read completely: where, and the reason in words.

    `odd`: only a value that is not understood; it is kept, and the note can still be changed.
    """

    path: str
    reason: str
    line: int | None = None
    odd: bool = False

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line else self.path
        return f"{where}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"path": self.path, "line": self.line, "reason": self.reason}


@dataclass(slots=True, kw_only=True)
class Fields:
    """What front matter says of a memory, in the order in which it is written: the table of fields."""

    importance: int = described_field(
        Form.WHOLE,
        "1 to 5, default 3.",
        default=DEFAULT_IMPORTANCE,
        low=1,
        high=5,
        for_model="1 trivial, 3 usual, 5 would change how I act.",
        meaning="1 trivial, 5 would change how you act",
        example="4",
    )
    private: bool = described_field(
        Form.FLAG,
        "Keep this memory internal: in private/, never in views, logs or git.",
        default=False,
        for_model="When true, keep this memory internal and skip workspace sync.",
        meaning="see [Private](#private)",
        example="true",
    )
    aliases: list[str] = described_field(
        Form.TEXTS,
        "Another name.",
        given=False,
        meaning="other names, searched; see [Aliases](#aliases)",
        example="- the shipment",
    )
    seq: int | None = described_field(
        Form.WHOLE,
        "Its place among those of one second.",
        low=2,
        given=False,
        meaning="2, 3 … if several were saved in one second; the order is created, seq, id",
        example="2",
    )
    category: str = described_field(
        Form.TEXT,
        "A word of your choice, default daily.",
        default=DEFAULT_CATEGORY,
        for_model="Your word for it, such as introspection, decision, lesson.",
        meaning="a word of your choice",
        example="decision",
    )
    kind: str = described_field(
        Form.TEXT,
        f"One of {', '.join(KINDS)}; default event.",
        default=DEFAULT_KIND,
        choices=KINDS,
        for_model="Choose one. event: it happened (the default); fact: is true until it changes; relation: between "
        "people or things; task: to be done; summary: of others; mood: how you are.",
        meaning="`long_mood_state` is read as `mood`",
        example="fact",
    )
    tags: list[str] = described_field(
        Form.TEXTS,
        "A tag.",
        option="--tag",
        for_model="Tags.",
        meaning="a leading `#` is dropped",
        example="- shipping",
    )
    people: list[str] = described_field(
        Form.TEXTS,
        "A person it is about.",
        option="--person",
        for_model="People it is about.",
        meaning='whom it is about; `"[[Kaya]]"` works too',
        example="- Kaya",
    )
    emotion: str = described_field(
        Form.TEXT,
        "The main emotion, default neutral.",
        default=DEFAULT_EMOTION,
        for_model="The main emotion.",
        regrows=True,
        meaning="the main emotion",
        example="calm",
    )
    secondary: list[str] = described_field(
        Form.TEXTS,
        "Another emotion in it.",
        for_model="Other emotions in it.",
        rare=True,
        regrows=True,
        meaning="other emotions in it",
        example="- relieved",
    )
    intensity: float | None = described_field(
        Form.NUMBER, "How strong the emotion is.", low=0, high=1, rare=True, regrows=True, example="0.6"
    )
    valence: float | None = described_field(
        Form.NUMBER, "How pleasant.", low=-1, high=1, rare=True, regrows=True, example="-0.3"
    )
    arousal: float | None = described_field(
        Form.NUMBER, "How stirring.", low=-1, high=1, rare=True, regrows=True, example="0.2"
    )
    body_state: str | None = described_field(
        Form.TEXT, "How the body feels.", rare=True, regrows=True, example="tired eyes"
    )
    about_time: str | None = described_field(
        Form.TEXT,
        "The time it is about, in any words.",
        for_model="The time it is about, or is due.",
        regrows=True,
        example="next Monday 08:00",
    )
    valid_from: datetime | None = described_field(Form.TIME, "True from then on.", rare=True, example="2026-09-01")
    valid_to: datetime | None = described_field(
        Form.TIME,
        "True until then.",
        meaning="true until then; from that moment the memory is closed",
        example="2026-11-16T12:37:02",
    )
    status: str | None = described_field(Form.TEXT, "For tasks: open or done.", rare=True, example="open")
    supersedes: list[str] = described_field(
        Form.NAMES,
        "Close this memory: the new one replaces it.",
        for_model="IDs of memories that it replaces; they are closed.",
        meaning="memories it replaced",
        example='"[[old-note-951bf852]]"',
    )
    confidence: float | None = described_field(Form.NUMBER, "How sure.", low=0, high=1, regrows=True, example="0.8")
    salience: float | None = described_field(
        Form.NUMBER, "How much it stands out.", low=0, high=1, rare=True, regrows=True, example="0.5"
    )
    last_confirmed: datetime | None = described_field(
        Form.TIME, "When it was last confirmed to be true.", given=False, example="2026-11-01"
    )
    source: str | None = described_field(
        Form.TEXT,
        "Where it comes from.",
        meaning="where it comes from; see [Source](#source)",
        example="agent:claude-code; quote Q-7718",
    )
    scope: str | None = described_field(
        Form.TEXT, "For a summary: tag:…, person:…, project:… or month:2026-11.", rare=True, example="person:Kaya"
    )
    sources: list[str] = described_field(
        Form.NAMES,
        "For a summary: what it was made from.",
        option="--of",
        argument="summary_of",
        for_model="For a summary: IDs of what it was made from.",
        rare=True,
        example='"[[note-951bf852]]"',
    )
    sources_digest: str | None = described_field(
        Form.TEXT, "For a summary: what its sources said when it was made.", given=False, example="9c2f0a71"
    )
    metadata: dict[str, MetaValue] = field(default_factory=dict)  # a program's own, in front matter as `meta_…`


FIELDS = table(Fields)
GIVEN = {name: each for name, each in FIELDS.items() if each.given}


def fields_of(form: Form) -> tuple[str, ...]:
    """The names of the fields of this form."""
    return tuple(name for name, each in FIELDS.items() if each.form is form)


def as_dict(record: Fields) -> dict[str, Any]:
    """The values of a memory or a draft, by name."""
    names, values = _values_of(type(record))  # type: ignore[arg-type]  # mypy hashes the record instead of its class
    return dict(zip(names, values(record), strict=True))


@cache
def _values_of(kind: type[Fields]) -> tuple[tuple[str, ...], Callable[[Fields], tuple[Any, ...]]]:
    """The names of a record's fields, and a function that gets all their values at once."""
    names = tuple(kind.__dataclass_fields__)
    return names, attrgetter(*names)


@dataclass(slots=True)
class Memory(Fields):
    """One memory. `path` is relative to the vault; `provisional` means that the file does not (yet) own the id."""

    id: str
    content: str
    created: datetime
    path: str = ""
    title: str = ""
    links: list[Link] = field(default_factory=list)
    provisional: bool = False

    @property
    def order(self) -> tuple[datetime, int, str]:
        """The sort key that puts the oldest memory first."""
        return self.created, self.seq or 1, self.id

    def closed_at(self, moment: datetime) -> bool:
        """Whether the memory's time of validity is over at `moment`."""
        return self.valid_to is not None and self.valid_to <= moment

    def to_dict(self) -> dict[str, Any]:
        """The memory as in every command's JSON; empty fields are left out, except those that every memory has."""
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


TIME_KEYS = ("created", *fields_of(Form.TIME))


def to_record(memory: Memory) -> dict[str, Any]:
    """The memory as JSON-ready values, times as ISO 8601 with offset."""
    record = as_dict(memory)
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
