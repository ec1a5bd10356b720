"""The entry point: finds the command, and turns errors into messages and exit codes."""

from __future__ import annotations

import importlib
import io
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from vault_mem import redact
from vault_mem.cli import screen
from vault_mem.cli.common import Explained, known_elsewhere, place_and_form
from vault_mem.cli.console import NARROWEST, Console
from vault_mem.errors import NotFound, VaultMemError, of_system
from vault_mem.model import MEMORY_ID
from vault_mem.register import COMMANDS, GROUPS, command_of, module_of

T = TypeVar("T")


class _Commands(Explained, click.Group):
    """A group whose commands are imported only when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"vault_mem.cli.{module_of(cmd_name)}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))  # one column of summaries under all headings
        for group in GROUPS:
            with formatter.section(group):
                formatter.write_dl(
                    [(name.ljust(width), entry.summary) for name, entry in COMMANDS.items() if entry.group == group]
                )

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and name not in COMMANDS and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else " See vault-mem --help."
            raise click.UsageError(f"No such command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        from vault_mem import __version__

        ctx.obj.print(f"vault-mem {__version__}")
        ctx.exit()


@click.command(
    cls=_Commands,
    help="Long-term memory for AI agents, in plain Markdown files.",
    params=place_and_form(),
    epilog="Exit codes: 0 done, 1 error, 2 usage, 3 not saved (duplicate), 4 not found, 5 conflict, 6 unsafe.",
)
@click.option("-v", "--verbose", count=True, help="Log to stderr (-vv for more).")
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
@click.pass_obj
def cli(console: Console, verbose: int) -> None:
    """Options that come before the command."""
    console.verbose = max(console.verbose, verbose)


def run(arguments: Sequence[str], console: Console) -> int:
    """Run one command line on a console. Returns the exit code; errors are printed, not raised."""
    arguments = list(arguments) or ["--help"]
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    private = "--private" in options
    width = max(min(console.width, 80) - 2, NARROWEST if console.terminal else 50)

    def call() -> int:
        result = cli.main(arguments, "vault-mem", standalone_mode=False, obj=console, terminal_width=width)
        return result if isinstance(result, int) else 0

    with redact.sealing(_values(arguments) if private else ()):
        return guarded(console, call, "--json" in options, private)


def _values(arguments: Sequence[str]) -> list[str]:
    """The values on a command line that must not be logged: all but commands, the vault's path and the category."""
    values = []
    for before, argument in zip(["", *arguments], arguments, strict=False):
        option, _, value = argument.partition("=") if argument.startswith("--") else ("", "", argument)
        named = {before, option} & {"--vault", "--category"}  # a private memory's category may be logged (SPEC P-4)
        if value and argument not in COMMANDS and not named and not argument.startswith("-h"):
            values.append(value)
    return values


# By argument: what helps if it begins with a dash and was taken for an option.
_WITH_A_DASH = {
    "query": " To look for words that begin with a dash, put -- before them.",
    "text": " To save a text that begins with a dash, put -- before it.",
}


def guarded(console: Console, call: Callable[[], T], wants_json: bool, private: bool = False) -> T | int:
    """The result of a call; if it raises, the error is printed on the console, and its exit code returned."""
    try:
        return call()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.UsageError as error:
        usage = error.ctx.get_usage() if error.ctx else ""
        unknown = private and isinstance(error, click.NoSuchOption)
        message = "No such option (not shown, because of --private)." if unknown else error.format_message()
        if isinstance(error, click.NoSuchOption) and error.ctx:
            taken = {each.name for each in error.ctx.command.params if isinstance(each, click.Argument)}
            message += "".join(hint for name, hint in _WITH_A_DASH.items() if name in taken)
        return fail(console, wants_json, "usage", message, usage, 2)
    except (click.Abort, KeyboardInterrupt):
        console.cancelled = lambda: False  # the interrupt is handled; one more line follows
        console.broken_off = True
        return fail(console, wants_json, "aborted", "Stopped.", "", 130)
    except VaultMemError as error:
        # The hint of NotFound is a scaffold (SPEC F-3), so --no-scaffold leaves it out.
        hint = "" if isinstance(error, NotFound) and console.scaffold is False else error.hint
        if isinstance(error, NotFound) and (id_ := MEMORY_ID.search(error.message)):
            other = known_elsewhere(console, id_[0])
            hint = f"it is in {other.name}; only the first --vault can be changed" if other else hint
        return fail(console, wants_json, error.code, error.message, hint, error.exit_code)
    except BrokenPipeError:
        return 0
    except screen.NotWritten:
        raise  # the command succeeded, but there is nowhere to print anything
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__module__ != "pyo3_runtime":  # not a panic in LanceDB
            raise
        console.broken_off = True
        ours = of_system(error)
        if ours is not None:
            return fail(console, wants_json, ours.code, ours.message, ours.hint, ours.exit_code)
        debug = console.env.get("VAULT_MEM_DEBUG")
        if debug == "raise":  # for people working on vault-mem itself
            raise
        if debug:
            console.notice(redact.trace(error))
        frame = traceback.extract_tb(error.__traceback__)[-1]
        message = f"unexpected {type(error).__name__} in {Path(frame.filename).name}:{frame.lineno}"
        hint = "please report it; VAULT_MEM_DEBUG=1 shows where it came from, without quoting your notes"
        return fail(console, wants_json, "internal", message, hint, 1)


def settle(console: Console, arguments: Sequence[str]) -> None:
    """After the answer: do the quiet work in the vaults that a command opened, and print its notices."""
    if not console.opened:
        return
    from vault_mem.operations.unasked.quiet import settle as do_what_waits
    from vault_mem.vault import turns
    from vault_mem.vault.folder import OWN

    for vault in console.opened:
        workspace = vault.workspace
        if console.broken_off or not workspace.is_fresh:
            continue  # it was cut short, or did not look at the notes
        turn = bool(command := command_of(list(arguments))) and COMMANDS[command].turn
        if turn and workspace.folder.tree.exists(OWN):  # a first recall leaves no trace
            turns.count_turn(workspace.folder)
        said = len(workspace.notices)
        guarded(console, partial(do_what_waits, workspace, tidy=turn), wants_json=False)
        for notice in workspace.notices[said:]:
            console.note(notice)
    console.opened.clear()


def fail(console: Console, as_json: bool, code: str, message: str, hint: str, exit_code: int) -> int:
    """Print an error, as text or as JSON; returns its exit code."""
    message, hint = redact.clean(message), redact.clean(hint)
    if as_json:
        console.print_json({"error": {"code": code, "message": message, "hint": hint}})
    else:
        console.notice(f"error: {message}" + (f"\n  {hint}" if hint else ""))
    return exit_code


def main(arguments: Sequence[str] | None = None, request: str = "") -> int:
    """Run a command line, by default this process's own, without the daemon; returns the exit code."""
    console = Console.of_process()
    console.request = request
    arguments = sys.argv[1:] if arguments is None else arguments
    if _is_paged(arguments):
        console.stdout = io.StringIO()
    code = 0
    try:
        code = run(arguments, console)
        if isinstance(console.stdout, io.StringIO):
            screen.show(console.stdout.getvalue().encode(errors="replace"))
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()
    except (screen.NotWritten, OSError) as error:
        code = screen.not_written(error)
    settle(console, arguments)
    return code


def _is_paged(arguments: Sequence[str]) -> bool:
    """Whether the answer is shown a screen at a time; not for commands that talk to the person."""
    command = command_of(list(arguments))
    talks = command in COMMANDS and COMMANDS[command].here and command not in ("help", "config", "sessions")
    talks = talks or "-i" in arguments or "--interactive" in arguments
    return screen.may_page(arguments) and (not talks or "--help" in arguments)
