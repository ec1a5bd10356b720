"""Recall on conversations and questions that nothing was fitted to, against a plain hybrid, BM25 and vectors alone."""

from __future__ import annotations

import os
from collections.abc import Iterator

from benchmarks.floor import hybrid, vectors
from benchmarks.harness import Figure, Setting, Target
from benchmarks.unseen_sets import unseen
from vault_mem.operations.vaults.evaluate import WAYS, evaluate, without

# The stages whose worth these questions can show; the others have sets of their own in bench_recall.
ABLATED = ("meaning", "words", "tokens", "moment", "names", "form", "association", "decay")


def run(setting: Setting) -> Iterator[Figure]:
    """R@k and MRR of every set and half, then without each stage."""
    for each in unseen():
        if setting.quick:
            each.entry["questions"] = each.entry["questions"][::3]
        ways = {
            "recall": WAYS["recall"],
            "hybrid": hybrid(contiguity=each.conversation),
            "BM25": WAYS["BM25"],
            "vectors": vectors,
        }
        stages = () if setting.quick else ABLATED
        ways |= {stage: without(stage) for stage in stages}
        report = evaluate([each.entry], os.environ, ways=ways)
        setting.progress(f"{each.name}, {each.half} done")
        reached, floor = report.figures("recall"), report.figures("hybrid")
        name = f"unseen: {each.name}, {each.half} ({len(each.entry['questions'])})"
        for figure in ("R@1", "R@5", "R@10", "R@20", "MRR"):
            target = Target("≥", 1, of_ratio=True) if figure in ("R@5", "MRR") else None
            yield Figure(f"{name}, {figure}", reached[figure], "", floor[figure], "hybrid", target)
        for way in ("BM25", "vectors"):
            yield Figure(f"{name}, R@5 of {way} alone", report.figures(way)["R@5"])
        for stage in stages:
            figures = report.figures(stage)
            yield Figure(f"{name}, R@5 without {stage}", figures["R@5"], "", reached["R@5"], "with all")
            yield Figure(f"{name}, MRR without {stage}", figures["MRR"], "", reached["MRR"], "with all")
