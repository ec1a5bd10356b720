"""Values as a Python program gives them, checked before anything is done with them: a wrong one is an InvalidInput.

What a parameter takes is read from its annotation. Memories, lists of texts and times are read by the methods
themselves, which turn them into what operations take.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, TypeVar

from vault_mem.errors import InvalidInput
from vault_mem.library import text_of
from vault_mem.notes.checklist import Proposal
from vault_mem.operations.memory.recall import Request

# The least that makes sense; what else a number must be, the operation says in the same words.
LEAST = {"n": 1, "depth": 1, "budget": 1, "days": 1, "max_links": 0, "limit": 0, "window": 0, "max_replay_events": 0}


def text(name: str, value: Any) -> str:
    """A text; of an enum its value."""
    value = value.value if isinstance(value, Enum) else value
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is a text, not {value!r}")
    return text_of(value)


def whole(name: str, value: Any) -> int:
    """A whole number, of any kind that Python takes for one."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise InvalidInput(f"{name} is a whole number, not {value!r}")
    if number < LEAST.get(name, number):
        raise InvalidInput(f"{name} is at least {LEAST[name]}, not {number}")
    return number


def number(name: str, value: Any) -> float:
    """A number, and one that is finite."""
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise InvalidInput(f"{name} is a number, not {value!r}")
    found = float(value)
    if not math.isfinite(found):
        raise InvalidInput(f"{name} is a number, not {value!r}")
    return value if isinstance(value, int | float) else found


def flag(name: str, value: Any) -> bool:
    """True or False, and nothing that only looks like one of them: `private="no"` would be private."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} is True or False, not {value!r}")
    return value


def mapping(name: str, value: Any) -> Mapping[str, Any]:
    """Names with values."""
    if not isinstance(value, Mapping) or not all(isinstance(each, str) for each in value):
        raise InvalidInput(f"{name} is a dict with texts as keys, not {value!r}")
    return value


def function(name: str, value: Any) -> Any:
    """Something to call."""
    if not callable(value):
        raise InvalidInput(f"{name} is a function, not {value!r}")
    return value


def one_of(kind: type) -> Callable[[str, Any], Any]:
    """A value of that very kind."""

    def read(name: str, value: Any) -> Any:
        if not isinstance(value, kind):
            raise InvalidInput(f"{name} is of type {kind.__name__}, not {value!r}")
        return value

    return read


F = TypeVar("F", bound=Callable[..., Any])
READERS: dict[str, Callable[[str, Any], Any]] = {
    "str": text,
    "Kind | str": text,
    "LinkType | str": text,
    "int": whole,
    "float": number,
    "bool": flag,
    "Metadata": mapping,
    "Mapping[str, Any]": mapping,
    "Mapping[str, str]": mapping,
    "Mapping[str, MetaValue | None]": mapping,
    "Progress": function,
    "bytes": one_of(bytes),
    "timedelta": one_of(timedelta),
    "datetime": one_of(datetime),
    "Proposal": one_of(Proposal),
    "Request": one_of(Request),
}


def reader(annotation: str) -> Callable[[str, Any], Any] | None:
    """What reads a parameter of that annotation; None where the method does it."""
    return READERS.get(annotation.removesuffix(" | None"))


def resolved(function: F, of: Callable[..., Any]) -> F:
    """The function with the signature of another, its types as such: not every framework looks names up."""
    signature = inspect.signature(of, eval_str=True)
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__annotations__ = {
        each.name: each.annotation for each in signature.parameters.values() if each.name != "self"
    }
    function.__annotations__["return"] = signature.return_annotation
    return function


def checked(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method with its plain values read; its signature, hints and words stay."""

    @functools.lru_cache(1)
    def wanted() -> tuple[inspect.Signature, dict[str, tuple[Callable[[str, Any], Any], bool]]]:
        signature = inspect.signature(method)
        readers = {
            name: (found, str(each.annotation).endswith("| None"))
            for name, each in signature.parameters.items()
            if (found := reader(str(each.annotation))) is not None
        }
        return signature, readers

    @functools.wraps(method)
    def call(*args: Any, **options: Any) -> Any:
        signature, readers = wanted()
        given = signature.bind(*args, **options)
        for name, value in given.arguments.items():
            read, optional = readers.get(name, (None, False))
            if read is not None and not (optional and value is None):
                given.arguments[name] = read(name, value)
        return method(*given.args, **given.kwargs)

    return call
