"""vault-mem config."""

from __future__ import annotations

from pathlib import Path

import click

from vault_mem.cli.common import Group
from vault_mem.cli.console import Console
from vault_mem.errors import VaultNotFound
from vault_mem.messages import the_vault
from vault_mem.operations.vaults.configure import change, view
from vault_mem.vault.find import find_vault


@Group.with_examples("vault-mem config\nvault-mem config set adopt_ids never")
def command(console: Console) -> None:
    """Read and change settings. Without a subcommand: list them all."""
    _list(console, None)


@command.command("list", examples="vault-mem config list --json")
def list_command(console: Console) -> None:
    """List all settings, their values and where each is set."""
    _list(console, None)


@command.command("get", examples="vault-mem config get dedup_threshold")
@click.argument("name")
def get_command(console: Console, name: str) -> None:
    """Print one setting."""
    _list(console, name)


@command.command(
    "set",
    examples="""vault-mem config set adopt_ids never
                vault-mem config set include "notes/**, journal/**"
                vault-mem config set --user model ~/models/potion""",
)
@click.argument("name")
@click.argument("value")
@click.option("--user", is_flag=True, help="Set it in your own configuration, for all vaults.")
def set_command(console: Console, name: str, value: str, user: bool) -> None:
    """Change a setting. Separate list items with commas. Comments in the file are kept."""
    _change(console, name, value, user)


@command.command("unset", examples="vault-mem config unset adopt_ids")
@click.argument("name")
@click.option("--user", is_flag=True, help="In your own configuration.")
def unset_command(console: Console, name: str, user: bool) -> None:
    """Reset a setting to its default."""
    _change(console, name, None, user)


def _root(console: Console) -> Path | None:
    try:
        return find_vault(console.vault, console.cwd, console.env)
    except VaultNotFound:
        if console.vault:
            raise
        return None


def _list(console: Console, name: str | None) -> None:
    views = view(_root(console), console.env, name)
    document = {each.name: {"value": each.value, "source": each.source, "doc": each.doc} for each in views}
    console.answer(document, the_vault.settings(views) if name is None else the_vault.value(views[0].value))


def _change(console: Console, name: str, value: str | None, user: bool) -> None:
    root = _root(console)
    path = change(root, console.env, name, value, user=user)
    now = view(root, console.env, name)[0]
    text = f"{name} = {the_vault.value(now.value)}  ({path})"
    console.answer({"name": name, "value": now.value, "file": str(path)}, text)
