"""vault-mem setup."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vault_mem.cli.common import Command, agrees, can_ask
from vault_mem.cli.console import Console
from vault_mem.errors import VaultNotFound
from vault_mem.messages import agents_day, notices
from vault_mem.messages.words import counted
from vault_mem.setup.agents import AGENTS, default_scope
from vault_mem.setup.options import TOOL_SETS, SetupOptions
from vault_mem.vault.find import find_vault, other_vaults

if TYPE_CHECKING:
    from vault_mem.setup.setup import Plan

UNSAFE_EXIT = 6


@Command.with_examples("""vault-mem setup claude-code --dry-run
                          vault-mem setup codex --user --yes
                          vault-mem setup cursor --cli --vault ~/my-vault
                          vault-mem setup claude-code --remove""")
@click.argument("agent", type=click.Choice(AGENTS), metavar="AGENT")
@click.option("--project", "scope", flag_value="project", help="For the current folder (default, except for openclaw).")
@click.option("--user", "scope", flag_value="user", help="For all projects, in your home folder.")
@click.option("--mcp", "surface", flag_value="mcp", default="mcp", help="Let the agent use the MCP server (default).")
@click.option("--cli", "surface", flag_value="cli", help="Let the agent use the command line only.")
@click.option(
    "--tools",
    type=click.Choice(TOOL_SETS),
    default="core",
    help="Which tools the server offers (default: the five core tools).",
)
@click.option("--public", is_flag=True, help="Give the agent public memories only.")
@click.option("--include-private", is_flag=True, help="Include private memories in the session-start hook.")
@click.option("--capture", is_flag=True, help="Capture sessions (see `vault-mem capture --help`).")
@click.option("--per-prompt", is_flag=True, help="Add a memory to a prompt if it very likely answers it.")
@click.option("--sandbox", is_flag=True, help="Let sandboxed commands of Claude Code or Codex save memories.")
@click.option("--remove", is_flag=True, help="Remove everything that setup added.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--no-check", is_flag=True, help="Skip the check that the memory answers.")
def command(
    console: Console,
    agent: str,
    scope: str | None,
    include_private: bool,
    remove: bool,
    yes: bool,
    dry_run: bool,
    no_check: bool,
    **wanted: Any,
) -> int:
    """Set up an agent to use this memory: MCP entry, skill, hooks and four lines of instructions.

    AGENT is claude-code, codex, openclaw, cursor, gemini, opencode, copilot, qwen, cline, amp, vscode, windsurf, zed,
    goose or generic.

    Shows what would change in which file, asks, and then checks that the memory answers. If there is no vault, it
    offers to make one (or give --vault DIR). --remove restores every file.
    """
    from vault_mem.setup.setup import plan, plan_removal

    scope = scope or default_scope(agent)
    vault, outside = (None, ()) if remove else _vault(console, scope, yes=yes, dry_run=dry_run)
    place: dict[str, Any] = {"project": Path(console.cwd), "env": console.env, "vault": vault, "outside": outside}
    options = SetupOptions(agent, scope, private_too=include_private, **place, **wanted)
    result = plan_removal(options) if remove else plan(options)
    if not console.json:
        _show(console, result)
    agreed = dry_run or yes or result.empty or (can_ask(console) and agrees(console, "Make these changes?"))
    applied = agreed and not dry_run
    if applied:
        result.apply()
    check = "" if remove or no_check or not applied else _tried(console, options)
    if console.json:
        console.print_json(_json(result, options, applied=applied, refused=not agreed) | {"check": check})
    elif not agreed:
        console.notice(agents_day.NOT_SET_UP)
    elif applied:
        if check:
            console.print(check)
        if not result.empty:
            flag = "" if scope == default_scope(agent) else f" --{scope}"
            console.print(agents_day.set_up(agent, flag, remove=remove))
    return 0 if agreed else UNSAFE_EXIT


def _vault(console: Console, scope: str, *, yes: bool, dry_run: bool) -> tuple[Path | None, tuple[Path, ...]]:
    """The vault's path (None if the agent finds it by itself), and all vaults outside the project.

    If there is no vault yet, offers to make one.
    """
    try:
        found = find_vault(console.vault, console.cwd, console.env)
    except VaultNotFound as error:
        named = console.path(console.vault) if console.vault else None
        wanted = named or Path(console.env.get("HOME") or Path.home()) / "memory"
        if dry_run:
            console.note(notices.NO_VAULT_YET.format(folder=wanted))
            return wanted, (wanted,)
        made = (yes and named is not None) or (can_ask(console) and agrees(console, f"Make a vault in {wanted}?"))
        if not made:
            error.hint = "name one with --vault (--yes makes it), or run `vault-mem init FOLDER` first"
            raise
        from vault_mem.library import Vault

        root = Path(Vault.init(wanted, env=console.env).root)
        return root, (root,)
    around = found == Path(console.cwd) or found in Path(console.cwd).parents
    is_named = bool(console.vault or console.env.get("VAULT_MEM_VAULT"))
    others = other_vaults(found, console.vaults, console.cwd, console.env)
    inside = [root for root in (found, *others) if scope == "project" and root.is_relative_to(console.cwd)]
    outside = tuple(root for root in (found, *others) if root not in inside)
    return found if is_named or (around and scope == "user") else None, outside


def _tried(console: Console, options: SetupOptions) -> str:
    """Make a real call the way the agent will; returns the message about its success, or empty."""
    import shutil

    from vault_mem.cli.try_out import first_answer

    program = shutil.which("vault-mem", path=console.env.get("PATH"))
    if program is None:
        console.note(notices.NOT_ON_PATH)
    try:
        total = first_answer(options, program, console.env)
    except (OSError, ValueError, KeyError) as error:
        console.note(notices.NO_ANSWER.format(error=error))
        return ""
    return agents_day.TRIED.format(memories=counted(total, "memory"))


def _show(console: Console, result: Plan) -> None:
    for change in result.changes:
        if change.action != "none":
            console.print(change.diff, as_is=True)
    if result.empty:
        console.print(agents_day.NOTHING_TO_CHANGE)
    for notice in result.notices:
        console.note(notice)


def _json(result: Plan, options: SetupOptions, *, applied: bool, refused: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "agent": options.agent,
        "scope": options.scope,
        "surface": options.surface,
        "applied": applied,
        "changes": [
            {"path": str(change.path), "action": change.action, "diff": change.diff} for change in result.changes
        ],
        "notices": result.notices,
    }
    if refused:
        message, hint = "setup changes your files, so it needs your consent", "look at the diffs, then use --yes"
        document["error"] = {"code": "unsafe", "message": message, "hint": hint}
    return document
