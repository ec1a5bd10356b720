"""vault-mem episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Group, finish, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean, notices

if TYPE_CHECKING:
    from vault_mem.library import Vault
    from vault_mem.operations.upkeep.episodes import EpisodeChange


@click.group(cls=Group, examples="vault-mem episode list\nvault-mem episode show ep_2dd43b5bd92d")
def command() -> None:
    """Group memories into one story: a note in episodes/ with a summary and links to its memories."""


@command.command(
    "create",
    examples="""vault-mem episode create --memory 6642d423 --memory 7c4a790b --summary "The midnight gap"
                echo "..." | vault-mem episode create --memory 6ccc7c83 --summary - --private""",
)
@click.option("--memory", "ids", multiple=True, required=True, metavar="ID", help="A memory to include (repeatable).")
@click.option("--summary", required=True, help="What happened, in a sentence or two; - reads standard input.")
@click.option("--title", default="", help="Heading and file name (default: the summary's first sentence).")
@click.option("--importance", type=click.IntRange(1, 5), help="1 to 5 (default: that of its most important memory).")
@click.option("--private", is_flag=True, help="Make it private. It is private anyway if one of its memories is.")
def create_command(
    console: Console, ids: tuple[str, ...], summary: str, title: str, importance: int | None, private: bool
) -> None:
    """Create an episode. Its start and end come from its memories."""
    vault = open_vault(console)
    text = console.read_text() if summary == "-" else summary
    made = vault.create_episode(ids, text, title=title, importance=importance, private=private)
    _changed(console, vault, "created", made)


@command.command("show", examples="vault-mem episode show ep_2dd43b5bd92d\nvault-mem episode show 2dd43b")
@click.argument("id_", metavar="EP")
def show_command(console: Console, id_: str) -> None:
    """Show an episode with its memories."""
    vault = open_vault(console)
    result = vault.episode(id_)
    reply(console, vault, result, keep_clean.episode(result, vault.workspace.folder.now()))


@command.command("list", examples="vault-mem episode list\nvault-mem episode list --json")
def list_command(console: Console) -> None:
    """List episodes, latest first."""
    vault = open_vault(console)
    result = vault.episodes()
    lines = [keep_clean.episode_line(each, vault.workspace.folder.zone) for each in result.episodes]
    reply(console, vault, result, "\n".join(lines) or keep_clean.NO_EPISODES)


@command.command("add", examples="vault-mem episode add ep_2dd43b5bd92d mem_dbc36cce71cd")
@click.argument("id_", metavar="EP")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def add_command(console: Console, id_: str, ids: tuple[str, ...]) -> None:
    """Add memories to an episode. Adding a private memory makes the episode private and moves its file."""
    vault = open_vault(console)
    _changed(console, vault, "added", vault.add_to_episode(id_, ids))


@command.command("remove", examples="vault-mem episode remove ep_2dd43b5bd92d mem_dbc36cce71cd")
@click.argument("id_", metavar="EP")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def remove_command(console: Console, id_: str, ids: tuple[str, ...]) -> None:
    """Remove memories from an episode. The memories themselves stay, and a private episode stays private."""
    vault = open_vault(console)
    _changed(console, vault, "removed", vault.remove_from_episode(id_, ids))


def _changed(console: Console, vault: Vault, status: str, change: EpisodeChange) -> None:
    said = {"status": status} if change.changed else {}
    console.answer(change.to_dict() | said, keep_clean.episode_changed(status, change))
    for key in change.left:
        console.note(notices.EPISODE_STILL_NAMED.format(key=key))
    finish(console, vault)
