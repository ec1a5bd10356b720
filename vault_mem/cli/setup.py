"""vault-mem setup."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vault_mem.cli.common import Command, agrees, can_ask
from vault_mem.cli.console import Console
from vault_mem.setup.agents import AGENTS, Wish, default_scope
from vault_mem.vault.find import find_vault

if TYPE_CHECKING:
    from vault_mem.setup.setup import Plan

UNSAFE_EXIT = 6


@click.command(
    cls=Command,
    examples="""vault-mem setup claude-code --dry-run
                vault-mem setup codex --user --yes
                vault-mem setup cursor --cli --vault ~/my-vault
                vault-mem setup claude-code --remove""",
)
@click.argument("agent", type=click.Choice(AGENTS))
@click.option("--project", "scope", flag_value="project", help="In the current folder (default, but for openclaw).")
@click.option("--user", "scope", flag_value="user", help="In your home folder, for all projects.")
@click.option("--mcp", "surface", flag_value="mcp", default="mcp", help="Let the agent use the MCP server (default).")
@click.option("--cli", "surface", flag_value="cli", help="Let the agent use the command line only.")
@click.option("--include-private", is_flag=True, help="Let the session-start hook bring in private memories too.")
@click.option("--remove", is_flag=True, help="Take everything away again that setup added.")
@click.option("--yes", is_flag=True, help="Do it without asking.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.pass_obj
def command(
    console: Console,
    agent: str,
    scope: str | None,
    surface: str,
    include_private: bool,
    remove: bool,
    yes: bool,
    dry_run: bool,
) -> int:
    """Give an agent what it needs to use this memory: MCP entry, skill, hooks, four lines of instructions.

    Shows what would change in which file, then asks. --remove leaves every file as it was before.
    """
    from vault_mem.setup.setup import plan, plan_removal

    vault = find_vault(console.vault, console.cwd, console.env) if console.vault else None
    wish = Wish(
        agent,
        scope or default_scope(agent),
        surface,
        Path(console.cwd),
        console.env,
        vault,
        private_too=include_private,
    )
    result = plan_removal(wish) if remove else plan(wish)
    if not console.json:
        _show(console, result)
    agreed = dry_run or yes or result.empty or _agrees(console)
    if agreed and not dry_run:
        result.apply()
    if console.json:
        console.print_json(_json(result, wish, applied=agreed and not dry_run, refused=not agreed))
    elif not agreed:
        console.notice("Nothing was changed. Use --yes to do it without being asked.")
    elif not dry_run and not result.empty:
        console.print(f"Done. {_next_step(wish, remove)}")
    return 0 if agreed else UNSAFE_EXIT


def _show(console: Console, result: Plan) -> None:
    for change in result.changes:
        if change.action != "none":
            console.print(change.diff)
    if result.empty:
        console.print("Nothing to change.")
    for notice in result.notices:
        console.notice(f"note: {notice}")


def _agrees(console: Console) -> bool:
    """Ask, where there is somebody to ask."""
    return can_ask(console) and agrees(console, "Make these changes?")


def _next_step(wish: Wish, remove: bool) -> str:
    undo = "" if wish.scope == default_scope(wish.agent) else f" --{wish.scope}"
    again = "" if remove else f" To take it away again: vault-mem setup {wish.agent}{undo} --remove"
    return f"Start a new session of {wish.agent} to see it.{again}"


def _json(result: Plan, wish: Wish, *, applied: bool, refused: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "agent": wish.agent,
        "scope": wish.scope,
        "surface": wish.surface,
        "applied": applied,
        "changes": [
            {"path": str(change.path), "action": change.action, "diff": change.diff} for change in result.changes
        ],
        "notices": result.notices,
    }
    if refused:
        hint = "look at the diffs, then use --yes"
        document["error"] = {
            "code": "unsafe",
            "message": "setup changes files of yours and was not told to",
            "hint": hint,
        }
    return document
