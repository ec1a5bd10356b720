"""vault-mem completion."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command
from vault_mem.cli.console import Console

SHELLS = ("bash", "zsh", "fish")


@Command.with_examples("""eval "$(vault-mem completion bash)"              # in ~/.bashrc
                          eval "$(vault-mem completion zsh)"               # in ~/.zshrc, after compinit
                          vault-mem completion fish > ~/.config/fish/completions/vault-mem.fish""")
@click.argument("shell", type=click.Choice(SHELLS))
def command(console: Console, shell: str) -> None:
    """Print a script that completes commands, options and values in a shell. Completing runs no command."""
    from vault_mem.cli.scripts import script

    text = script(shell)
    console.answer({"shell": shell, "script": text}, text, as_is=True)
