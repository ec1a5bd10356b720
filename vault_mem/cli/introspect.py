"""vault-mem introspect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vault_mem.cli.common import Command, finish, open_vault, scaffolded
from vault_mem.cli.console import Console
from vault_mem.cli.emotion_trend import period_json
from vault_mem.cli.session import excerpt_json, printed_tokens, question_json

if TYPE_CHECKING:
    from vault_mem.operations.day.introspect import Introspection, Told


@click.command(cls=Command, examples="vault-mem introspect\nvault-mem introspect --budget 800 --json")
@click.option("--budget", type=int, metavar="TOKENS", help="Maximum tokens in the answer, default 2000.")
@click.option("--public-only", is_flag=True, help="Leave private memories out.")
@click.pass_obj
def command(console: Console, budget: int | None, public_only: bool) -> None:
    """What there is to think about: recent memories, the emotions of a week, episodes, open questions."""
    from vault_mem.messages import compose
    from vault_mem.session_texts import SCAFFOLD_INTROSPECT, introspected

    vault = open_vault(console)
    now = vault.workspace.folder.now()
    scaffold = scaffolded(console, vault, SCAFFOLD_INTROSPECT, "introspect")

    def text(result: Introspection) -> str:
        return compose(introspected(result, now), scaffold)

    result = vault.introspect(
        budget,
        public_only=public_only,
        cost=lambda result: printed_tokens(console, _json(result, scaffold), text(result)),
    )
    console.answer(_json(result, scaffold), text(result))
    finish(console, vault, stale=result.stale, pending=result.pending)


def _json(result: Introspection, scaffold: str) -> dict[str, Any]:
    return {
        "memories": [excerpt_json(each) for each in result.memories],
        "emotions": period_json(result.emotions, brief=True),
        "episodes": [_episode(each) for each in result.episodes],
        "questions": [question_json(each) for each in result.questions],
        "left_out": result.left_out,
        "stale": result.stale,
        "pending": result.pending,
        "scaffold": scaffold,
    }


def _episode(each: Told) -> dict[str, Any]:
    found = each.episode
    return {
        "id": found.id,
        "title": found.title,
        "summary": each.text,
        "start": found.start.isoformat() if found.start else None,
        "end": found.end.isoformat() if found.end else None,
        "importance": found.importance,
        "private": found.private,
    }
