"""vault-mem episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, Group, finish, open_vault
from vault_mem.cli.console import Console

if TYPE_CHECKING:
    from vault_mem.library import Vault
    from vault_mem.operations.upkeep.episodes import EpisodeChange


@click.group(cls=Group, examples="vault-mem episode list\nvault-mem episode show ep_2dd43b5bd92d")
def command() -> None:
    """Memories that belong together, as one story: a note in episodes/ with a summary and its members."""


@command.command(
    "create",
    cls=Command,
    examples="""vault-mem episode create --memory 6642d423 --memory 7c4a790b --summary "The midnight gap"
                echo "..." | vault-mem episode create --memory 6ccc7c83 --summary - --private""",
)
@click.option("--memory", "ids", multiple=True, required=True, metavar="ID", help="A memory of it (repeatable).")
@click.option("--summary", required=True, help="What happened, in a sentence or two; - reads standard input.")
@click.option("--title", default="", help="Its heading and file name; by default the summary's first sentence.")
@click.option("--importance", type=click.IntRange(1, 5), help="1 to 5; by default that of its most important memory.")
@click.option("--private", is_flag=True, help="Keep it private; it is anyway if one of its memories is.")
@click.pass_obj
def create_command(
    console: Console, ids: tuple[str, ...], summary: str, title: str, importance: int | None, private: bool
) -> None:
    """Save an episode. When it began and ended is taken from its memories."""
    vault = open_vault(console)
    text = console.read_text() if summary == "-" else summary
    made = vault.create_episode(ids, text, title=title, importance=importance, private=private)
    _changed(console, vault, "created", made)


@command.command("show", cls=Command, examples="vault-mem episode show ep_2dd43b5bd92d\nvault-mem episode show 2dd43b")
@click.argument("id_", metavar="EP")
@click.pass_obj
def show_command(console: Console, id_: str) -> None:
    """Show an episode with its memories."""
    from vault_mem import messages

    vault = open_vault(console)
    result = vault.episode(id_)
    console.answer(
        result.to_dict(),
        messages.episode(result, vault.workspace.folder.now()),
    )
    finish(console, vault, stale=result.stale, pending=result.pending)


@command.command("list", cls=Command, examples="vault-mem episode list\nvault-mem episode list --json")
@click.pass_obj
def list_command(console: Console) -> None:
    """List the episodes, the one that ended last first."""
    from vault_mem import messages

    vault = open_vault(console)
    result = vault.episodes()
    lines = [messages.episode_line(each, vault.workspace.folder.zone) for each in result.episodes]
    console.answer(result.to_dict(), "\n".join(lines) or "No episodes.")
    finish(console, vault, stale=result.stale, pending=result.pending)


@command.command("add", cls=Command, examples="vault-mem episode add ep_2dd43b5bd92d mem_dbc36cce71cd")
@click.argument("id_", metavar="EP")
@click.argument("ids", metavar="ID", nargs=-1, required=True)
@click.pass_obj
def add_command(console: Console, id_: str, ids: tuple[str, ...]) -> None:
    """Put memories into an episode. With a private memory it becomes private itself, and its file moves."""
    vault = open_vault(console)
    _changed(console, vault, "added", vault.add_to_episode(id_, ids))


@command.command("remove", cls=Command, examples="vault-mem episode remove ep_2dd43b5bd92d mem_dbc36cce71cd")
@click.argument("id_", metavar="EP")
@click.argument("ids", metavar="ID", nargs=-1, required=True)
@click.pass_obj
def remove_command(console: Console, id_: str, ids: tuple[str, ...]) -> None:
    """Take memories out of an episode; the memories themselves stay. A private episode stays private."""
    vault = open_vault(console)
    _changed(console, vault, "removed", vault.remove_from_episode(id_, ids))


def _changed(console: Console, vault: Vault, status: str, change: EpisodeChange) -> None:
    from vault_mem import messages

    said = {"status": status} if change.changed else {}
    console.answer(change.to_dict() | said, messages.episode_changed(status, change))
    for key in change.left:
        console.notice(f"note: {key} still names the episode, which is private now")
    finish(console, vault)
