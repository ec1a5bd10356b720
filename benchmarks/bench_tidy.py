"""Tidying: closing the duplicates among 5,000 states, and finding candidates in 10,000 memories."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from benchmarks.harness import Figure, Setting
from benchmarks.vaults import memories, write_vault
from vault_mem import Memory
from vault_mem.notes.write import file_name

KINDS = ("fact", "relation", "task", "summary")
COPIES = 150


def run(setting: Setting) -> Iterator[Figure]:
    """A vault of states only, some of them said twice; then a larger one with every kind of memory."""
    states, everything = (1_000, 2_000) if setting.quick else (5_000, 10_000)
    vault = write_vault(setting.folder / "tidy", _states(states, COPIES))
    vault.reindex()
    started, cpu = time.perf_counter(), time.process_time()
    report = vault.tidy()
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    if report.closed != COPIES:
        raise AssertionError(f"{report.closed} closed, not {COPIES}")
    yield Figure(f"tidy: {states:,} states, {COPIES} closed", seconds, "s")
    yield Figure(f"tidy: {states:,} states, CPU time", cpu, "s")
    vault = write_vault(setting.folder / "candidates", _mixed(everything))
    vault.reindex()
    vault.recall("warm")
    started, cpu = time.perf_counter(), time.process_time()
    found = vault.tidy_candidates(budget=100_000)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    setting.progress(f"{len(found.clusters)} clusters among {found.states:,} states")
    yield Figure(f"tidy: candidates, {everything:,} memories", seconds, "s")
    yield Figure(f"tidy: candidates, {everything:,} memories, CPU time", cpu, "s")


def _states(count: int, copies: int) -> Iterator[Memory]:
    """States, some of them twice under different ids."""
    made: list[Memory] = []
    for number, memory in enumerate(memories(count - copies)):
        state = replace(memory, kind=KINDS[number % len(KINDS)], valid_to=None, links=[])
        made.append(state)
        yield state
    for number, memory in enumerate(made[:copies]):
        twin = replace(memory, id=f"mem_f{number:07x}0000")
        twin.path = f"{memory.path.rpartition('/')[0]}/{file_name(twin)}"
        yield twin


def _mixed(count: int) -> Iterator[Memory]:
    for number, memory in enumerate(memories(count)):
        yield replace(memory, kind=KINDS[number % len(KINDS)] if number % 2 else "event")
