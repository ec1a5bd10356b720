"""The tools of the MCP server as plain Python functions, for frameworks that make tools of those."""

from __future__ import annotations

import inspect
import io
import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Literal

from vault_mem import library
from vault_mem.cli.console import Console
from vault_mem.cli.main import run
from vault_mem.errors import InvalidInput
from vault_mem.mcp.schema import Parameter, Tool
from vault_mem.mcp.tools import SETS, chosen
from vault_mem.mcp.words import in_tool_words, said_to_a_model
from vault_mem.vault.find import current_folder
from vault_mem.visible import all_visible

if TYPE_CHECKING:
    from vault_mem.python.vault import Vault

_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list[str],
    "object": dict[str, Any],
}


def as_tools(vault: Vault, which: str, *, public_only: bool) -> list[Callable[..., str]]:
    """A function for every tool of a set, with the names, words and arguments that the server offers."""
    if which not in SETS:
        raise InvalidInput(f"tools are {' or '.join(SETS)}, not {which!r}")
    tools = chosen(which)
    offered = {tool.name for tool in tools}
    return [_function(vault, tool, offered, core=which == "core", public=public_only) for tool in tools]


def _function(vault: Vault, tool: Tool, offered: set[str], *, core: bool, public: bool) -> Callable[..., str]:
    offers = (each for each in tool.offered(core=core, public=public) if each.to != "--to")  # this vault, no other
    parameters = sorted(offers, key=lambda each: not each.required)
    signature = inspect.Signature([_parameter(each) for each in parameters], return_annotation=str)

    def call(*args: Any, **options: Any) -> str:
        given = signature.bind(*args, **options).arguments
        return _answer(vault, tool, offered, given, public)

    lines = [f"    {each.name}: {each.schema.get('description', '')}" for each in parameters]
    call.__name__ = call.__qualname__ = tool.name
    call.__doc__ = "\n".join([tool.description, *(["", "Args:", *lines] if lines else [])])
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()} | {"return": str}
    return call


def _parameter(each: Parameter) -> inspect.Parameter:
    schema = each.schema
    kind = Literal[tuple(schema["enum"])] if "enum" in schema else _TYPES[str(schema["type"])]
    if schema.get("items", {}).get("type") == "object":
        kind = list[dict[str, Any]]
    kind = kind if each.required or "default" in schema else kind | None
    default = inspect.Parameter.empty if each.required else schema.get("default")
    return inspect.Parameter(each.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind)


def _answer(vault: Vault, tool: Tool, offered: set[str], given: Mapping[str, Any], public: bool) -> str:
    """What the tool says to a model; an error is said too, so that the model can act on it."""
    try:
        words, stdin = tool.command_line(given, public=public)
    except InvalidInput as error:
        return f"error: {error.message}" + (f" ({error.hint})" if error.hint else "")
    out, err = io.StringIO(), io.StringIO()
    with vault._write_queue.turn() if not tool.read_only else nullcontext(), vault._lent() as workspace:
        console = Console(current_folder(), workspace.folder.env, io.BytesIO(stdin), out, err)
        console.opening = lambda *_: library.Vault.of(workspace)
        run(words, console)
        workspace.folder.public = False
        workspace.notices.clear()
    document = all_visible(json.loads(out.getvalue()))
    if "error" in document:
        failure = document["error"]
        hint = f" ({failure['hint']})" if failure["hint"] else ""
        return in_tool_words(f"error: {failure['message']}{hint}", tool, offered)
    return said_to_a_model(document["text"], document["tag"], tool, offered)
