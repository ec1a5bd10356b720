"""Filters: which memories a search, a list or a command means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, tzinfo
from typing import Any

from vault_mem.errors import InvalidInput
from vault_mem.index.rows import noted
from vault_mem.index.state import MEMORY, NOTE
from vault_mem.index.table import quote
from vault_mem.model import KIND_ALIASES, KINDS, MetaValue
from vault_mem.notes.parse import read_time
from vault_mem.operations.memory.results import writable

Names = Callable[[str], Iterable[str]]


def open_at(moment: datetime) -> str:
    """The condition that a memory's time is not over."""
    return f"(valid_to IS NULL OR valid_to > {moment.timestamp()!r})"


@dataclass(frozen=True)
class Filters:
    """Conditions that must all be met. `private` None means both; closed memories only when asked for.

    `ids`: only these, such as the members of an episode. A time without a zone is in the vault's.
    """

    category: str | None = None
    kind: str | None = None
    tags: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    emotion: str | None = None
    importance: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    private: bool | None = None
    closed: bool = False
    as_of: datetime | None = None
    metadata: Mapping[str, MetaValue] = field(default_factory=dict)
    ids: list[str] | None = None

    @property
    def given(self) -> list[Filters]:
        """The conditions one by one, each as filters of its own."""
        unset = Filters(closed=True)
        found = [
            replace(unset, **{each.name: getattr(self, each.name)})
            for each in fields(self)
            if each.name not in ("closed", "as_of") and getattr(self, each.name) not in (None, [], {})
        ]
        if self.as_of is not None:
            found.append(replace(unset, as_of=self.as_of))
        elif not self.closed:
            found.append(Filters())
        return found

    def in_zone(self, zone: tzinfo) -> Filters:
        """The same filters with every time in a zone; raises InvalidInput where one is none."""
        times = {name: value for name in ("since", "until", "as_of") if (value := getattr(self, name)) is not None}
        read: dict[str, Any] = {name: read_time(value, zone) for name, value in times.items()}
        for name, value in read.items():
            if value is None:
                raise InvalidInput(f"{name} is a time, not {times[name]!r}")
        return replace(self, **read) if read else self

    def where(self, now: datetime, types: tuple[str, ...] = (MEMORY, NOTE), names: Names | None = None) -> str:
        """The filters as a condition on the table's rows; `names` says by what other names a person goes."""
        if self.kind is not None and KIND_ALIASES.get(self.kind, self.kind) not in KINDS:
            raise InvalidInput(f"unknown kind {self.kind!r}", f"a kind is one of {', '.join(KINDS)}")
        for text in (self.category, self.emotion, *self.tags, *self.people, *(self.ids or ()), *self.metadata):
            writable(text or "", "a filter")
        parts = [f"type IN ({', '.join(map(quote, types))})"]
        for name in ("category", "emotion"):
            if (value := getattr(self, name)) is not None:
                parts.append(f"{name} = {quote(value)}")
        if self.kind is not None:
            parts.append(f"kind = {quote(KIND_ALIASES.get(self.kind, self.kind))}")
        parts += [f"array_has(tags, {quote(tag.lstrip('#'))})" for tag in self.tags]
        for person in self.people:
            known = sorted({person, *(names(person) if names else ())})
            parts.append("(" + " OR ".join(f"array_has(people, {quote(name)})" for name in known) + ")")
        parts += [f"array_has(metadata, {quote(noted(*each))})" for each in self.metadata.items()]
        if self.importance is not None:
            parts.append(f"importance >= {int(self.importance)}")
        if self.since is not None:
            parts.append(f"created >= {self.since.timestamp()!r}")
        if self.until is not None:
            parts.append(f"created < {self.until.timestamp()!r}")
        if self.private is not None:
            parts.append(f"private = {'true' if self.private else 'false'}")
        if self.as_of is not None:
            parts.append(f"coalesce(valid_from, created) <= {self.as_of.timestamp()!r} AND {open_at(self.as_of)}")
        elif not self.closed:
            parts.append(open_at(now))
        if self.ids is not None:
            parts.append(f"id IN ({', '.join(map(quote, self.ids or ['']))})")
        return " AND ".join(parts)
