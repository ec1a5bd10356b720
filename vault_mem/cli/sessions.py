"""vault-mem sessions."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from vault_mem.cli.common import Group, agrees, can_ask, finish, open_vault
from vault_mem.cli.console import Console
from vault_mem.errors import Unsafe
from vault_mem.messages import agents_day, words
from vault_mem.result import as_record

if TYPE_CHECKING:
    from vault_mem.operations.sessions.sessions import SessionFile


@Group.with_examples("""vault-mem sessions
                        vault-mem sessions show 1a2b3c4d
                        vault-mem sessions remove --older-than 30
                        vault-mem recall "what did we say about the parser?" --sessions""")
def command(console: Console) -> None:
    """List, show and remove captured sessions. Sessions are not memories, and git ignores them."""
    _list(console, "", "", 20)


@command.command("list", examples="vault-mem sessions list --project ~/projects/app")
@click.option(
    "--project", default="", metavar="DIR", help="Only sessions in this folder, or in a folder with this name."
)
@click.option("--agent", default="", help="Only sessions of this agent.")
@click.option("-n", "--limit", "limit", type=int, default=20, help="How many (default: 20).")
def list_command(console: Console, project: str, agent: str, limit: int) -> None:
    """List sessions, latest first."""
    _list(console, project, agent, limit)


@command.command("show", examples="vault-mem sessions show 1a2b3c4d")
@click.argument("which")
def show_command(console: Console, which: str) -> None:
    """Show one session, named by its file, the last digits of its name, or the agent's id for it."""
    vault = open_vault(console)
    found, text = vault.session(which)
    console.answer(_json(found) | {"text": text}, text)
    finish(console, vault)


@command.command(
    "remove",
    examples="""vault-mem sessions remove 1a2b3c4d
                vault-mem sessions remove --older-than 30 --project ~/projects/app --yes""",
)
@click.argument("which", nargs=-1)
@click.option(
    "--older-than", type=click.IntRange(0), metavar="DAYS", help="Sessions that ended more than this many days ago."
)
@click.option("--project", default="", metavar="DIR", help="Sessions in this folder, or in a folder with this name.")
@click.option("--all", "everything", is_flag=True, help="All sessions.")
@click.option("--dry-run", is_flag=True, help="Only show which.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove_command(
    console: Console,
    which: tuple[str, ...],
    older_than: int | None,
    project: str,
    everything: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Remove sessions for good; this cannot be undone. They are not captured or imported again."""
    vault = open_vault(console)
    days = timedelta(days=older_than) if older_than is not None else None
    chosen: dict[str, Any] = {"older_than": days, "project": _folder(console, project), "everything": everything}
    found = vault.remove_sessions(which, **chosen, dry_run=True).removed
    if found and not dry_run:
        which_ones = words.counted(len(found), "session")
        if not yes and not (can_ask(console) and agrees(console, f"Remove {which_ones} for good?")):
            raise Unsafe(f"{which_ones} would be deleted for good", "--yes removes them")
        found = vault.remove_sessions([each.key for each in found]).removed
    document = {"removed": [_json(each) for each in found], "dry_run": dry_run}
    console.answer(document, agents_day.removed_sessions(found, dry_run=dry_run))
    finish(console, vault)


def _list(console: Console, project: str, agent: str, limit: int) -> None:
    from vault_mem.vault.sessions import missed as not_captured

    vault = open_vault(console)
    found, now = vault.sessions(_folder(console, project), agent, limit), vault.workspace.folder.now()
    missed = [f"Not captured: {each}" for each in not_captured(vault.workspace.folder)]
    none = agents_day.NO_SUCH_SESSIONS if project or agent else agents_day.NO_SESSIONS
    text = "\n".join([*(agents_day.session_line(each, now) for each in found), *missed]) or none
    console.answer({"sessions": [_json(each) for each in found], "missed": missed}, text)
    finish(console, vault)


def _folder(console: Console, project: str) -> str:
    """A project's folder as sessions name it; a bare name stays one."""
    if project in (".", "..") or "/" in project or project.startswith("~"):
        return os.path.normpath(console.path(project))
    return project


def _json(each: SessionFile) -> dict[str, Any]:
    head = {name: value for name, value in as_record(each.head).items() if value not in ("", None, False)}
    return {"file": each.key, "title": each.title, "bytes": each.size} | head
