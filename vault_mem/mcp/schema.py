"""Turns tool arguments into a command line. Values are never taken for options; long texts go to standard input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
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
    """One argument of a tool: its JSON schema, and where it goes on the command line.

    `to` is an option, `--on/--off` for a flag with an opposite, `-` for standard input, and empty for a plain argument.
    `rare` ones are left out of the core tools, `private` ones if only public memories are offered.
    """

    name: str
    to: str
    schema: Mapping[str, Any]
    required: bool = False
    rare: bool = False
    private: bool = False

    def words(self, value: Any) -> list[str]:
        """The option with its value or values."""
        if isinstance(value, bool):
            on, _, off = self.to.partition("/")
            return [on] if value else [off] if off else []
        if isinstance(value, dict):
            return [f"{self.to}={_key(name)}={_one_text(name, each)}" for name, each in value.items()]
        if isinstance(value, list):
            return [word for each in value for word in self._item(each)]
        return [self._with(value)]

    def _item(self, each: Any) -> list[str]:
        if isinstance(each, dict):  # an option with several values, in the order of the schema
            first, *rest = (str(each[name]) for name in self.schema["items"]["properties"])
            return [self._with(first), *rest]
        return [self._with(each)]

    def _with(self, value: Any) -> str:
        """Option and value as one word, so that no value is taken for an option."""
        return f"{self.to}={value}" if self.to.startswith("--") else f"{self.to}{value}"


def _key(name: str) -> str:
    if "=" in name or not name.strip():
        raise InvalidInput(f"{name!r} cannot be the name of a field")
    return name


def _one_text(name: str, value: Any) -> str:
    """A field's value as an option takes it."""
    if isinstance(value, bool):
        return json.dumps(value)
    items = value if isinstance(value, list) else ["" if value is None else value]
    if not all(isinstance(each, str | int | float) for each in items):
        raise InvalidInput(f"{name} must be text, a number or a list of texts")
    return ",".join(map(str, items))


@dataclass(frozen=True)
class Tool:
    """A tool: its command, its arguments, and what it does to the memory.

    An argument in `alternatives` runs another command instead. If it is a flag, that command takes the arguments
    `alternatives_take`; if it is a text, only that text. A call needs at least one of the arguments in `one_of`.
    """

    name: str
    title: str
    description: str
    command: tuple[str, ...]
    parameters: tuple[Parameter, ...] = ()
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    core: bool = False
    always_loaded: bool = False  # even by clients that load tools on demand
    always: tuple[str, ...] = ()  # options that every call passes
    in_public: tuple[str, ...] = ()  # options for servers that offer only public memories
    alternatives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    alternatives_take: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()  # unless one of `alternatives` with a value is given

    def offered(self, *, core: bool, public: bool) -> list[Parameter]:
        """The arguments that are offered."""
        return [each for each in self.parameters if not (core and each.rare) and not (public and each.private)]

    def input_schema(self, *, core: bool = False, public: bool = False) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        offered = self.offered(core=core, public=public)
        required = [each.name for each in offered if each.required]
        schema = {
            "type": "object",
            "properties": {each.name: dict(each.schema) for each in offered},
            "additionalProperties": False,
        }
        return schema | ({"required": required} if required else {})

    def command_line(self, given: Mapping[str, Any], *, public: bool = False) -> tuple[list[str], bytes]:
        """The command line and its standard input; raises InvalidInput if an argument is wrong."""
        values = self._checked(given, public)
        command, always = self.command, self.always
        chosen = {name: value for name in self.alternatives if (value := values.pop(name, False))}
        if chosen:
            command, always = self._alternative(chosen, values), ()
        options: list[str] = []
        plain = [value for value in chosen.values() if isinstance(value, str)]
        stdin = b""
        for each in self.parameters:
            if each.name not in values:
                continue
            value = values[each.name]
            if INPUT in (each.to, each.to.rpartition("=")[2]):
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                stdin = text.encode()
                (plain if each.to == INPUT else options).append(each.to)
            elif each.to:
                options += each.words(value)
            else:
                plain.append(str(value))
        seen = ["--public-view", *self.in_public] if public else []
        return [*command, "--json", "--for-tool", *seen, *always, *options, "--", *plain], stdin

    def _alternative(self, chosen: Mapping[str, Any], values: Mapping[str, Any]) -> tuple[str, ...]:
        first, *rest = chosen
        takes = () if isinstance(chosen[first], str) else self.alternatives_take
        others = [*rest, *(name for name in values if name not in takes)]
        if others:
            raise InvalidInput(f"{first} and {others[0]} do not go together", f"call {self.name} once for each")
        return self.alternatives[first]

    def _checked(self, given: Mapping[str, Any], public: bool) -> dict[str, Any]:
        known = {each.name: each for each in self.offered(core=False, public=public)}
        for name in given:
            if name not in known:
                raise InvalidInput(f"{self.name} has no argument {name!r}", f"it takes: {', '.join(known) or 'none'}")
        values = {name: _checked(name, value, known[name].schema) for name, value in given.items() if value is not None}
        answered = any(isinstance(values.get(name), str) for name in self.alternatives)
        for each in known.values():
            if (each.required or (each.name in self.needed and not answered)) and values.get(each.name) in (None, []):
                raise InvalidInput(f"{self.name} needs {each.name}", str(each.schema.get("description", "")))
            if each.name in values and each.to != INPUT and not each.to.endswith("=-"):
                _refuse_zero(each.name, values[each.name])
        if self.one_of and not any(values.get(name) not in (None, False, {}) for name in self.one_of):
            raise InvalidInput(f"{self.name} needs one of {', '.join(self.one_of)}", "it says what to change")
        return values


def _checked(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    """The value, checked against the schema; `2.0` and `"3"` count as integers."""
    wanted = schema.get("type")
    if isinstance(value, str):
        _refuse_broken(name, value)
    if not isinstance(wanted, str):
        return value
    if wanted in ("integer", "number"):
        value = _as_number(value, wanted)
    if not isinstance(value, _TYPES[wanted]) or (isinstance(value, bool) and wanted != "boolean"):
        raise InvalidInput(f"{name} should be of type {wanted}", str(schema.get("description", "")))
    if isinstance(value, int | float):
        _check_limits(name, value, schema)
    if "enum" in schema and value not in schema["enum"]:
        raise InvalidInput(f"{name} is one of {', '.join(schema['enum'])}", str(schema.get("description", "")))
    if isinstance(value, list):
        return [_checked(f"each of {name}", each, schema.get("items", {})) for each in value]
    if isinstance(value, dict):
        return _checked_object(name, value, schema)
    return value


def _checked_object(name: str, value: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    inner = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in value:
            raise InvalidInput(f"{name} needs {key}", str(inner[key].get("description", "")))
    extra = schema.get("additionalProperties")
    rest = extra if isinstance(extra, dict) else {}
    for key in value:
        _refuse_broken(f"a name in {name}", key)
    return {key: _checked(f"{name}.{key}", each, inner.get(key, rest)) for key, each in value.items()}


def _as_number(value: Any, wanted: str) -> Any:
    try:
        number = float(value) if isinstance(value, str) else value
    except ValueError:
        return value
    whole = wanted == "integer" and isinstance(number, float) and number.is_integer()
    return int(number) if whole else number


def _check_limits(name: str, value: float, schema: Mapping[str, Any]) -> None:
    low, high = schema.get("minimum"), schema.get("maximum")
    if (low is not None and not value >= low) or (high is not None and not value <= high):
        limits = f"from {low} to {high}" if high is not None else f"at least {low}"
        raise InvalidInput(f"{name} must be {limits}, not {value}", str(schema.get("description", "")))


def _refuse_broken(name: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{name} is not valid Unicode", "it has half of a surrogate pair") from error


def _refuse_zero(name: str, value: Any) -> None:
    """Raise InvalidInput for a zero byte, which would cut the argument short."""
    if "\0" in json.dumps(value, ensure_ascii=False).replace("\\u0000", "\0"):
        raise InvalidInput(f"{name} has a zero byte in it", "leave it out")
