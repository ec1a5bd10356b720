"""Recall's stages, each on a set that can show what it is worth, with the stage and without it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from benchmarks.harness import Figure, Setting, Target
from benchmarks.recall_sets import sets
from vault_mem.operations.vaults.evaluate import WAYS, evaluate, without


def run(setting: Setting) -> Iterator[Figure]:
    """R@1 and R@5 of every set: the whole recall beside the one without the stage."""
    for name, stage, entry in sets():
        if setting.quick:
            entry["questions"] = entry["questions"][::5]
        report = evaluate([entry], os.environ, ways={"recall": WAYS["recall"], "without": without(stage)})
        setting.progress(f"{name} done")
        whole, less = report.figures("recall"), report.figures("without")
        count = len(entry["questions"])
        for figure in ("R@1", "R@5", "MRR"):
            yield Figure(
                f"recall: {name} ({count}), {figure}", whole[figure], "", less[figure], f"without {stage}",
                Target("≥", 1, of_ratio=True) if figure == "MRR" else None,
            )  # fmt: skip
