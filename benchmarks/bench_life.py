"""Life of a memory: forgetting one that many others link to, and looking for near-duplicates in a whole vault."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.harness import Figure, Setting, Target
from benchmarks.vaults import memories, write_vault
from vault_mem import Memory, Vault
from vault_mem.model import Link
from vault_mem.notes.write import file_name
from vault_mem.vault import files
from vault_mem.vault.tree import Tree

REFERENCES = 50
ROUNDS = 9

# A process of its own, so that its peak memory is that of one consolidation.
_CONSOLIDATE = """
import resource, sys, time
from vault_mem import Vault
vault = Vault(sys.argv[1])
started, cpu = time.perf_counter(), time.process_time()
vault.workspace.freshen(), vault.workspace.calibration
opened, cpu_opened = time.perf_counter() - started, time.process_time() - cpu
done = vault.consolidate(whole=True, limit=int(sys.argv[2]))
found = [*done.merge_candidates, *done.supersede_candidates]
scale = 1 if sys.platform == "darwin" else 1024
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale
print(time.perf_counter() - started, time.process_time() - cpu, opened, cpu_opened, peak, len(found))
"""


def run(setting: Setting) -> Iterator[Figure]:
    """Forget in a vault of 10,000, then consolidate in vaults of two sizes."""
    small, large = (1_000, 5_000) if setting.quick else (10_000, 50_000)
    yield from _forget(setting, small)
    yield from _consolidate(setting, small, large)


def _forget(setting: Setting, count: int) -> Iterator[Figure]:
    """Forget memories that fifty others link to; in turns with writing those fifty files atomically."""
    vault = write_vault(setting.folder / "forget", _popular(count))
    vault.reindex()
    runtime = Path(f"/tmp/vault-mem-bench-{os.getpid()}")  # the path of a socket must be short
    runtime.mkdir(mode=0o700)
    env = os.environ | {"VAULT_MEM_RUNTIME_DIR": str(runtime), "VAULT_MEM_DAEMON": "on"}

    def command(*arguments: str) -> str:
        line = [sys.executable, "-m", "vault_mem", "--vault", str(vault.root), *arguments]
        return subprocess.run(line, env=env, check=True, capture_output=True, text=True).stdout

    targets = [memory.id for memory in memories(ROUNDS + 1)]
    command("recall", "warm")
    taken, written = _rounds(
        setting,
        vault.workspace.folder.tree,
        targets[: ROUNDS // 2 + 1],
        lambda id_: json.loads(command("forget", id_, "--json"))["references"],
    )
    command("daemon", "stop")
    name = f"life: forget, {REFERENCES} references, {count:,} memories"
    reference = (written * 1000, "writing those files atomically")
    yield Figure(f"{name}, the command", taken * 1000, "ms", *reference, Target("≤", 5, of_ratio=True))
    tree = vault.workspace.folder.tree
    taken, written = _rounds(setting, tree, targets[ROUNDS // 2 + 1 :], lambda id_: vault.forget(id_).references)
    yield Figure(f"{name}, without daemon", taken * 1000, "ms", written * 1000, "writing those files atomically")


def _rounds(setting: Setting, tree: Tree, ids: list[str], forget: Callable[[str], list[str]]) -> tuple[float, float]:
    """Medians of forgetting and of writing the same files, in turns; the first round only warms up."""
    taken: list[float] = []
    written: list[float] = []
    for number, id_ in enumerate(ids):
        started = time.perf_counter()
        references = forget(id_)
        seconds = time.perf_counter() - started
        if len(references) < REFERENCES:
            raise AssertionError(f"{len(references)} files named it, not {REFERENCES}")
        reference = _write_atomically(tree, references)
        if number:
            taken.append(seconds)
            written.append(reference)
        setting.progress(f"forget {seconds * 1000:.0f} ms, writing the files alone {reference * 1000:.0f} ms")
    return statistics.median(taken), statistics.median(written)


def _popular(count: int) -> Iterator[Memory]:
    """Memories, the first few of which have links from fifty others each."""
    first: list[Memory] = []
    for number, memory in enumerate(memories(count)):
        if number <= ROUNDS:
            first.append(memory)
        else:
            which = (number - len(first)) // REFERENCES
            if which < len(first):
                target = first[which]
                link = Link(file_name(target).removesuffix(".md"), "related", None, target.title)
                memory = replace(memory, links=[*memory.links, link])
        yield memory


def _write_atomically(tree: Tree, keys: list[str]) -> float:
    """Seconds for writing these files atomically and synced, as the vault always writes."""
    contents = {key: tree.path(key).read_bytes() for key in keys[:REFERENCES]}
    started = time.perf_counter()
    for key, data in contents.items():
        files.replace(tree, key, data, data)
    return time.perf_counter() - started


def _consolidate(setting: Setting, small: int, large: int) -> Iterator[Figure]:
    by_count = {}
    for count in (small, large):
        setting.progress(f"a vault of {count:,}")
        vault = write_vault(setting.folder / f"consolidate-{count}", memories(count))
        vault.reindex()
        by_count[count] = _measured(vault)
    wall, cpu, opened, cpu_opened, peak = by_count[small]
    name = "life: consolidate --all"
    yield Figure(f"{name}, {small:,} memories", wall, "s", opened, "opening the index")
    yield Figure(f"{name}, {small:,}, peak memory", peak / 1e6, "MB")
    more = large / small
    grown_wall, grown_cpu, grown_opened, grown_cpu_opened, grown_peak = by_count[large]
    yield Figure(f"{name}, {large:,} memories", grown_wall, "s", grown_opened, "opening the index")
    yield Figure(
        f"{name}, {large:,}, CPU time", grown_cpu, "s", cpu, f"at {small:,}", Target("≤", 2 * more, of_ratio=True)
    )
    reference = (cpu - cpu_opened, f"at {small:,}")
    yield Figure(f"{name}, {large:,}, CPU comparing alone", grown_cpu - grown_cpu_opened, "s", *reference)
    yield Figure(f"{name}, {large:,}, peak memory", grown_peak / 1e6, "MB", peak / 1e6, f"at {small:,}")


def _measured(vault: Vault) -> tuple[float, float, float, float, float]:
    """Wall and CPU seconds of the whole and of opening the index, and peak memory."""
    command = [sys.executable, "-c", _CONSOLIDATE, os.fspath(vault.root), "5"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    if out[-1] != "5":
        raise AssertionError(f"{out[-1]} pairs instead of 5")
    wall, cpu, opened, cpu_opened, peak = map(float, out[:5])
    return wall, cpu, opened, cpu_opened, peak
