"""vault-mem eval."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command
from vault_mem.cli.console import Console
from vault_mem.messages import the_vault


@Command.with_examples("""vault-mem eval questions.json
                          VAULT_MEM_MODEL=~/models/mine vault-mem eval questions.json --json""")
@click.argument("data", metavar="DATA.json")
def command(console: Console, data: str) -> None:
    """Measure recall on your own questions, next to plain keyword search and BM25.

    DATA.json is a list of entries {name, memories: [{key, text, created, speaker}], questions: [{question, evidence:
    [key]}]}. Each entry becomes a vault in a temporary folder. A memory may also have tags, people, importance, kind,
    category, emotion, intensity, and links: [key]. R@k is the share of a question's evidence in the first k
    results; MRR is one over the rank of the first.
    """
    from vault_mem.operations.vaults.evaluate import evaluate, read_data

    entries = read_data(console.path(data))
    report = evaluate(entries, console.env, console.progress("Asking"))
    console.answer(report.as_json(), the_vault.evaluated(report))
