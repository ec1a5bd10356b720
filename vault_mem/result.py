"""What every result has in common: the answer as JSON, and the notices that came with it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, TypeVar, overload

T = TypeVar("T")


class Result:
    """What an operation returns. `notices` tell a person what else happened."""

    notices: Sequence[str] = ()
    _left_out: ClassVar[Collection[str]] = ()
    _if_any: ClassVar[Collection[str]] = ()
    _also: ClassVar[Collection[str]] = ()
    _renamed: ClassVar[Mapping[str, str]] = {}
    _status: ClassVar[str] = ""

    def __init_subclass__(
        cls,
        *,
        left_out: Collection[str] = (),
        if_any: Collection[str] = (),
        also: Collection[str] = (),
        renamed: Mapping[str, str] | None = None,
        status: str = "",
        **other: Any,
    ) -> None:
        """How the JSON differs from the fields: some are `left_out`, left out when empty (`if_any`) or `renamed`.

        `also` adds properties, and `status` is a constant that all results of this class have.
        """
        super().__init_subclass__(**other)
        cls._left_out, cls._if_any, cls._also, cls._renamed = left_out, if_any, also, renamed or {}
        cls._status = status

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON-ready values, in the shape of the command's `--json`."""
        empty = [name for name in self._if_any if not getattr(self, name)]
        more = {"status": self._status} if self._status else {}
        more |= {said: getattr(self, name) for name, said in self._renamed.items()}
        more |= {name: getattr(self, name) for name in self._also}
        return as_record(self, *self._left_out, *self._renamed, *empty, **more)


class Results(Result, Sequence[T]):
    """A result that is a sequence of what was found, in the field named `items`."""

    _items_in: ClassVar[str]

    def __init_subclass__(cls, *, items: str, **how: Any) -> None:
        super().__init_subclass__(**how)
        cls._items_in = items

    def _items(self) -> Sequence[T]:
        found: Sequence[T] = getattr(self, self._items_in)
        return found

    @overload
    def __getitem__(self, position: int) -> T: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[T]: ...
    def __getitem__(self, position: int | slice) -> T | Sequence[T]:
        return self._items()[position]

    def __len__(self) -> int:
        return len(self._items())

    def __iter__(self) -> Iterator[T]:
        return iter(self._items())


def as_record(result: object, *left_out: str, **other: Any) -> dict[str, Any]:
    """The fields of a dataclass as JSON-ready values; `other` are added, or replace fields of that name."""
    own = {each.name: getattr(result, each.name) for each in fields(result) if each.name not in left_out}  # type: ignore[arg-type]
    return {name: plain(value) for name, value in (own | other).items()}


def plain(value: Any) -> Any:
    """A value as JSON has it: times as ISO 8601, paths as text."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if is_dataclass(value):
        return as_record(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each) for each in value]
    return value
