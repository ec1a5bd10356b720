"""vault-mem update-self."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, finish, open_vault
from vault_mem.cli.console import Console
from vault_mem.messages import agents_day


@Command.with_examples("""vault-mem update-self                                        # what it says now
                          vault-mem update-self --set "good at=waiting, lists" --set name=Nagi
                          vault-mem update-self --ask "Is checking again care?"
                          vault-mem update-self --resolve 1 "Sometimes. Not after midnight.\"""")
@click.option(
    "--set", "fields", multiple=True, metavar="FIELD=VALUE", help="Set a field (repeatable); FIELD= removes it."
)
@click.option("--ask", multiple=True, metavar="QUESTION", help="Add an open question (repeatable).")
@click.option(
    "--resolve",
    nargs=2,
    multiple=True,
    metavar="N|WORDS ANSWER",
    help="Answer an open question, named by its number or some of its words (repeatable).",
)
@click.option("--show", is_flag=True, help="Show SELF.md (the default).")
def command(
    console: Console,
    fields: tuple[str, ...],
    ask: tuple[str, ...],
    resolve: tuple[tuple[str, str], ...],
    show: bool,
) -> None:
    """Show or change SELF.md, where the agent describes itself: fields and questions. The file is public.

    Only the lines concerned change; anything else in the file stays. `undo` takes it back.
    """
    wanted = dict(_pair(each) for each in fields)
    change = bool(wanted or ask or resolve)
    if show and change:
        raise click.UsageError("--show takes no other options.")
    vault = open_vault(console)
    result = vault.update_self(wanted, ask=ask, resolve=resolve) if change else vault.show_self()
    status = "updated" if result.op else "unchanged" if change else "shown"
    document = result.to_dict() | {"status": status, "scaffold": ""}
    head = {"updated": "Updated SELF.md.\n\n", "unchanged": "SELF.md already says that.\n\n", "shown": ""}[status]
    console.answer(document, head + agents_day.self_told(result))
    finish(console, vault)


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise click.UsageError(f"--set takes FIELD=VALUE, not {text!r}.")
    return name, value
