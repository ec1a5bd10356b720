"""Rebuild: the index of 10,000 small memories from nothing; loading LanceDB and the model is not counted."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import yaml

from benchmarks.harness import Figure, Setting, Target
from benchmarks.vaults import memories, write_vault
from vault_mem import Vault


def run(setting: Setting) -> Iterator[Figure]:
    """Files per second of CPU time, wall time, and peak memory of a process that does nothing else."""
    import vault_mem.index.lance  # noqa: F401 - so that importing it is not counted

    count = 1_000 if setting.quick else 10_000
    vault = write_vault(setting.folder / "vault", memories(count))
    vault.workspace.embedder.encode(["the model is loaded now"])
    wall, cpu = time.perf_counter(), time.process_time()
    report = vault.reindex()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = _peak_megabytes()
    if report.added != count:
        raise AssertionError(f"{report.added} of {count} files were indexed")
    reference = (count / floor(vault), "read + YAML + embed alone")
    yield Figure(f"rebuild: {count:,} files, per CPU second", count / cpu, "/s", *reference, Target("≥", 2000))
    yield Figure("rebuild: peak memory", peak, "MB", target=Target("<", 700))
    yield Figure("rebuild: wall time", wall, "s", cpu, "CPU")


def floor(vault: Vault, most: int | None = None) -> float:
    """CPU seconds of what no rebuild can leave out: read each file, load its YAML, embed its text (of `most` files)."""
    started = time.process_time()
    texts = []
    for path in islice(Path(vault.root, "memories").rglob("*.md"), most):
        _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
        yaml.load(front, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        texts.append(body)
    vault.workspace.embedder.encode(texts)
    return time.process_time() - started


def _peak_megabytes() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
