"""vault-mem tidy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vault_mem.cli.common import Command, Group, finish, open_vault
from vault_mem.cli.console import Console
from vault_mem.errors import InvalidInput
from vault_mem.visible import quoted

if TYPE_CHECKING:
    from vault_mem.operations.upkeep.tidy import TidyReport


@click.group(
    cls=Group,
    invoke_without_command=True,
    examples="""vault-mem tidy --dry-run
                vault-mem tidy candidates --json > candidates.json
                vault-mem tidy apply plan.json""",
)
@click.option("--dry-run", is_flag=True, help="Show what would be closed.")
@click.pass_context
def command(ctx: click.Context, dry_run: bool) -> None:
    """Close exact duplicates among facts, relations, tasks and summaries. Nothing is deleted; events are never touched.

    The daemon does this by itself, every 200 turns; near ones are for you or a language model to decide about:
    see the subcommands.
    """
    console: Console = ctx.obj
    if ctx.invoked_subcommand is not None:
        return
    opened = open_vault(console)
    report = opened.tidy(dry_run=dry_run)
    if console.json:
        console.print_json(report.to_dict())
    else:
        console.print(_report_text(report))
        for each in report.duplicates:
            console.print(f"- {each.id} ({each.kind}) says what {each.keep} says")
    finish(console, opened)


@command.command("log", cls=Command, examples="vault-mem tidy log\nvault-mem tidy log --json")
@click.option("-n", "limit", type=click.IntRange(1), default=20, help="How many runs, default 20.")
@click.pass_obj
def log_command(console: Console, limit: int) -> None:
    """Show the reports of earlier runs, newest first."""
    from vault_mem.operations.upkeep.tidy import log

    vault = open_vault(console)
    found = log(vault.workspace.folder, limit)
    if console.json:
        console.print_json({"runs": found})
        return
    for each in found:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(each["states"].items())) or "none"
        console.print(
            f"{each['at'][:16].replace('T', ' ')}  states: {kinds}; closed {each['closed']}, merged {each['merged']}, "
            f"summaries {each['summaries']}, {each['seconds']:.1f} s"
        )
    if not found:
        console.print("Nothing was tidied yet.")


@command.command(
    "candidates",
    cls=Command,
    examples="""vault-mem tidy candidates --json --budget 4000
                vault-mem tidy candidates --kind fact
                vault-mem tidy candidates --summaries --json""",
)
@click.option("--kind", help="Only this kind: fact, relation, task or summary.")
@click.option("--budget", type=click.IntRange(100), default=6000, help="Maximum tokens of text, default 6000.")
@click.option("--summaries", is_flag=True, help="Instead: scopes that deserve a summary, and what it would cover.")
@click.option("--public-only", is_flag=True, help="Leave private memories out.")
@click.pass_obj
def candidates_command(console: Console, kind: str | None, budget: int, summaries: bool, public_only: bool) -> None:
    """Show clusters of near states of one kind, for a language model to make a plan from."""
    vault = open_vault(console, "Comparing")
    if summaries:
        _summaries(console, vault, budget, public_only)
        return
    found = vault.tidy_candidates(kind=kind, budget=budget, public_only=public_only)
    lines = []
    for cluster in found.clusters:
        shared = ", ".join([*cluster.shared_tags, *cluster.shared_people])
        lines.append(f"{cluster.kind}, similarity {cluster.similarity:.2f}" + (f", {shared}" if shared else ""))
        lines += [f"- {memory.id}  {memory.created:%Y-%m-%d}  {quoted(memory.content)}" for memory in cluster.states]
        lines += [f"  {newer} repeats {older}" for newer, older in cluster.repetitions]
        lines += [f"  {each.newer} changes {each.older}: {'; '.join(each.differs)}" for each in cluster.changes]
    console.answer(
        found.to_dict() | {"next": "write a plan (vault-mem tidy schema) and give it to: vault-mem tidy apply -"},
        "\n".join([*lines, f"{len(found.clusters)} cluster(s) among {found.states} states."]),
    )
    if found.left_out:
        console.notice(f"note: {found.left_out} more cluster(s) did not fit the budget")
    finish(console, vault)


@command.command(
    "apply", cls=Command, examples="vault-mem tidy apply plan.json\ncat plan.json | vault-mem tidy apply -"
)
@click.argument("plan", metavar="PLAN|-")
@click.option("--dry-run", is_flag=True, help="Check it, and change nothing.")
@click.pass_obj
def apply_command(console: Console, plan: str, dry_run: bool) -> None:
    """Check a plan whole and apply all of it, as one undoable operation, or nothing."""
    vault = open_vault(console)
    result = vault.tidy_apply(_read(console, plan), dry_run=dry_run)
    did = "Would create" if dry_run else "Created"
    console.answer(
        result.to_dict(),
        f"{did} {len(result.created)}, updated {len(result.updated)}, closed {len(result.closed)} state(s).",
    )
    finish(console, vault)


@command.command("schema", cls=Command, examples="vault-mem tidy schema > tidy-plan.schema.json")
@click.pass_obj
def schema_command(console: Console) -> None:
    """Print the JSON Schema of a plan."""
    from vault_mem.operations.upkeep.tidy_plan import schema

    console.print(schema().rstrip("\n"), as_is=True)


def _summaries(console: Console, vault: Any, budget: int, public_only: bool) -> None:
    found = vault.summary_candidates(budget=budget, public_only=public_only)
    lines = [f"{each.scope}: {each.reason}" + (f" ({each.summary.id})" if each.summary else "") for each in found]
    console.answer(
        {
            "scopes": [each.to_dict() for each in found],
            "next": "vault-mem remember - --kind summary --scope SCOPE --of ID …",
        },
        "\n".join(lines) or "No scope deserves a summary yet.",
    )
    finish(console, vault)


def _read(console: Console, plan: str) -> str:
    if plan == "-":
        return console.read_text()
    try:
        return (console.cwd / Path(plan)).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read {plan}: {error}", "nothing was changed") from error


def _report_text(report: TidyReport) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(report.states.items())) or "none"
    closed = f"{len(report.duplicates)} would be closed" if report.dry_run else f"{report.closed} closed"
    return f"States: {kinds}. Exact duplicates: {closed}. {report.seconds:.1f} s"
