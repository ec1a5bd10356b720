"""A token budget: an answer grows, most important parts first, as long as everything fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from vault_mem.errors import InvalidInput
from vault_mem.model import Memory
from vault_mem.notes.excerpt import cut
from vault_mem.result import Result, plain

T = TypeVar("T")
R = TypeVar("R", bound="Fillable")

# The lengths in characters to which a memory is cut, tried in order until it fits.
LENGTHS = (200, 80)
LONG = (600, *LENGTHS)
# Reserves room for the count of what was left out; the real number never takes more digits.
_ROOM_TO_SAY_SO = 999


@dataclass(frozen=True)
class Excerpt(Result):
    """As much of a memory as there is room for."""

    memory: Memory
    text: str

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        names = ("id", "title", "created", "importance", "category", "kind", "emotion", "private")
        return {"text": self.text} | {name: plain(getattr(self.memory, name)) for name in names}


def excerpts(memory: Memory, lengths: tuple[int, ...] = LENGTHS) -> Iterator[Excerpt]:
    """A memory's text, longest first."""
    for text in dict.fromkeys(cut(memory.content, length) for length in lengths):
        yield Excerpt(memory, text)


class Fillable(Protocol):
    """A result that counts what did not fit."""

    left_out: int


class Filling(Generic[R]):
    """Adds items to a result while they fit the budget; `cost` counts the tokens that showing it takes."""

    def __init__(self, result: R, budget: int, cost: Callable[[R], int]) -> None:
        self.result, self._budget, self._cost = result, budget, cost
        self._left_out = 0
        result.left_out = _ROOM_TO_SAY_SO
        least = cost(result)
        if least > budget:
            raise InvalidInput(f"a budget of {budget} tokens is too small", f"this answer needs at least {least}")

    def add(self, target: list[T], *sizes: T) -> None:
        """Append the first version of an item that fits; versions are given longest first."""
        for size in sizes:
            target.append(size)
            if self._cost(self.result) <= self._budget:
                return
            target.pop()
        self._left_out += 1

    def done(self) -> R:
        """The result, with the count of what did not fit."""
        self.result.left_out = self._left_out
        return self.result
