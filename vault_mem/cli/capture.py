"""vault-mem capture; as a hook calls it, `vault_mem.capture` does the same without loading this."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console
from vault_mem.errors import VaultNotFound
from vault_mem.messages import agents_day


@Command.with_examples("""vault-mem setup claude-code --capture     # the usual way: hooks that call it
                          vault-mem capture --agent codex < hook.json
                          vault-mem sessions                        # what was kept""")
@click.option("--agent", default="", help="Which agent's hook this is (default: detected from its JSON).")
def command(console: Console, agent: str) -> None:
    """Capture a session: reads the JSON of an agent's hook on standard input.

    It prints nothing and always exits 0, at once. The daemon, or the next command, then appends what was said to a file
    in sessions/.
    """
    if console.stdin.isatty():
        raise click.UsageError(agents_day.HOOK_INPUT, click.get_current_context())
    hook_input = console.stdin.read()
    try:
        vault = open_vault(console)
    except VaultNotFound:
        return  # no vault here, so nothing to capture
    vault.capture(hook_input, agent)
    finish(console, vault)
