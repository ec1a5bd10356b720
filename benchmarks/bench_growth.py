"""Growth: an index made by 5,000 single saves, against one built at once from the same files.

The saves use `force=True`: the texts come from templates, and the guard would rightly stop some of them. It still
judges every one; only its verdict is overruled.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator

from benchmarks.harness import Figure, Setting, Target, folder_bytes, interleaved, percentile
from benchmarks.vaults import ZONE, memories, questions
from vault_mem import Vault

QUERIES = 30
LOOK_EVERY = 100


def run(setting: Setting) -> Iterator[Figure]:
    """Size on disk, recall, and how the saves themselves slow down as the vault grows."""
    count = 500 if setting.quick else 5_000
    root = setting.folder / "vault"
    Vault.init(root, timezone=ZONE.key)
    grown = Vault(root)
    seconds: list[float] = []
    sizes: list[int] = []
    for memory in memories(count, seed=3):
        started = time.perf_counter()
        grown.remember(memory.content, force=True, tags=memory.tags, people=memory.people, kind=memory.kind)
        seconds.append(time.perf_counter() - started)
        if len(seconds) % LOOK_EVERY == 0:
            sizes.append(folder_bytes(grown.workspace.index.home))
            last = statistics.median(seconds[-LOOK_EVERY:]) * 1000
            setting.progress(f"{len(seconds):,} of {count:,} saved, {last:.0f} ms each, index {sizes[-1] / 1e6:.1f} MB")
    grown_bytes = folder_bytes(grown.workspace.index.home)

    fresh = Vault(root, env=os.environ | {"VAULT_MEM_INDEX_DIR": str(setting.folder / "fresh")})
    fresh.reindex()
    fresh_bytes = folder_bytes(fresh.workspace.index.home)
    reference = (fresh_bytes / 1e6, "after a fresh rebuild")
    name = f"growth: index after {count:,} single saves"
    yield Figure(name, grown_bytes / 1e6, "MB", *reference, Target("<", 3, of_ratio=True))
    yield Figure("growth: index at its largest on the way", max(sizes) / 1e6, "MB", *reference)

    by_turns = _recalls(grown, fresh)
    after_growth, after_rebuild = (statistics.median(taken) * 1000 for taken in by_turns)
    reference = (after_rebuild, "after a fresh rebuild")
    yield Figure(f"growth: recall, median of {QUERIES}", after_growth, "ms", *reference, Target("≤", 2, of_ratio=True))
    first, last = (statistics.median(part) * 1000 for part in (seconds[:LOOK_EVERY], seconds[-LOOK_EVERY:]))
    yield Figure(f"growth: remember, median of the last {LOOK_EVERY}", last, "ms", first, f"first {LOOK_EVERY}")
    worst = percentile(seconds[-LOOK_EVERY * 5 :], 99) * 1000
    yield Figure(f"growth: remember, p99 of the last {LOOK_EVERY * 5}", worst, "ms", last, "median")


def _recalls(*vaults: Vault) -> list[list[float]]:
    """Seconds of every query in each vault, in turns; the first recall loads the model and does not count."""
    taken: list[list[float]] = [[] for _ in vaults]
    for vault in vaults:
        vault.recall("warm up")
    for question in questions(QUERIES):
        calls = [lambda vault=vault, question=question: vault.recall(question) for vault in vaults]
        for each, seconds in zip(taken, interleaved(1, *calls), strict=True):
            each += seconds
    return taken
