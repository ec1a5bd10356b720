"""Filters: which memories a search, a list or a command means; each has a form for the table and one for memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vault_mem.errors import InvalidInput
from vault_mem.index.known import MEMORY
from vault_mem.index.rows import metadata_entry
from vault_mem.index.table import listed, quote
from vault_mem.model import MetaValue
from vault_mem.notes.parse import read_time

if TYPE_CHECKING:
    from vault_mem.index.catalogue import Catalogue

    Mask = NDArray[np.bool_]
    # A condition as SQL for the table, and as a mask over the memories at hand.
    Condition = tuple[str, Callable[[Catalogue], Mask]]


@dataclass(frozen=True)
class Filters:
    """Conditions that must all be met. `private` None means both; closed memories only when asked for.

    `ids`: only these, such as the members of an episode. `kind` may be several, any of which will do. An item of
    `people` may be a set of all the names of one person. A time without a zone is in the vault's.
    """

    category: str | None = None
    kind: str | Sequence[str] | None = None
    tags: list[str] = field(default_factory=list)
    people: Sequence[str | set[str]] = field(default_factory=list)
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
        """The same filters with every time in a zone; raises InvalidInput if one is not a time."""
        times = {name: value for name in ("since", "until", "as_of") if (value := getattr(self, name)) is not None}
        read: dict[str, Any] = {name: read_time(value, zone) for name, value in times.items()}
        for name, value in read.items():
            if value is None:
                raise InvalidInput(f"{name} must be a time, not {times[name]!r}")
        return replace(self, **read) if read else self

    def where(self, now: datetime, types: Collection[str] = (MEMORY,), *, whole: bool = True) -> str:
        """The conditions as SQL for the table: for whole memories, or without `whole` for passages as well.

        Without `types`, for files of every type.
        """
        asked = [sql for sql, _ in self._conditions(now)]
        of_types = [f"type IN ({listed(types)})"] if types else []
        return " AND ".join([*(["n = 0"] if whole else []), *of_types, *asked])

    def met(self, catalogue: Catalogue, now: datetime) -> Mask:
        """Which of the memories at hand meet the conditions, by place."""
        met = catalogue.alive & (catalogue.n == 0)
        for _, meets in self._conditions(now):
            met &= meets(catalogue)
        return np.asarray(met)

    def _conditions(self, now: datetime) -> Iterator[Condition]:
        if (private := self.private) is not None:
            yield f"private = {str(private).lower()}", lambda at_hand: np.asarray(at_hand.private == private)
        if (importance := self.importance) is not None:
            yield f"importance >= {int(importance)}", lambda at_hand: np.asarray(at_hand.importance >= importance)
        if self.since is not None:
            since = self.since.timestamp()
            yield f"created >= {since!r}", lambda at_hand: np.asarray(at_hand.created >= since)
        if self.until is not None:
            until = self.until.timestamp()
            yield f"created < {until!r}", lambda at_hand: np.asarray(at_hand.created < until)
        if self.as_of is not None:
            as_of = self.as_of.timestamp()
            yield f"coalesce(valid_from, created) <= {as_of!r}", lambda at_hand: _begun(at_hand) <= as_of
        if self.as_of is not None or not self.closed:
            moment = (self.as_of or now).timestamp()
            yield (
                f"(valid_to IS NULL OR valid_to > {moment!r})",
                lambda at_hand: np.asarray(at_hand.valid_to > moment),
            )
        for column in ("category", "kind", "emotion"):
            if (value := getattr(self, column)) is not None:
                yield _among(column, {value} if isinstance(value, str) else set(value))
        if self.ids is not None:
            yield _among("id", set(self.ids))
        for tag in self.tags:
            yield _having("tags", {tag.lstrip("#")})
        for person in self.people:
            yield _having("people", {person} if isinstance(person, str) else set(person))
        for each in self.metadata.items():
            yield _with_metadata(metadata_entry(*each))


def _begun(at_hand: Catalogue) -> NDArray[Any]:
    """Since when each memory holds: since it was made, unless it says otherwise."""
    return np.where(np.isneginf(at_hand.valid_from), at_hand.created, at_hand.valid_from)


_COLUMNS = {"category": "categories", "kind": "kinds", "emotion": "emotions", "id": "ids"}


def _among(column: str, values: set[str]) -> Condition:
    """The text in a column is one of these."""

    def meets(at_hand: Catalogue) -> Mask:
        texts = getattr(at_hand, _COLUMNS[column])
        return np.fromiter((text in values for text in texts), dtype=bool, count=len(texts))

    return f"{column} IN ({listed(values)})", meets


def _having(column: str, values: set[str]) -> Condition:
    """The list in a column has one of these."""

    def meets(at_hand: Catalogue) -> Mask:
        lists = getattr(at_hand, column)
        return np.fromiter((not values.isdisjoint(each) for each in lists), dtype=bool, count=len(lists))

    return f"({' OR '.join(f'array_has({column}, {quote(each)})' for each in sorted(values))})", meets


def _with_metadata(note: str) -> Condition:
    """The memory's metadata has this entry (see `rows.metadata_entry`)."""

    def meets(at_hand: Catalogue) -> Mask:
        met = np.zeros(len(at_hand.files), dtype=bool)
        met[[place for place, notes in at_hand.metadata.items() if note in notes]] = True
        return met

    return f"array_has(metadata, {quote(note)})", meets
