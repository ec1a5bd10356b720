"""vault-mem recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vault_mem.cli.common import (
    Command,
    can_ask,
    filter_options,
    filters_from,
    finish,
    open_vault,
    other_vaults_for,
    vault_name,
)
from vault_mem.cli.console import Console
from vault_mem.errors import InvalidInput
from vault_mem.messages import save_and_find

if TYPE_CHECKING:
    from vault_mem.library import Vault
    from vault_mem.operations.memory.recall import RecallResult
    from vault_mem.operations.memory.results import Found


@Command.with_examples("""vault-mem recall "when is the standup?"
                          vault-mem recall 眼鏡の修理 -n 3 --json
                          vault-mem recall oysters --kind fact --since 2026-09-01
                          vault-mem recall "what did we decide last week?" --budget 500 --explain
                          vault-mem recall -i                           # search as you type
                          cat conversation.txt | vault-mem recall --context -""")
@click.argument("query", required=False)
@click.option("-n", "--limit", "limit", type=int, default=5, help="How many results (default: 5).")
@click.option("--budget", type=int, metavar="TOKENS", help="Maximum tokens in the answer; sentences stay whole.")
@click.option(
    "--min-relevance",
    type=float,
    metavar="P",
    help="Minimum relevance of the best result, 0 to 1; below it, only the two nearest are shown.",
)
@click.option("--sessions", is_flag=True, help="Also search captured sessions.")
@click.option("--explain", is_flag=True, help="Show the terms of each score.")
@click.option("--context", metavar="FILE", help="Use a long text as the query (- for standard input).")
@click.option("-i", "--interactive", is_flag=True, help="Search as you type; Enter opens the note in your editor.")
@filter_options
def command(
    console: Console,
    /,
    query: str | None,
    limit: int,
    budget: int | None,
    min_relevance: float | None,
    sessions: bool,
    explain: bool,
    context: str | None,
    interactive: bool,
    **filters: Any,
) -> None:
    """Find the memories that answer QUERY (- reads standard input), by meaning, words, people, dates and links."""
    from vault_mem.operations.memory.recall import Request

    if interactive:
        _type_and_see(console, query or "", limit, filters)
        return
    text = _query(console, query, context)
    vault = open_vault(console)
    chosen = filters_from(vault, filters)
    shape = PrintedRecall(console, vault, explain=explain)
    request = Request(text, limit, chosen, budget, shape.frame, min_relevance, sessions=sessions)
    others = other_vaults_for(console, vault)
    result = vault.ask(request, shape.cost, others, vault_name(console, vault.workspace.folder.root))
    shape.show(result)
    vault.note_used(each.memory.id for each in result.results)
    finish(console, vault, result)


def _type_and_see(console: Console, query: str, limit: int, filters: dict[str, Any]) -> None:
    """Let the person at the terminal type, and open what they choose."""
    if console.json or not can_ask(console) or not console.terminal:
        raise InvalidInput("-i needs a terminal", "give the query as an argument")
    from vault_mem.cli.edit import in_editor
    from vault_mem.cli.type_and_see import choose

    vault = open_vault(console)
    wanted = filters_from(vault, filters)
    found = choose(lambda text: vault.recall(text, max(limit, 10), wanted).results, query)
    if found is not None:
        in_editor(console, vault, found.memory.id)
    finish(console, vault)


def _query(console: Console, query: str | None, context: str | None) -> str:
    from vault_mem.operations.memory.recall import context_query

    if context is None:
        if query is None:
            raise click.UsageError("Missing argument 'QUERY'.", click.get_current_context())
        return console.read_text() if query == "-" else query
    if context == "-":
        text = console.read_text()
    else:
        path = console.path(context)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise InvalidInput(f"--context {context}: cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InvalidInput(f"--context {context}: not UTF-8 text") from error
    return f"{context_query(text)}\n{query}" if query else context_query(text)


class PrintedRecall:
    """A recall as it will be printed: what each result costs, in tokens, and the answer itself."""

    def __init__(self, console: Console, vault: Vault, *, explain: bool = False) -> None:
        # tokens of everything but the results; less for a tool, whose answer leaves out empty fields
        self.frame = 42 if console.for_tool else 56 if console.json else 27
        self._console = console
        self._now = vault.workspace.folder.now()
        self._explain = explain

    def cost(self, found: Found) -> int:
        """How many tokens it takes to show a result."""
        line = save_and_find.recalled_line(99, found, self._now, self._explain)
        return self._console.tokens(lambda: {"results": [self._record(found)]}, line + "\n")

    def show(self, result: RecallResult) -> None:
        """Print what was found."""
        results = [self._record(found) for found in result.results]
        text = save_and_find.recalled(result, self._now, explain=self._explain)
        self._console.answer(result.to_dict() | {"results": results, "scaffold": ""}, text)

    def _record(self, found: Found) -> dict[str, Any]:
        return found.to_dict() | ({"explain": found.terms} if self._explain else {})
