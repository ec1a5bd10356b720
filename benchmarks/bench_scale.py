"""Growth with the number of memories: memory, first and warm recall, saving, rebuilding, in both ways of searching.

Every way is measured in a process of its own: `memory` holds all rows, `lancedb` has the table searched. Sizes are
10,000 and 100,000; SCALE_SIZES=10000,30000 in the environment asks for others. Memories have 60 to 250 characters.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.bench_rebuild import _floor
from benchmarks.harness import PROJECT, Figure, Setting, Target, percentile
from benchmarks.vaults import memories, questions, write_vault
from vault_mem import Vault

SIZES = (10_000, 100_000)
RECALLS, SAVES = 100, 20  # the first hundred recalls are not counted
WAYS = ("memory", "lancedb")
# What a vault of so many memories may take above an empty one, and how long (issue 26): MB, s, ms, ms.
LIMITS = {10_000: (80, 1.0, 10, 60), 100_000: (300, 1.5, 30, 80), 1_000_000: (850, 3.0, 80, 150)}


def run(setting: Setting) -> Iterator[Figure]:
    """Figures of each size and way; the way that a vault of the size uses by itself has the targets."""
    asked = os.environ.get("SCALE_SIZES", "")
    sizes = [int(each) for each in asked.split(",")] if asked else [1_000] if setting.quick else list(SIZES)
    Vault.init(setting.folder / "empty", timezone="Asia/Tokyo")
    empty = _measured(setting.folder / "empty", "memory")["rss"]
    yield Figure("scale: memory of an empty vault after the recalls", empty, "MB")
    for size in sizes:
        root = setting.folder / str(size)
        vault = write_vault(root, memories(size, seed=9))
        setting.progress(f"{size:,} memories written")
        vault.workspace.embedder.encode(["the model is loaded now"])
        spent = time.process_time()
        vault.reindex()
        rebuilt, own = time.process_time() - spent, vault.workspace.index.large
        floor = _floor(vault)
        share = Figure(f"scale: rebuild of {size:,}", size / rebuilt, "/s", size / floor, "read + YAML + embed alone")
        yield Figure(
            share.name, share.value, "/s", share.reference, share.reference_name, Target("≥", 0.55, of_ratio=True)
        )
        del vault
        for way in WAYS:
            setting.progress(f"{size:,}, {way}")
            yield from _figures(size, way, _measured(root, way), empty, aimed=own == (way == "lancedb"))


def _figures(size: int, way: str, found: dict[str, Any], empty: float, *, aimed: bool) -> Iterator[Figure]:
    limits = LIMITS.get(size, ()) if aimed else ()
    most = [Target("≤", limit) for limit in limits] or [None] * 4
    name = f"scale: {size:,} with {way}"
    if way == "lancedb":
        yield Figure(f"{name}: figures counted", found["facts"], "s of CPU")
        yield Figure(f"{name}: indexes built", found["indexes"], "s of CPU")
    yield Figure(f"{name}: memory above an empty vault", found["rss"] - empty, "MB", target=most[0])
    yield Figure(f"{name}: first recall after status", found["first"], "s", target=most[1])
    yield Figure(f"{name}: warm recall, p50", found["warm"], "ms", found["warm_cpu"], "CPU", target=most[2])
    yield Figure(f"{name}: remember, p50", found["save"], "ms", found["save_cpu"], "CPU", target=most[3])


def _measured(root: Path, way: str) -> dict[str, Any]:
    """What a process finds that does nothing else."""
    environment = os.environ | {"VAULT_MEM_SEARCH_WITH": way, "VAULT_MEM_DAEMON": "off"}
    command = [sys.executable, "-m", "benchmarks.bench_scale", str(root)]
    done = subprocess.run(command, env=environment, cwd=PROJECT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _work(root: Path) -> dict[str, Any]:
    """In a process of its own: open the vault, recall, save."""
    from vault_mem.operations import standby
    from vault_mem.operations.memory.recall import Request, consider, found_by

    found: dict[str, Any] = {}
    if os.environ["VAULT_MEM_SEARCH_WITH"] == "lancedb":  # the daemon does this when nobody asks; not in this process
        done = subprocess.run(
            [sys.executable, "-c", _GET_READY, str(root)], check=True, cwd=PROJECT, capture_output=True
        )
        found["facts"], found["indexes"] = map(float, done.stdout.split())
    with Vault(root, watch=True) as vault:
        vault.status()
        found["first"] = _timed(lambda: vault.recall("warm up"))[0]
        standby.prepare(vault.workspace)
        asked = questions(2 * RECALLS)
        for question in asked[:RECALLS]:
            found_by(consider(vault.workspace, Request(question)))
        taken = [
            _timed(lambda each=each: found_by(consider(vault.workspace, Request(each)))) for each in asked[RECALLS:]
        ]
        found["warm"], found["warm_cpu"] = (percentile(each, 50) * 1000 for each in zip(*taken, strict=True))
        found["rss"] = _megabytes()
        texts = [each.content for each in memories(SAVES, seed=77)]
        taken = [_timed(lambda text=text: vault.remember(text, force=True)) for text in texts]
        found["save"], found["save_cpu"] = (percentile(each, 50) * 1000 for each in zip(*taken, strict=True))
    return found


_GET_READY = """
import sys, time
from vault_mem import Vault
from vault_mem.index.large import keep_facts
from vault_mem.operations import standby
vault = Vault(sys.argv[1])
vault.status()
started = time.process_time()
keep_facts(vault.workspace.index)
print(time.process_time() - started)
started = time.process_time()
standby.fold(vault.workspace, 10**9)
print(time.process_time() - started)
"""


def _timed(call: Any) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def _megabytes() -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError("the system does not tell how much memory is used")


if __name__ == "__main__":
    print(json.dumps(_work(Path(sys.argv[1]))))
