"""vault-mem tidy."""

from __future__ import annotations

import click

from vault_mem.cli.common import Group, finish, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.errors import InvalidInput
from vault_mem.messages import keep_clean, notices


@Group.with_examples("""vault-mem tidy --dry-run
                        vault-mem tidy candidates --json > candidates.json
                        vault-mem tidy apply plan.json""")
@click.option("--dry-run", is_flag=True, help="Only show what would be closed.")
def command(console: Console, dry_run: bool) -> None:
    """Close exact duplicates among facts, relations, tasks and summaries. Nothing is deleted; events are never touched.

    The daemon runs this every 200 turns. Near duplicates are for you or a language model to judge: see the subcommands.
    """
    vault = open_vault(console)
    report = vault.tidy(dry_run=dry_run)
    reply(console, vault, report, keep_clean.tidied(report))


@command.command("log", examples="vault-mem tidy log\nvault-mem tidy log --json")
@click.option("-n", "--limit", "limit", type=click.IntRange(1), default=20, help="How many runs (default: 20).")
def log_command(console: Console, limit: int) -> None:
    """Show earlier runs, newest first."""
    found = open_vault(console).tidy_log(limit)
    console.answer({"runs": found}, keep_clean.tidy_log(found))


@command.command(
    "candidates",
    examples="""vault-mem tidy candidates --json --budget 4000
                vault-mem tidy candidates --kind fact
                vault-mem tidy candidates --summaries --json""",
)
@click.option("--kind", help="Only this kind: fact, relation, task or summary.")
@click.option("--budget", type=click.IntRange(100), default=6000, help="Maximum tokens of text (default: 6000).")
@click.option("--summaries", is_flag=True, help="Show scopes that need a summary instead, and what it would cover.")
@click.option("--public-only", is_flag=True, help="Leave private memories out.")
def candidates_command(console: Console, kind: str | None, budget: int, summaries: bool, public_only: bool) -> None:
    """Show clusters of similar states, for a language model to make a plan from."""
    vault = open_vault(console, "Comparing")
    if summaries:
        scopes = vault.summary_candidates(budget=budget, public_only=public_only)
        document = {"scopes": [each.to_dict() for each in scopes], "next": keep_clean.WRITE_A_SUMMARY}
        console.answer(document, keep_clean.scopes(scopes))
    else:
        found = vault.tidy_candidates(kind=kind, budget=budget, public_only=public_only)
        console.answer(found.to_dict() | {"next": keep_clean.MAKE_A_PLAN}, keep_clean.candidates(found))
        if found.left_out:
            console.note(notices.CLUSTERS_LEFT_OUT.format(count=found.left_out))
    finish(console, vault)


@command.command("apply", examples="vault-mem tidy apply plan.json\ncat plan.json | vault-mem tidy apply -")
@click.argument("plan", metavar="PLAN|-")
@click.option("--dry-run", is_flag=True, help="Only check it.")
def apply_command(console: Console, plan: str, dry_run: bool) -> None:
    """Check a plan and apply all of it or nothing, as one operation that you can undo."""
    vault = open_vault(console)
    result = vault.tidy_apply(_read(console, plan), dry_run=dry_run)
    reply(console, vault, result, keep_clean.planned(result, dry_run=dry_run))


@command.command("schema", examples="vault-mem tidy schema > tidy-plan.schema.json")
def schema_command(console: Console) -> None:
    """Print the JSON Schema of a plan."""
    from vault_mem.operations.upkeep.tidy_plan import schema

    console.print(schema().rstrip("\n"), as_is=True)


def _read(console: Console, plan: str) -> str:
    if plan == "-":
        return console.read_text()
    try:
        return console.path(plan).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read {plan}: {error}", "nothing was changed") from error
