"""vault-mem mcp."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command
from vault_mem.cli.console import Console
from vault_mem.errors import VaultMemError


@click.command(
    cls=Command,
    examples="""vault-mem mcp --vault ~/my-vault
                vault-mem setup claude-code        # writes the entry that runs it""",
)
@click.pass_obj
def command(console: Console) -> None:
    """Serve the memory to an agent as tools of the Model Context Protocol, on standard input and output.

    Agents start it themselves. It needs the optional extra: pip install 'vault-mem[mcp]'
    """
    try:
        import mcp_types  # noqa: F401 - of the SDK from version 2 on
    except ImportError as error:
        raise VaultMemError(
            "the MCP server needs the package mcp, version 2 or later", "pip install 'vault-mem[mcp]'"
        ) from error
    from vault_mem.mcp.server import serve

    serve(console.vault)
