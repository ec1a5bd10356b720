"""Speed of a recall inside a warm process, at 10,000 and 100,000 memories and in long notes: ranking included.

`recall` first makes sure that no file has changed; in a daemon, the watcher knows. So only the recall after that is
measured: first with texts that no query has met yet, then as in a daemon, which reads them ahead when it is idle.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from benchmarks.harness import Figure, Setting, Target, percentile
from benchmarks.vaults import memories, questions, write_vault
from vault_mem import Memory, Vault
from vault_mem.operations.memory.recall import Request, filter_and_rank, found_by
from vault_mem.ranking.reading import read_ahead

SIZES = {10_000: 25, 100_000: 50}  # memories, and the milliseconds that half of all recalls may take
QUERIES = 120
LONG_NOTES, WORDS = 1_000, 5_000


def run(setting: Setting) -> Iterator[Figure]:
    """Median and 95th percentile over different queries; the very first recall is not counted."""
    yield _long_notes(setting)
    for size, limit in SIZES.items():
        if setting.quick and size > 10_000:
            return
        vault = write_vault(setting.folder / str(size), memories(size, seed=9))
        vault.reindex()
        setting.progress(f"{size:,} memories indexed")
        started = time.perf_counter()
        vault.recall("warm up")
        yield Figure(f"recall at {size:,}: the first, arrays filled", (time.perf_counter() - started) * 1000, "ms")
        wall, cpu = _ask(vault, questions(2 * QUERIES)[QUERIES:])
        yield Figure(f"recall at {size:,}: texts not met before, p50", percentile(wall, 50) * 1000, "ms")
        yield Figure(f"recall at {size:,}: texts not met before, CPU p50", percentile(cpu, 50) * 1000, "ms")
        _read_all(vault)
        setting.progress("read ahead")
        wall, cpu = _ask(vault, questions(QUERIES))
        name = f"recall at {size:,}: fresh index"
        yield Figure(f"{name}, p50", percentile(wall, 50) * 1000, "ms", target=Target("≤", limit))
        yield Figure(f"{name}, p95", percentile(wall, 95) * 1000, "ms")
        yield Figure(f"{name}, CPU p50", percentile(cpu, 50) * 1000, "ms")
        if size == min(SIZES):
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            yield Figure(f"recall at {size:,}: peak memory with rebuild", peak, "MB")


def _long_notes(setting: Setting) -> Figure:
    """Notes of 5,000 words against as many short ones; each question is put to both in turn."""
    short, long = (
        write_vault(setting.folder / name, contents)
        for name, contents in (("short", memories(LONG_NOTES, seed=9)), ("long", _joined()))
    )
    for vault in (short, long):
        vault.reindex()
        vault.recall("warm up")
        _read_all(vault)
    setting.progress(f"{LONG_NOTES:,} notes of {WORDS:,} words indexed")
    spent: dict[Vault, list[float]] = {short: [], long: []}
    for question in questions(QUERIES):
        for vault, taken in spent.items():
            taken += _ask(vault, [question])[1]
    own, reference = (percentile(taken, 50) * 1000 for taken in (spent[long], spent[short]))
    name = f"recall in {LONG_NOTES:,} notes of {WORDS:,} words, CPU p50"
    return Figure(name, own, "ms", reference, "as many short ones", Target("≤", 2, of_ratio=True))


def _joined() -> Iterator[Memory]:
    """Memories whose text joins many others; two characters of Japanese count as a word."""
    random, short = Random(4), list(memories(5_000, seed=10))
    for memory in short[:LONG_NOTES]:
        texts: list[str] = []
        words = 0
        while words < WORDS:
            texts.append(random.choice(short).content)
            words += len(texts[-1].split()) if texts[-1].isascii() else len(texts[-1]) // 2
        yield replace(memory, content="\n\n".join(texts))


def _read_all(vault: Vault) -> None:
    with vault.workspace.at_hand() as catalogue:
        place: int | None = 0
        while place is not None:
            place = read_ahead(catalogue, vault.workspace.tokens, place)


def _ask(vault: Vault, asked: list[str]) -> tuple[list[float], list[float]]:
    wall, cpu = [], []
    for question in asked:
        began, spent = time.perf_counter(), time.process_time()
        found_by(filter_and_rank(vault.workspace, Request(question)))
        wall.append(time.perf_counter() - began)
        cpu.append(time.process_time() - spent)
    return wall, cpu
