"""How costs grow with the number of memories: RAM, first and warm recall, saving, rebuilding; for both ways to search.

Each way is measured in its own process with the daemon's settings: `memory` holds all rows, `lancedb` searches the
table. Memories have some 60 words. Sizes are 10,000 and 100,000; SCALE_SIZES=10000,1000000 in the environment
asks for others, and SCALE_KEPT=FOLDER keeps vaults and indexes there for the next run.
"""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.bench_rebuild import floor
from benchmarks.harness import PROJECT, Figure, Setting, Target, percentile
from benchmarks.vaults import memories, questions, write_vault
from vault_mem import Vault
from vault_mem.daemon.__main__ import be_modest

SIZES = (10_000, 100_000)
RECALLS, SAVES = 100, 20  # the first hundred recalls are not counted
WAYS = ("memory", "lancedb")
MOST_AT_HAND = 300_000  # nobody would hold more in memory
WORDS = 60
FLOOR = 100_000  # reading, YAML and embedding are timed on at most this many files
# Targets by size: MB above an empty vault, s of the first recall, ms of a warm recall, ms of a save; and the speed of a
# rebuild, as a share of the speed of reading, YAML and embedding alone.
LIMITS = {10_000: (80, 1.0, 10, 60), 100_000: (300, 1.5, 30, 80), 1_000_000: (850, 3.0, 80, 150)}
SHARES = {10_000: 0.55, 100_000: 0.55, 1_000_000: 0.5}
LAWS = {"rss": "memory above an empty vault", "warm_cpu": "warm recall, CPU", "save_cpu": "remember, CPU"}


def run(setting: Setting) -> Iterator[Figure]:
    """Figures of each size and way; targets apply to the way that a vault of that size chooses by itself."""
    asked = os.environ.get("SCALE_SIZES", "")
    sizes = [int(each) for each in asked.split(",")] if asked else [1_000] if setting.quick else list(SIZES)
    kept = Path(os.environ.get("SCALE_KEPT") or setting.folder)
    if not (kept / "empty").exists():
        Vault.init(kept / "empty", timezone="Asia/Tokyo")
    empty = _child("measure", kept / "empty", "memory")["rss"]
    yield Figure("scale: memory of an empty vault after the recalls", empty, "MB")
    grown: dict[str, dict[int, dict[str, float]]] = {way: {} for way in WAYS}
    for size in sizes:
        setting.progress(f"{size:,} memories")
        rebuilt = _child("rebuild", kept / str(size), "auto")
        share = Target("≥", SHARES[size], of_ratio=True) if size in SHARES else None
        least = size / rebuilt["floor"], "read + YAML + embed alone"
        yield Figure(f"scale: rebuild of {size:,}", size / rebuilt["cpu"], "/s", *least, share)
        yield Figure(f"scale: rebuild of {size:,}: peak memory", rebuilt["peak"], "MB")
        for way in WAYS if size <= MOST_AT_HAND else WAYS[1:]:
            setting.progress(f"{size:,}, {way}")
            ready = _child("prepare", kept / str(size), way)
            found = _child("measure", kept / str(size), way) | {"ready": ready}
            found["rss"] -= empty
            grown[way][size] = found
            yield from _figures(size, way, found, aimed=ready["own"])
    yield from _laws(grown)


def _figures(size: int, way: str, found: dict[str, Any], *, aimed: bool) -> Iterator[Figure]:
    limits = LIMITS.get(size, ()) if aimed else ()
    most: Sequence[Target | None] = [Target("≤", limit) for limit in limits] or [None] * 4
    name = f"scale: {size:,} with {way}"
    for what in ("figures counted", "indexes built", "texts read ahead"):
        if what in found["ready"]:
            yield Figure(f"{name}: {what}", found["ready"][what], "s of CPU")
    yield Figure(f"{name}: memory above an empty vault", found["rss"], "MB", target=most[0])
    yield Figure(f"{name}: peak memory", found["peak"], "MB")
    yield Figure(f"{name}: first recall after status", found["first"], "s", found["first_cpu"], "CPU", target=most[1])
    yield Figure(f"{name}: warm recall, p50", found["warm"], "ms", found["warm_cpu"], "CPU", target=most[2])
    yield Figure(f"{name}: remember, p50", found["save"], "ms", found["save_cpu"], "CPU", target=most[3])
    yield Figure(f"{name}: fsyncs of a save, mean", found["fsync"], "ms")


def _laws(grown: dict[str, dict[int, dict[str, float]]]) -> Iterator[Figure]:
    """The power of the number of memories by which each figure grows: the slope of a line through the logarithms."""
    for way, sizes in grown.items():
        for key, what in LAWS.items() if len(sizes) > 1 else ():
            x = [math.log(size) for size in sizes]
            y = [math.log(max(found[key], 0.1)) for found in sizes.values()]
            mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
            slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
            slope /= sum((a - mean_x) ** 2 for a in x)
            yield Figure(f"scale: with {way}, {what} grows by the power", slope)


def _child(what: str, root: Path, way: str) -> dict[str, Any]:
    """Run one step in a process of its own, and return what it measured."""
    environment = os.environ | {"VAULT_MEM_SEARCH_WITH": way, "VAULT_MEM_DAEMON": "off", "OPENBLAS_NUM_THREADS": "1"}
    environment["VAULT_MEM_INDEX_DIR"] = str(root.parent / "index")
    command = [sys.executable, "-m", "benchmarks.bench_scale", what, str(root)]
    done = subprocess.run(command, env=environment, cwd=PROJECT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def rebuild(root: Path) -> dict[str, Any]:
    """Write a vault of the size in its name, and index it. The figures are kept beside it."""
    import vault_mem.index.lance  # noqa: F401 - as in `rebuild`, importing LanceDB is not counted
    from vault_mem.index.sync import sync

    noted = root.with_suffix(".json")
    if noted.exists():
        return dict(json.loads(noted.read_text(encoding="ascii")))
    size = int(root.name)
    vault = Vault(root) if root.exists() else write_vault(root, memories(size, seed=9, words=WORDS))
    for path in root.rglob("*.md"):  # into the file cache, where a vault just written is anyway
        path.read_bytes()
    with Vault(root.parent / "empty") as empty:  # loads the model and imports the rest
        sync(empty.workspace.index, rebuild=True)
        empty.workspace.embedder.encode(["the model is loaded now"])
    _, cpu = _timed(lambda: sync(vault.workspace.index, rebuild=True, progress=_tell))
    found = {"cpu": cpu, "peak": _megabytes("VmHWM"), "floor": floor(vault, FLOOR) * max(size / FLOOR, 1)}
    noted.write_text(json.dumps(found), encoding="ascii")
    return found


def prepare(root: Path) -> dict[str, Any]:
    """The daemon's quiet work: counting, building indexes, reading ahead. Returns the CPU time of each."""
    from vault_mem.index.large import get_ready, keep_facts
    from vault_mem.operations import standby

    vault = Vault(root)
    vault.status()
    index = vault.workspace.index
    found: dict[str, Any] = {"own": _own_way(vault)}
    if index.large:
        found["figures counted"] = _timed(lambda: keep_facts(index, _tell))[1]
        found["indexes built"] = _timed(lambda: get_ready(index, _tell))[1]
        found["texts read ahead"] = _timed(lambda: _read_ahead(vault, standby))[1]
    return found


def _own_way(vault: Vault) -> bool:
    """Whether a vault of this size would choose this way by itself."""
    from vault_mem.index.index import LARGE_ROWS

    return vault.workspace.index.large == (vault.workspace.index.rows >= LARGE_ROWS)


def _read_ahead(vault: Vault, standby: Any) -> None:
    place: int | None = 0
    while place is not None:
        place = standby.read_ahead(vault.workspace, place)


def measure(root: Path) -> dict[str, Any]:
    """Open the vault, recall, save."""
    from vault_mem.operations import standby
    from vault_mem.operations.memory.recall import Request, filter_and_rank, found_by

    found: dict[str, Any] = {}
    with Vault(root, watch=True) as vault:
        vault.status()
        found["first"], found["first_cpu"] = _timed(lambda: vault.recall("warm up"))
        standby.load_for_recall(vault.workspace)
        if not vault.workspace.index.large:
            _read_ahead(vault, standby)
        standby.release_memory()
        asked = questions(2 * RECALLS)
        taken = [_timed(lambda each=each: found_by(filter_and_rank(vault.workspace, Request(each)))) for each in asked]
        found["warm"], found["warm_cpu"] = (percentile(each, 50) * 1000 for each in zip(*taken[RECALLS:], strict=True))
        found["rss"], found["peak"] = _megabytes("VmRSS"), _megabytes("VmHWM")
        synced = _Synced()
        texts = [each.content for each in memories(SAVES, seed=time.time_ns(), words=WORDS)]
        taken = [_timed(lambda text=text: vault.remember(text, force=True)) for text in texts]
        found["save"], found["save_cpu"] = (percentile(each, 50) * 1000 for each in zip(*taken, strict=True))
        found["fsync"] = synced.seconds / SAVES * 1000
    return found


class _Synced:
    """Adds up the time spent in fsync."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._call = os.fsync
        os.fsync = self._timed

    def _timed(self, fd: Any) -> None:
        began = time.perf_counter()
        self._call(fd)
        self.seconds += time.perf_counter() - began


def _timed(call: Any) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def _tell(done: int, total: int) -> None:
    if done % 100_000 == 0:
        print(f"{time.strftime('%H:%M:%S')} {done:,} of {total:,}", file=sys.stderr, flush=True)


def _megabytes(what: str) -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(what):
            return int(line.split()[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    be_modest()
    print(json.dumps({"rebuild": rebuild, "prepare": prepare, "measure": measure}[sys.argv[1]](Path(sys.argv[2]))))
