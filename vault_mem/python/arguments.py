"""Values as a Python program gives them, checked before anything is done with them: a wrong one is an InvalidInput.

What a parameter takes is read from its annotation. Memories, lists of texts and times are read by the methods
themselves, which turn them into what operations take.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import operator
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import Enum
from types import MethodType, ModuleType
from typing import Any

from vault_mem import library
from vault_mem.errors import CallersOwn, InvalidInput, VaultMemError
from vault_mem.library import text_of
from vault_mem.python.words import reword

# The minimum of each number; operations check the rest and word their errors the same way.
MINIMUM = {"n": 1, "depth": 1, "budget": 1, "days": 1, "max_links": 0, "limit": 0, "window": 0, "max_replay_events": 0}


def text(name: str, value: Any) -> str:
    """A text; for an enum, its value."""
    value = value.value if isinstance(value, Enum) else value
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be a text, not {value!r}")
    return text_of(value)


def whole(name: str, value: Any) -> int:
    """A whole number, of any type that can be an index."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise InvalidInput(f"{name} must be a whole number, not {value!r}")
    if number < MINIMUM.get(name, number):
        raise InvalidInput(f"{name} must be at least {MINIMUM[name]}, not {number}")
    return number


def number(name: str, value: Any) -> float:
    """A number, and one that is finite."""
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise InvalidInput(f"{name} must be a number, not {value!r}")
    found = float(value)
    if not math.isfinite(found):
        raise InvalidInput(f"{name} must be a number, not {value!r}")
    return value if isinstance(value, int | float) else found


def must_be(wanted: str, fits: Callable[[Any], bool]) -> Callable[[str, Any], Any]:
    """A reader that takes a value as it is if it fits, and refuses any other."""

    def read(name: str, value: Any) -> Any:
        if not fits(value):
            raise InvalidInput(f"{name} must be {wanted}, not {value!r}")
        return value

    return read


# Nothing that is merely true or false: `private="no"` would be private.
flag = must_be("True or False", lambda value: isinstance(value, bool))
mapping = must_be(
    "a dict with texts as keys",
    lambda value: isinstance(value, Mapping) and all(isinstance(each, str) for each in value),
)
# A single text is refused, though Python would iterate over its letters.
several = must_be(
    "a list of texts, drafts or dicts",
    lambda value: hasattr(value, "__iter__") and not isinstance(value, str | bytes | Mapping),
)
function = must_be("a function", callable)


def one_of(kind: type | str) -> Callable[[str, Any], Any]:
    """A reader that takes values of this type only; a text names a type of `vault_mem.types`."""

    def read(name: str, value: Any) -> Any:
        wanted: type = getattr(types(), kind) if isinstance(kind, str) else kind
        if not isinstance(value, wanted):
            raise InvalidInput(f"{name} must be of type {wanted.__name__}, not {value!r}")
        return value

    return read


@functools.cache
def types() -> ModuleType:
    """The library's types, imported when they are first needed, because that loads all operations.

    They are copied into `library`, because Python looks up a method's type hints in the module that defines it.
    """
    found = importlib.import_module("vault_mem.types")
    vars(library).update({name: each for name, each in vars(found).items() if not name.startswith("_")})
    return found


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
    "Iterable[str | Draft | Mapping[str, Any]]": several,
    "Progress": function,
    "bytes": one_of(bytes),
    "timedelta": one_of(timedelta),
    "datetime": one_of(datetime),
    "Proposal": one_of("Proposal"),
    "Request": one_of("Request"),
}


def reader(annotation: str) -> Callable[[str, Any], Any] | None:
    """The reader for parameters with that annotation; None if the methods read them themselves."""
    return READERS.get(annotation.removesuffix(" | None"))


class Types:
    """A stand-in for `vault_mem.types` that loads it when somebody asks for a type."""

    def __getattr__(self, name: str) -> Any:
        return getattr(types(), name)


class CheckedMethod:
    """A method whose plain values are checked before the call. Its type hints are resolved only when asked for."""

    def __init__(self, method: Callable[..., Any], *, static: bool = False) -> None:
        self.__wrapped__ = method
        self._static = static  # `staticmethod` would resolve the hints
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(self, name, getattr(method, name))

    @functools.cached_property
    def _wanted(self) -> tuple[inspect.Signature, dict[str, tuple[Callable[[str, Any], Any], bool]]]:
        signature = inspect.signature(self.__wrapped__)
        readers = {
            name: (found, str(each.annotation).endswith("| None"))
            for name, each in signature.parameters.items()
            if (found := reader(str(each.annotation))) is not None
        }
        return signature, readers

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if self._static or instance is None else MethodType(self, instance)

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Call it; errors are worded for Python."""
        if "progress" in options:
            options["progress"] = callers_function(options["progress"])
        try:
            signature, readers = self._wanted
            given = signature.bind(*args, **options)
            for name, value in given.arguments.items():
                read, optional = readers.get(name, (None, False))
                if read is not None and not (optional and value is None):
                    given.arguments[name] = read(name, value)
            return self.__wrapped__(*given.args, **given.kwargs)
        except VaultMemError as error:
            reword(error)
            raise
        except CallersOwn as callers:
            raise callers.error from None

    @functools.cached_property
    def __signature__(self) -> inspect.Signature:
        types()
        return inspect.signature(self.__wrapped__, eval_str=True)

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        signature = self.__signature__
        found = {each.name: each.annotation for each in signature.parameters.values() if each.name != "self"}
        return found | {"return": signature.return_annotation}


def callers_function(progress: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """A function of the caller's, whose errors pass through everything on the way to the caller."""
    if progress is None:
        return None
    function("progress", progress)

    def call(*args: Any) -> Any:
        try:
            return progress(*args)
        except Exception as error:
            raise CallersOwn(error) from error

    return call
