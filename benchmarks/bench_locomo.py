"""LoCoMo: whether recall finds the answers to questions about a long conversation, and what each stage adds.

A vault per conversation, a memory per turn. R@k is the share of a question's evidence among the first k results,
averaged over questions; MRR is one over the rank of the first evidence found.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator

from benchmarks.harness import DATA, Figure, Setting, Target, percentile
from vault_mem.operations.vaults.evaluate import DEPTHS, evaluate, read_data, without
from vault_mem.ranking.weights import STAGES

NEEDS = ("locomo-dev.json",)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
TARGETS = {"R@5": 0.75, "R@10": 0.82, "R@20": 0.88, "MRR": 0.65}
# How much these stages may cost here, where nothing shows their worth (bench_recall has sets for them).
MAY_COST = {"decay": 0.01, "importance": 0.01, "association": 0.01}


def run(setting: Setting) -> Iterator[Figure]:
    """Ask every question through the library's own recall, then again with each stage switched off."""
    entries = read_data(DATA / NEEDS[0])[: 1 if setting.quick else None]
    report = evaluate(entries, os.environ)
    answers = report.answers["recall"]
    whole, bm25 = report.figures("recall"), report.figures("BM25")
    for name, value in whole.items():
        if name != "ms":
            target = Target("≥", TARGETS[name]) if name in TARGETS else None
            yield Figure(f"locomo: {name}, all ({len(answers)} questions)", value, "", bm25[name], "BM25", target)
    for number, category in sorted(CATEGORIES.items()):
        group = [answer for answer in answers if answer.category == number]
        for depth in DEPTHS:
            found = statistics.mean(answer.recall_at(depth) for answer in group)
            yield Figure(f"locomo: R@{depth}, {category} ({len(group)} questions)", found)
        yield Figure(f"locomo: MRR, {category}", statistics.mean(answer.reciprocal_rank for answer in group))
    seconds = [answer.seconds for answer in answers]
    yield Figure("locomo: recall, p50", percentile(seconds, 50) * 1000, "ms")
    yield Figure("locomo: recall, p95", percentile(seconds, 95) * 1000, "ms")
    setting.progress("all stages done; now without each")
    if setting.quick:
        return
    ablated = evaluate(entries, os.environ, ways={stage: without(stage) for stage in STAGES})
    for stage in STAGES:
        figures = ablated.figures(stage)
        yield Figure(f"locomo: R@5 without {stage}", figures["R@5"], "", whole["R@5"], "with all")
        yield Figure(f"locomo: MRR without {stage}", figures["MRR"], "", whole["MRR"], "with all")
        if stage in MAY_COST:
            cost = figures["R@5"] - whole["R@5"]
            yield Figure(f"locomo: R@5 that {stage} costs", cost, target=Target("≤", MAY_COST[stage]))
