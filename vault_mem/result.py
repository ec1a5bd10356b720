"""What every result has in common: the answer as JSON, and the notices that came with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar, overload

T = TypeVar("T")


class Result:
    """What an operation returns. `notices` is what happened beside the answer, for a person to read."""

    notices: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON-ready values, in the shape of the command's `--json`."""
        return as_record(self)


class Results(Result, Sequence[T]):
    """A result that is a sequence of what was found."""

    def _items(self) -> Sequence[T]:
        raise NotImplementedError

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
