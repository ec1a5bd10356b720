"""vault-mem web."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command
from vault_mem.cli.console import Console
from vault_mem.errors import InvalidInput


@Command.with_examples("""vault-mem web
                          vault-mem web --port 8765 --no-browser        # prints the address""")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="The port (default: a free one).")
@click.option("--no-browser", is_flag=True, help="Print the address without opening a browser.")
def command(console: Console, port: int, no_browser: bool) -> int:
    """Open the vault in your browser: ask, agent's view, timeline, graph, review, history and health.

    Only this machine can reach the page, and only with the printed address. Private memories are hidden until you
    switch them on there. Runs until Ctrl-C.
    """
    try:
        from vault_mem.web.serve import serve
    except ModuleNotFoundError as error:
        raise InvalidInput(f"the page needs {error.name}", "pip install 'vault-mem[web]'") from error
    return serve(console, console.vault, port, browser=not no_browser)
