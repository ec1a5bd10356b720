"""vault-mem review."""

from __future__ import annotations

import itertools
import textwrap
from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Group, finish, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean
from vault_mem.result import plain
from vault_mem.visible import visible

if TYPE_CHECKING:
    from vault_mem.library import Vault
    from vault_mem.operations.git.copies import SideBySide
    from vault_mem.operations.upkeep.answers import Answer


@Group.with_examples("""vault-mem review                 # step by step
                        vault-mem review list --json
                        vault-mem review accept 1""")
def command(console: Console) -> None:
    """Accept or reject the proposals in REVIEW.md. Ticking a box in an editor does the same."""
    opened = open_vault(console)
    if console.json or not console.interactive:
        _list(console, opened)
    else:
        _step_by_step(console, opened)


@command.command("list", examples="vault-mem review list")
def list_command(console: Console) -> None:
    """List open proposals with their numbers."""
    _list(console, open_vault(console))


@command.command("accept", examples="vault-mem review accept 1\nvault-mem review accept rv-1a2b3c4d")
@click.argument("which", metavar="N")
def accept_command(console: Console, which: str) -> None:
    """Carry out a proposal, as one operation that `undo` takes back."""
    vault = open_vault(console)
    _said(console, vault, vault.review_answer(which, accept=True))


@command.command("reject", examples="vault-mem review reject 1")
@click.argument("which", metavar="N")
def reject_command(console: Console, which: str) -> None:
    """Reject a proposal. It is not made again."""
    vault = open_vault(console)
    _said(console, vault, vault.review_answer(which, accept=False))


def _list(console: Console, vault: Vault) -> None:
    found, versions = vault.review(), vault.review_versions()
    if console.json:
        proposals = [
            {"number": number} | each.to_dict() | ({"around": plain(vault.said_around(each))} if each.said_in else {})
            for number, each in enumerate(found, start=1)
        ]
        console.print_json({"proposals": proposals, "versions": [each.to_dict() for each in versions]})
    else:
        for number, each in enumerate(found, start=1):
            console.print(f"{number}. {each.readable}  ({each.id})")
        _show_versions(console, versions)
        if not found and not versions:
            console.print(keep_clean.NOTHING_TO_REVIEW)
    finish(console, vault)


def _show_versions(console: Console, versions: list[SideBySide]) -> None:
    """Print two versions of a memory side by side."""
    half = max((console.width - 5) // 2, 20)
    for each in versions:
        console.print(keep_clean.TWO_VERSIONS.format(original=each.original, copy=each.copy))
        for left, right in zip(each.left, each.right, strict=True):
            columns = [textwrap.wrap(visible(text), half) or [""] for text in (left, right)]
            for one, other in itertools.zip_longest(*columns, fillvalue=""):
                console.print(f"  {one:<{half}} | {other}".rstrip())
        console.print(keep_clean.KEEP_ONE)


def _step_by_step(console: Console, vault: Vault) -> None:
    _show_versions(console, vault.review_versions())
    for proposal in vault.review():
        console.print(proposal.readable)
        for each in vault.said_around(proposal):
            console.print(f"  {each.at} {each.role}: {each.text}")
        for id_ in proposal.ids if not proposal.said_in else ():
            console.print(f"  {id_}: {vault.show(id_).memory.content}")
        while True:
            console.print(keep_clean.REVIEW_KEYS)
            said = console.ask()
            reply = said.strip().lower()[:1] if said else "q"  # the end of the input
            if reply in ("y", "n", "s", "q"):
                break
        if reply == "q":
            return
        if reply != "s":
            _said(console, vault, vault.review_answer(proposal.id, accept=reply == "y"))


def _said(console: Console, vault: Vault, answer: Answer) -> None:
    reply(console, vault, answer, keep_clean.answered(answer))
