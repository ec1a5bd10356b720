"""Import: 10,000 memories of another tool as one operation, all of one day, and the undo that takes them back.

The cost of a note must not grow with the number of notes before it, and neither must memory.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator

from benchmarks.harness import Figure, Setting, Target
from benchmarks.vaults import FIRST_DAY, ZONE, memories
from vault_mem import Vault


def run(setting: Setting) -> Iterator[Figure]:
    """CPU time per note at the beginning and at the end, peak memory beside that of a vault in use, and the undo."""
    count = 300 if setting.quick else 10_000
    source = setting.folder / "mem0.json"
    items = [
        {"id": f"m{number}", "memory": memory.content, "created_at": FIRST_DAY.isoformat()}
        for number, memory in enumerate(memories(count, seed=5))
    ]
    source.write_text(json.dumps({"results": items}, ensure_ascii=False), encoding="utf-8")
    root = setting.folder / "vault"
    Vault.init(root, timezone=ZONE.key)
    vault = Vault(root)
    vault.remember("The model and the index are loaded now")
    vault.recall("loaded")
    marks = [time.process_time()]
    before, wall = _peak_megabytes(), time.perf_counter()

    def look(done: int, total: int) -> None:
        marks.append(time.process_time())
        if done % 500 == 0:
            setting.progress(f"{done:,} of {total:,}, {(marks[-1] - marks[-500]) * 1000 / 500:.0f} ms each")

    report = vault.import_(source, "mem0", progress=look)
    wall = time.perf_counter() - wall
    part = count // 5  # averaged: some hundred are written at once, and the next one pays for all of them
    first, last = ((marks[end] - marks[end - part]) * 1000 / part for end in (part, count))
    name = f"import: {count:,} memories, CPU time of one, the last {part:,}"
    yield Figure(name, last, "ms", first, f"first {part:,}", Target("≤", 2, of_ratio=True))
    yield Figure("import: peak memory", _peak_megabytes(), "MB", before, "before it", Target("<", 700))
    yield Figure("import: wall time", wall, "s", marks[-1] - marks[0], "CPU")
    started = time.process_time()
    vault.undo()
    yield Figure("import: its undo", time.process_time() - started, "s", marks[-1] - marks[0], "the import")
    left = len([path for path in root.rglob("*.md") if path.name != "2025-01-01.md" and "memories" in path.parts])
    if left != 1 or len(report.imported) < count // 2:
        raise AssertionError(f"{len(report.imported)} came in, and {left} notes are there after the undo")


def _peak_megabytes() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
