"""One `Vault` in many threads: no crash, nothing lost, and `with` closes what was opened."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vault_mem import Vault
from vault_mem.errors import NotFound

# A crash takes the process with it, so the threads run in one of their own.
_EIGHT = """
import random, sys
from concurrent.futures import ThreadPoolExecutor
from vault_mem import Vault

vault = Vault(sys.argv[1])
first = vault.remember("The harbour master keeps the spare key", force=True).memory.id
def one(number):
    what = random.Random(number).choice(["remember", "recall", "recall", "search", "list", "show", "tag", "status"])
    if what == "remember":
        return vault.remember(f"Parcel {number} is on shelf {number * 7 % 91}", force=True).memory.id
    if what == "recall":
        return vault.recall(f"which shelf has parcel {number}?").results
    if what == "search":
        return vault.search("parcel").results
    if what == "list":
        return vault.list().memories
    if what == "show":
        return vault.show(first).memory
    if what == "tag":
        return vault.tag(first, add=[f"t{number}"])
    return vault.status()
with ThreadPoolExecutor(8) as threads:
    made = list(threads.map(one, range(int(sys.argv[2]))))
saved = {each for each in made if isinstance(each, str)}
assert saved <= {memory.id for memory in vault.list().memories}, "a save was lost"
assert len(vault.show(first).memory.tags) == sum(type(each).__name__ == "EditResult" for each in made), "a tag was lost"
assert not any(finding.severity == "error" for finding in vault.doctor().findings), vault.doctor()
"""


def test_eight_threads_on_one_vault(root: Path, env: dict[str, str], soak: bool) -> None:
    # B-3: two calls at once crashed the process, or raised "cannot start a transaction within a transaction"
    for _ in range(12 if soak else 2):
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-c", _EIGHT, str(root), "240" if soak else "80"],
            env={**os.environ, **env},
            capture_output=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()[-3000:]


def test_more_threads_than_anyone_needs_all_save(vault: Vault) -> None:
    # B-3: writes are made in turn, however many wait
    with ThreadPoolExecutor(40) as threads:
        saved = list(threads.map(lambda n: vault.remember(f"Locker {n} holds a {n * 3}", force=True), range(40)))
    assert len({each.memory.id for each in saved}) == 40
    assert len(vault.list().memories) == 40


def test_the_same_text_from_many_threads_is_saved_once(vault: Vault) -> None:
    # D-7, in one process
    with ThreadPoolExecutor(8) as threads:
        saved = list(threads.map(lambda _: vault.remember("The ferry leaves at nine from pier four"), range(8)))
    assert sum(each.memory is not None for each in saved) == 1


def test_an_asyncio_program(vault: Vault) -> None:
    # B-3: through an executor
    async def day() -> list[int]:
        await asyncio.gather(
            *(asyncio.to_thread(vault.remember, f"Plot {n} grows {n * 5} leeks", force=True) for n in range(12))
        )
        found = await asyncio.gather(*(asyncio.to_thread(vault.recall, f"plot {n} leeks", 3) for n in range(12)))
        return [len(each.results) for each in found]

    assert min(asyncio.run(day())) >= 1


def test_a_read_does_not_wait_for_a_long_write(vault: Vault) -> None:
    # B-3: reads side by side with a write
    vault.remember("The gate code is on the blue card")
    vault.recall("gate code")
    held, go_on = threading.Event(), threading.Event()

    def hold(workspace: object) -> None:
        held.set()
        assert go_on.wait(30)

    with ThreadPoolExecutor(1) as threads:
        writer = threads.submit(vault._writing, hold)
        assert held.wait(10)
        started = time.monotonic()
        found = vault.recall("gate code")
        waited = time.monotonic() - started
        go_on.set()
        writer.result()
    assert found.results
    assert waited < 5


def test_a_failed_call_leaves_the_vault_usable(vault: Vault) -> None:
    with ThreadPoolExecutor(8) as threads:
        for failed in [threads.submit(vault.show, "mem_000000000000") for _ in range(20)]:
            with pytest.raises(NotFound):
                failed.result()
    assert vault.remember("Still here").memory is not None


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_with_closes_what_it_opened(root: Path, env: dict[str, str]) -> None:
    # B-3
    def open_files() -> list[str]:
        found = []
        for handle in Path("/proc/self/fd").iterdir():
            try:
                found.append(str(handle.readlink()))
            except OSError:
                continue
        return [name for name in found if name.startswith((str(root), env["VAULT_MEM_INDEX_DIR"]))]

    with Vault(root, env=env) as vault, ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: vault.remember(f"Number {n} of the list", force=True), range(16)))
        list(threads.map(lambda n: vault.recall(f"number {n}"), range(16)))
        assert open_files()
    assert open_files() == []


def test_a_neighbour_forgotten_meanwhile(root: Path, env: dict[str, str]) -> None:
    """Between a memory's links and the titles at their ends, another thread may forget one of them."""
    vault, other = Vault(root, env=env), Vault(root, env=env)
    boat = vault.remember("The boat lies at the north quay").memory.id
    key = vault.remember("The key hangs behind the galley door").memory.id
    vault.link(boat, key)
    graph = vault.workspace.graph
    edges = graph.edges(boat)
    other.forget(key)
    assert [graph.note(edge.target).title for edge in edges] == ["The key hangs behind the galley door"]
    assert vault.show(boat).links == [] and vault.graph(boat).arcs == []
