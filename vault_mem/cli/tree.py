"""The whole command tree as data, for agents and for shell completion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from vault_mem import __version__
from vault_mem.cli.main import cli
from vault_mem.register import COMMANDS

EXIT_CODES = {
    "0": "done",
    "1": "error: no vault, a setting or model that cannot be used, a failed write; doctor: something needs attention",
    "2": "usage: an unknown command or option, a value that makes no sense, an empty text",
    "3": "not saved, because it repeats a memory",
    "4": "no memory or setting of that name",
    "5": "a file was changed in the meantime; nothing was overwritten",
    "6": "stopped: going on could lose something, or another process is in the way",
}


def tree() -> dict[str, Any]:
    """Every command with its arguments, options and examples."""
    node = describe(cli, click.Context(cli, info_name="vault-mem"))
    return {"version": __version__, **node, "exit_codes": EXIT_CODES}


def index() -> dict[str, Any]:
    """Every command in one line: name, arguments, summary and subcommands."""
    top = click.Context(cli, info_name="vault-mem")
    found = []
    for name, entry in COMMANDS.items():
        command = cli.get_command(top, name)
        context = click.Context(command, info_name=name, parent=top) if command else top
        taken = [each for each in (command.params if command else ()) if isinstance(each, click.Argument)]
        given = " ".join(each.make_metavar(context) for each in taken)
        below = command.list_commands(context) if isinstance(command, click.Group) else []
        said = f"{entry.summary} ({', '.join(below)})" if below else entry.summary
        found.append({"name": name, "arguments": given, "summary": said})
    more = "help --json COMMAND: its options and examples; help --json --all: everything"
    return {"version": __version__, "commands": found, "exit_codes": EXIT_CODES, "more": more}


def find(words: tuple[str, ...]) -> tuple[click.Command, click.Context]:
    """The command that these words name, with its context; raises UsageError if there is none."""
    command: click.Command = cli
    context = click.Context(cli, info_name="vault-mem")
    for word in words:
        below = command.get_command(context, word) if isinstance(command, click.Group) else None
        if below is None:
            raise click.UsageError(f"No such command {' '.join(words)!r}. See vault-mem help.")
        command, context = below, click.Context(below, info_name=word, parent=context)
    return command, context


def describe(command: click.Command, context: click.Context) -> dict[str, Any]:
    """A command and its subcommands."""
    name = context.info_name or ""
    options = [each for each in command.get_params(context) if isinstance(each, click.Option) and not each.hidden]
    node: dict[str, Any] = {
        "name": context.command_path,
        "summary": COMMANDS[name].summary if name in COMMANDS else command.get_short_help_str(120),
        "help": " ".join((command.help or "").split()),
        "usage": " ".join([context.command_path, *command.collect_usage_pieces(context)]),
        "arguments": [_argument(each) for each in command.params if isinstance(each, click.Argument)],
        "options": [_option(each) for each in options],
        "examples": [line.strip() for line in getattr(command, "examples", "").strip().splitlines()],
    }
    if isinstance(command, click.Group):
        node["commands"] = list(_below(command, context))
    return node


def _below(group: click.Group, context: click.Context) -> Iterator[dict[str, Any]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            yield describe(command, click.Context(command, info_name=name, parent=context))


def _argument(each: click.Argument) -> dict[str, Any]:
    name = (each.metavar or each.name or "").strip("[].").upper()
    return {"name": name, "required": each.required, "multiple": each.nargs == -1} | _type(each)


def _option(each: click.Option) -> dict[str, Any]:
    default = each.default
    plain = default is None or isinstance(default, str | int | float | bool)
    return {
        "names": [*each.opts, *each.secondary_opts],
        "flag": bool(each.is_flag or each.count),
        "multiple": bool(each.multiple),
        "required": each.required,
        "default": default if plain and not each.multiple else None,
        "help": each.help or "",
    } | _type(each)


def _type(each: click.Parameter) -> dict[str, Any]:
    if isinstance(each.type, click.Choice):
        return {"type": "choice", "choices": [str(choice) for choice in each.type.choices]}
    if isinstance(each, click.Option) and each.is_flag:
        return {"type": "boolean"}
    return {"type": {"integer range": "integer", "float range": "float"}.get(each.type.name, each.type.name)}
