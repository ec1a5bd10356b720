"""vault-mem hint."""

from __future__ import annotations

import json

import click

from vault_mem.cli.common import Command, open_vault, other_vaults_for
from vault_mem.cli.console import Console
from vault_mem.errors import VaultMemError
from vault_mem.messages import agents_day
from vault_mem.setup.agents import AGENTS

# Spare tokens: the fence's two marks have four digits each that change with the text, and so does their token count.
_TOKEN = 6
_EVENTS = {"gemini": "BeforeAgent"}


@Command.with_examples("""vault-mem setup claude-code --per-prompt      # the usual way: a hook that calls it
                          vault-mem hint --hook claude-code < hook.json
                          vault-mem stats --recall                      # what hints were good for""")
@click.option("--hook", type=click.Choice(AGENTS), help="Print it fenced, in this agent's prompt hook format.")
@click.option("--include-private", is_flag=True, help="Include private memories.")
def command(console: Console, hook: str | None, include_private: bool) -> None:
    """Print the memory that very likely answers a prompt, or nothing: most prompts get nothing.

    Reads the JSON of an agent's prompt hook, or the prompt itself, on standard input. It shows no memory twice in a
    session, and with --hook it always exits 0.
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
            cost=lambda each: count_tokens(agents_day.hinted(each, now) + "\n"),
            others=other_vaults_for(console, vault),
        )
    except VaultMemError:
        if hook is None:
            raise
        return  # a failing hint must not make the prompt fail
    if console.json and not hook:
        console.print_json({"results": [each.to_dict() for each in found]})
    elif found:
        text = "\n".join(agents_day.hinted(each, now) for each in found)
        console.print(envelope(hook, text, _EVENTS.get(hook, "UserPromptSubmit")) if hook else text)


def _asked(console: Console) -> tuple[str, str]:
    """The prompt and the session from a hook's JSON; any other input is the prompt itself."""
    text = console.stdin.read().decode(errors="replace")
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return text, ""
    if not isinstance(record, dict):
        return text, ""
    prompt, session = record.get("prompt"), record.get("session_id") or record.get("conversation_id")
    return (prompt if isinstance(prompt, str) else ""), (session if isinstance(session, str) else "")
