"""What all commands share: options, opening the vault, saying what was changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from datetime import datetime
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vault_mem import redact
from vault_mem.cli.console import Console
from vault_mem.errors import InvalidInput, VaultMemError
from vault_mem.messages import keep_clean, notices
from vault_mem.messages.words import counted
from vault_mem.notes.origin import TRUST, UNKNOWN
from vault_mem.visible import tagging

if TYPE_CHECKING:
    from pathlib import Path

    from vault_mem.library import Vault
    from vault_mem.operations.memory.filters import Filters
    from vault_mem.operations.upkeep.edit_memory import EditResult
    from vault_mem.operations.vaults.several import OtherVault
    from vault_mem.operations.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])
log = redact.logger(__name__)

_NARROW = 50
_INDENTED = 6  # shorter than any option, so that each option gets a line of its own


class _Help(click.HelpFormatter):
    """In a narrow terminal, the help of an option or command is printed below it."""

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        super().write_dl(rows, _INDENTED if self.width < _NARROW else col_max, col_spacing)


class Context(click.Context):
    """The context of a command that is run or explained."""

    formatter_class = _Help


class Explained(click.Command):
    """A command that prints its help on its console, followed by its examples as they are written."""

    context_class = Context

    def __init__(self, *args: Any, examples: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples after the options, or after the subcommands."""
        super().format_epilog(ctx, formatter)
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples.strip().splitlines():
                    formatter.write(f"  {line.strip()}\n")

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """A --help that writes to the command's own console."""

        def show(ctx: click.Context, param: click.Parameter, value: bool) -> None:
            if value and not ctx.resilient_parsing:
                ctx.obj.print(ctx.get_help())
                ctx.exit()

        return _noted("-h", "--help", note=show, help="Show this help and exit.", is_flag=True, is_eager=True)


class Command(Explained):
    """A command with the options that all commands share; its function gets the console as first argument."""

    def __init__(self, *args: Any, callback: Callable[..., Any], **kwargs: Any) -> None:
        super().__init__(*args, callback=click.pass_obj(callback), **kwargs)
        self.params += [*place_and_form(), *_shared_options()]

    @classmethod
    def with_examples(cls, examples: str) -> Callable[[Callable[..., Any]], Command]:
        """Decorator: makes a function a command."""
        return click.command(cls=cls, examples=examples)

    def invoke(self, ctx: click.Context) -> Any:
        """Run it, and log what was run, how long it took and how it failed, all redacted."""
        console: Console = ctx.obj
        name = ctx.command_path.partition(" ")[2]
        started = time.monotonic()
        with redact.shown(console.stderr, console.verbose), tagging() if console.for_tool else nullcontext():
            log.log(redact.step(), "Tool invocation: %s %s", name, redact.sanitised(name, ctx.params))
            try:
                return super().invoke(ctx)
            except VaultMemError as error:
                log.error("%s: %s: %s", name, error.code, error.message)
                log.debug("where it came from", exc_info=error)
                raise
            except (click.ClickException, click.exceptions.Exit, click.Abort):
                raise
            except Exception as error:
                log.error("%s: unexpected %s", name, type(error).__name__, exc_info=error)
                raise
            finally:
                log.debug("%s took %.0f ms", name, (time.monotonic() - started) * 1000)


class Group(Explained, click.Group):
    """A command with subcommands; --vault and --json may also come before the subcommand."""

    command_class = Command

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += place_and_form()

    @classmethod
    def with_examples(cls, examples: str) -> Callable[[Callable[..., Any]], Group]:
        """Decorator: makes a function a group. The function runs if no subcommand is given."""

        def made(function: Callable[..., Any]) -> Group:
            @click.pass_context
            @wraps(function)
            def alone(ctx: click.Context, /, **options: Any) -> Any:
                return function(ctx.obj, **options) if ctx.invoked_subcommand is None else None

            return click.group(cls=cls, invoke_without_command=True, examples=examples)(alone)

        return made


def _noted(*names: str, note: Callable[[click.Context, click.Parameter, Any], None], **form: Any) -> click.Option:
    """An option that is recorded on the console instead of being passed to the command."""
    return click.Option(names, expose_value=False, callback=note, **form)


def _note(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """A callback that records the option on the console, under this name."""

    def keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        if value:
            setattr(ctx.obj, name, value)

    return keep


def _note_vaults(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> None:
    if value:
        ctx.obj.vaults += value
        ctx.obj.vault = ctx.obj.vaults[0]


def place_and_form() -> list[click.Option]:
    """The options that may be given before a subcommand as well as after it."""
    several = "The vault to use (repeatable, to ask several)."
    return [
        _noted("--vault", note=_note_vaults, help=several, multiple=True, metavar="DIR"),
        _noted("--json", note=_note("json"), help="Print the answer as JSON.", is_flag=True),
    ]


def _shared_options() -> list[click.Option]:
    def verbose(ctx: click.Context, param: click.Parameter, value: int) -> None:
        ctx.obj.verbose = max(ctx.obj.verbose, value)

    def no_scaffold(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        if value:
            ctx.obj.scaffold = False

    lean = "With --json: lean data, and what would be printed without it, with the words of memories tagged."
    public = "As if there were no private memories (SPEC S-6)."
    return [
        _noted("-v", "--verbose", note=verbose, help="Log to stderr (-vv for more); never private text.", count=True),
        _noted("--for-tool", note=_note("for_tool"), help=lean, is_flag=True, hidden=True),
        _noted("--public-view", note=_note("public"), help=public, is_flag=True, hidden=True),
        _noted("--no-scaffold", note=no_scaffold, help="Leave out the closing question to the agent.", is_flag=True),
    ]


def open_vault(console: Console, what: str = "Indexing") -> Vault:
    """The vault that a command works on."""
    if console.opening is not None:
        vault = console.opening(console, what)
    else:
        from vault_mem.library import Vault
        from vault_mem.vault.interrupted import request_id

        request_id.set(console.request)
        vault = Vault(console.vault, env=console.env, cwd=console.cwd, progress=console.progress(what))
        console.opened.append(vault)
    vault.workspace.folder.public = console.public
    if console.shows_links:
        console.address = partial(_in_obsidian, vault)
    return vault


def _in_obsidian(vault: Vault, id_: str) -> str:
    """The URL that opens a memory in Obsidian."""
    folder, index = vault.workspace.folder, vault.workspace.index
    key = index.known.key_of(id_) if index.is_open else None
    return folder.in_obsidian(key) if key else ""


def other_vaults_for(console: Console, vault: Vault) -> list[OtherVault]:
    """The other vaults that answer as well: those that were named, or those in the user's settings."""
    return _open_others(console, vault.workspace.folder.root, vault.workspace.notices)


def open_vault_of(console: Console, id_: str) -> Vault:
    """The vault in which to change a memory. A model cannot give --vault, so it is the one that has it (SPEC K-5)."""
    found = known_elsewhere(console, id_) if console.for_tool else None
    if found is not None:
        console.vault, console.public = str(found.workspace.folder.root), True
    return open_vault(console)


def known_elsewhere(console: Console, id_: str) -> OtherVault | None:
    """The other vault with a memory that the nearest vault does not have; None if there is none."""
    from vault_mem.vault.find import find_vault

    def has(workspace: Workspace) -> bool:
        workspace.freshen()
        key = workspace.index.known.key_of(id_)
        return bool(key and workspace.folder.is_shown(key))

    try:
        nearest = find_vault(console.vault, console.cwd, console.env)
        found = next((other for other in _open_others(console, nearest, []) if has(other.workspace)), None)
        return found if found and not has(_opened(console, nearest)) else None
    except VaultMemError:
        return None  # the caller reports that the memory was not found


def _open_others(console: Console, nearest: Path, troubles: list[str]) -> list[OtherVault]:
    """The other vaults that can be opened; why others cannot is added to `troubles` (SPEC L-4)."""
    from vault_mem.vault.find import other_vaults

    absent: list[tuple[str, VaultMemError]] = []
    roots = other_vaults(nearest, console.vaults, console.cwd, console.env, lambda *each: absent.append(each))
    if not roots and not absent:
        return []
    from vault_mem.operations.vaults.several import OtherVault, no_answer

    troubles += (no_answer(name, error) for name, error in absent)
    found = []
    for root in roots:
        try:
            found.append(OtherVault(vault_name(console, root), _opened(console, root)))
        except VaultMemError as error:
            troubles.append(no_answer(vault_name(console, root), error))
    return found


def _opened(console: Console, root: Path) -> Workspace:
    """Another vault's workspace, for reading."""
    from vault_mem.operations.workspace import Workspace
    from vault_mem.vault.folder import Folder

    return console.lending(console, root) if console.lending else Workspace(Folder(root, console.env))


def vault_name(console: Console, root: Path) -> str:
    """A vault's name in answers: its path, with ~ for the home folder."""
    home = console.env.get("HOME")
    return f"~/{root.relative_to(home).as_posix()}" if home and root.is_relative_to(home) else str(root)


def finish(console: Console, vault: Vault, result: Any = None) -> None:
    """Print the notices on stderr, and whether the result is stale."""
    vault.workspace.tell_astray()
    for notice in vault.workspace.notices:
        console.note(notice)
    if getattr(result, "stale", False):
        console.note(notices.STALE.format(pending=result.pending))


def reply(console: Console, vault: Vault, result: Any, text: str, **more: Any) -> None:
    """Print a result, as text or as JSON with `more` fields, then the notices."""
    console.answer(result.to_dict() | more, text)
    finish(console, vault, result)


def tell_left(console: Console, vault: Vault, left: list[str], what: str, *, update_links: bool) -> None:
    """List the files that still name a memory, and say what to do about a person's own ones (SPEC O-2)."""
    for key in left:
        console.note(notices.LEFT_ALONE.format(key=key, what=what))
    own = [key for key in left if not vault.workspace.folder.is_note(key)]
    if own and not update_links:
        console.note(notices.DEAD_LINKS.format(files=counted(len(own), "file")))


def changed(console: Console, vault: Vault, what: str, result: EditResult) -> None:
    """Say that one memory was changed, and how."""
    reply(console, vault, result, keep_clean.changed(what, result), status=what.lower())


def can_ask(console: Console) -> bool:
    """Whether somebody is there to answer a question."""
    return not console.json and console.interactive and console.stdin.isatty()


def agrees(console: Console, question: str) -> bool:
    """Ask a person; anything but a yes means no."""
    console.stderr.write(f"{question} [y/N] ")
    console.stderr.flush()
    return console.ask().strip().lower() in ("y", "yes")


def scaffolded(console: Console, vault: Vault, scaffold: str, name: str = "") -> str:
    """The scaffold, or the one that the settings have for this name; empty if scaffolds are turned off."""
    settings = vault.workspace.folder.settings
    wanted = settings.scaffold if console.scaffold is None else console.scaffold
    return (getattr(settings, f"scaffold_{name}", "") or scaffold) if wanted else ""


def moment(text: str | None, vault: Vault, name: str, *, ahead: bool = False) -> datetime | None:
    """A date or time from the command line, such as "last week"; with `ahead`, "Friday" is the next one."""
    from vault_mem.operations.memory.when import moment as read

    if text is None:
        return None
    value = read(text, vault.workspace.folder.now(), ahead=ahead)
    if value is None:
        raise InvalidInput(f"{name} should be a date such as 2026-11-15, 2026-11-15T23:25 or “last week”, not {text!r}")
    return value


def filter_options(function: F) -> F:
    """Decorator: adds the options that filter memories."""
    for option in reversed(
        [
            click.option("--category", help="Only this category."),
            click.option("--kind", help="Only this kind: event, fact, relation, task, summary, mood."),
            click.option("--tag", "tags", multiple=True, help="Only with this tag (repeatable)."),
            click.option("--person", "people", multiple=True, help="Only with this person (repeatable)."),
            click.option("--emotion", help="Only with this emotion."),
            click.option("--importance", type=click.IntRange(1, 5), help="Minimum importance (1-5)."),
            click.option("--since", metavar="DATE", help='Only from this date on, such as 2026-09-01 or "last week".'),
            click.option("--until", metavar="DATE", help="Only before this date."),
            click.option("--private/--public", default=None, help="Only private or only public memories."),
            click.option("--episode", metavar="EP", help="Only memories of this episode."),
            click.option("--closed", is_flag=True, help="Include closed memories."),
            click.option(
                "--trust",
                type=click.Choice([*TRUST, UNKNOWN]),
                help="Minimum trust in where it comes from; none: unknown origin.",
            ),
            click.option("--as-of", metavar="DATE", help="What was true on this date."),
        ]
    ):
        function = option(function)
    return function


def filters_from(vault: Vault, given: dict[str, Any]) -> Filters:
    """The filters that the options describe."""
    from vault_mem.operations.memory.filters import Filters

    times = {name: moment(given[name], vault, f"--{name.replace('_', '-')}") for name in ("since", "until", "as_of")}
    given = dict(given)
    episode = given.pop("episode")
    ids = None if episode is None else [memory.id for memory in vault.episode(episode).memories]
    if (trust := given.pop("trust")) is not None:
        known = vault.trusted_ids(trust)
        ids = sorted(known if ids is None else known & set(ids))
    return Filters(**given | times | {"ids": ids} | {"tags": list(given["tags"]), "people": list(given["people"])})
