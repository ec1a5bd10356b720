"""vault-mem capture; as a hook calls it, `vault_mem.capture` does the same without loading this."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console
from vault_mem.errors import VaultNotFound


@click.command(
    cls=Command,
    examples="""vault-mem setup claude-code --capture     # the usual way: hooks that call it
                vault-mem capture --agent codex < hook.json
                vault-mem sessions                        # what was kept""",
)
@click.option("--agent", default="", help="Whose hook it is; by default it is known by what the hook says.")
@click.pass_obj
def command(console: Console, agent: str) -> None:
    """Keep what was said in a session: takes the JSON that an agent's hook gets, by standard input.

    It hands over and ends at once, without a word and always well. What was said is appended to a file in sessions/
    later, by the daemon or after the next command.
    """
    if console.stdin.isatty():
        raise click.UsageError("A hook gives its JSON by standard input.", click.get_current_context())
    told = console.stdin.read()
    try:
        vault = open_vault(console)
    except VaultNotFound:
        return  # a session in a folder without a vault is none of ours
    vault.capture(told, agent)
    finish(console, vault)
