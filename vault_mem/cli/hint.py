"""vault-mem hint."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, open_vault
from vault_mem.cli.console import Console
from vault_mem.errors import VaultMemError
from vault_mem.setup.agents import AGENTS

if TYPE_CHECKING:
    from vault_mem.operations.memory.results import Found

# The fence's two marks have four digits each that change with the text, and their tokens with them.
_TOKEN = 6
_EVENTS = {"gemini": "BeforeAgent"}


@click.command(
    cls=Command,
    examples="""vault-mem setup claude-code --per-prompt      # the usual way: a hook that calls it
                vault-mem hint --hook claude-code < hook.json
                vault-mem stats --recall                      # what hints were good for""",
)
@click.option("--hook", type=click.Choice(AGENTS), help="Print it fenced, in the form of this agent's prompt hook.")
@click.option("--include-private", is_flag=True, help="Let private memories come in, too.")
@click.pass_obj
def command(console: Console, hook: str | None, include_private: bool) -> None:
    """Print the memory that very likely answers a prompt, or nothing: most prompts get nothing.

    Takes the JSON of an agent's prompt hook by standard input, or the prompt itself. No memory is shown twice in a
    session. It always ends well.
    """
    from vault_mem.notes.tokens import count_tokens
    from vault_mem.setup.hooks import envelope, fenced

    try:
        prompt, session = _asked(console)
        if not prompt.strip():
            return
        vault = open_vault(console)
        now = vault.workspace.folder.now()
        found = vault.hint(
            prompt,
            session,
            include_private=include_private,
            frame=count_tokens(fenced("", short=True)) + _TOKEN,
            cost=lambda each: count_tokens(_line(each, now) + "\n"),
        )
    except VaultMemError:
        if hook is None:
            raise
        return  # a prompt must not fail because of its hint
    if console.json and not hook:
        console.print_json({"results": [each.to_dict() for each in found]})
    elif found:
        text = "\n".join(_line(each, now) for each in found)
        console.print(envelope(hook, text, _EVENTS.get(hook, "UserPromptSubmit")) if hook else text)


def _asked(console: Console) -> tuple[str, str]:
    """The prompt and the session that a hook names; anything else is the prompt itself."""
    text = console.stdin.read().decode(errors="replace")
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return text, ""
    if not isinstance(record, dict):
        return text, ""
    prompt, session = record.get("prompt"), record.get("session_id") or record.get("conversation_id")
    return (prompt if isinstance(prompt, str) else ""), (session if isinstance(session, str) else "")


def _line(found: Found, now: datetime) -> str:
    """A memory with what an agent needs to ask for more; it is a hint, and short."""
    memory = found.memory
    text = " ".join((found.passage or memory.content).split())
    private = ", private: true" if memory.private else ""
    return f"- [{memory.created.astimezone(now.tzinfo):%Y-%m-%d}] {text} (id: {memory.id}{private})"
