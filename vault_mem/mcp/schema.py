"""How a tool's arguments become a command line: values never look like options, long text goes by standard input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vault_mem.errors import InvalidInput

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}
INPUT = "-"


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool: its JSON schema, and where it goes.

    `to` is an option, `--on/--off` for a choice of two, `-` for standard input, and empty for a plain argument.
    """

    name: str
    to: str
    schema: Mapping[str, Any]
    required: bool = False

    def words(self, value: Any) -> list[str]:
        """The option with its value or values."""
        if isinstance(value, bool):
            on, _, off = self.to.partition("/")
            return [on] if value else [off] if off else []
        if isinstance(value, dict):
            return [f"{self.to}={name}={each}" for name, each in value.items()]
        if isinstance(value, list):
            return [word for each in value for word in self._item(each)]
        return [self._with(value)]

    def _item(self, each: Any) -> list[str]:
        if isinstance(each, dict):  # an option of several values, in the order of the schema
            first, *rest = (str(each[name]) for name in self.schema["items"]["properties"])
            return [self._with(first), *rest]
        return [self._with(each)]

    def _with(self, value: Any) -> str:
        """Option and value as one word, so that no value is taken for an option."""
        return f"{self.to}={value}" if self.to.startswith("--") else f"{self.to}{value}"


@dataclass(frozen=True)
class Tool:
    """A tool: the words of its command, what it takes, and what it does to the memory."""

    name: str
    title: str
    description: str
    command: tuple[str, ...]
    parameters: tuple[Parameter, ...] = ()
    output: Mapping[str, Any] | None = None
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    always: tuple[str, ...] = ()  # options of the command that every call gives

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return {
            "type": "object",
            "properties": {each.name: dict(each.schema) for each in self.parameters},
            "required": [each.name for each in self.parameters if each.required],
            "additionalProperties": False,
        }

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of its answer, as far as a caller can rely on it; an error has `error` alone."""
        return {"type": "object", "properties": dict(self.output or {})}

    def command_line(self, given: Mapping[str, Any]) -> tuple[list[str], bytes]:
        """The words of the command, and its standard input; raises InvalidInput."""
        values = self._checked(given)
        options: list[str] = []
        plain: list[str] = []
        stdin = b""
        for each in self.parameters:
            if each.name not in values:
                continue
            value = values[each.name]
            if INPUT in (each.to, each.to.rpartition("=")[2]):
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                stdin = text.encode("utf-8", "surrogatepass")
                (plain if each.to == INPUT else options).append(each.to)
            elif each.to:
                options += each.words(value)
            else:
                plain.append(str(value))
        return [*self.command, "--json", "--with-text", *self.always, *options, "--", *plain], stdin

    def _checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        known = {each.name: each for each in self.parameters}
        for name in given:
            if name not in known:
                raise InvalidInput(f"{self.name} has no argument {name!r}", f"it takes: {', '.join(known) or 'none'}")
        values = {name: value for name, value in given.items() if value is not None}
        for each in self.parameters:
            if each.required and each.name not in values:
                raise InvalidInput(f"{self.name} needs {each.name}", str(each.schema.get("description", "")))
            if each.name in values:
                _check(each.name, values[each.name], each.schema)
        return values


def _check(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    """Whether a value is of the schema's type; what it may be beyond that, the command knows."""
    wanted = str(schema["type"])
    if not isinstance(value, _TYPES[wanted]) or (isinstance(value, bool) and wanted != "boolean"):
        raise InvalidInput(f"{name} should be of type {wanted}", str(schema.get("description", "")))
    if isinstance(value, list) and "items" in schema:
        for each in value:
            _check(f"each of {name}", each, schema["items"])
    if isinstance(value, dict):
        for key, inner in schema.get("properties", {}).items():
            if key in schema.get("required", ()) and key not in value:
                raise InvalidInput(f"{name} needs {key}", str(inner.get("description", "")))
            if key in value:
                _check(f"{name}.{key}", value[key], inner)
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict):
            for key, inner_value in value.items():
                _check(f"{name}.{key}", inner_value, extra)
