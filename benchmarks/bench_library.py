"""The library in one process, compared with the daemon: recall and remember with and without `watch`, and in bulk.

At 1,000 and 10,000 memories; LIBRARY_LARGE=1 adds 100,000. Calls are taken in turns, so that a busy moment
affects all alike; the daemon is asked over its socket, without a shell.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks.harness import Figure, Setting, Target, interleaved
from benchmarks.vaults import memories, questions, write_vault
from vault_mem import Vault
from vault_mem.python.served import ask

ROUNDS = 30
MANY = 200


def run(setting: Setting) -> Iterator[Figure]:
    """Medians, each with the daemon's time for the same call."""
    runtime = setting.folder / "run"
    if len(os.fsencode(runtime)) > 70:  # the path of a socket must be short
        runtime = Path("/tmp") / f"vault-mem-bench-{os.getpid()}"
    runtime.mkdir(mode=0o700)
    os.environ |= {"VAULT_MEM_RUNTIME_DIR": str(runtime)}
    sizes = [1_000] if setting.quick else [1_000, 10_000]
    for size in [*sizes, *([100_000] if os.environ.get("LIBRARY_LARGE") else [])]:
        yield from _at(setting, size)


def _at(setting: Setting, size: int) -> Iterator[Figure]:
    os.environ["VAULT_MEM_DAEMON"] = "off"
    written = write_vault(setting.folder / str(size), memories(size, seed=9))
    written.reindex()
    root = written.root
    setting.progress(f"{size:,} memories indexed")
    plain, watched = Vault(root, watch=False), Vault(root, watch=True)
    random, asked = Random(7), questions(500)
    runtime = f"/tmp/vault-mem-bench-{os.getpid()}"  # a socket's path is short
    os.environ |= {"VAULT_MEM_DAEMON": "on", "VAULT_MEM_RUNTIME_DIR": runtime}
    daemon = subprocess.Popen([sys.executable, "-m", "vault_mem", "--vault", str(root), "daemon", "run"])
    try:
        _await(root)

        def served(*words: str) -> None:
            query = (
                f"{random.choice(asked)} {random.randrange(10**9)}" if words[0] == "remember" else random.choice(asked)
            )
            assert ask(str(root), [*words, "--json", "--", "-"], query.encode()) is not None

        def saved(vault: Vault) -> None:
            vault.remember(f"{random.choice(asked)} {random.randrange(10**9)}", force=True)

        for vault in (plain, watched):
            vault.recall("warm up")
        taken = interleaved(
            ROUNDS,
            lambda: served("recall"),
            lambda: watched.recall(random.choice(asked)),
            lambda: plain.recall(random.choice(asked)),
        )
        daemons, *own = (statistics.median(each) * 1000 for each in taken)
        limit = Target("≤", 1.5, of_ratio=True) if size == 10_000 else None
        yield Figure(f"library: recall at {size:,}, watched", own[0], "ms", daemons, "the daemon", limit)
        yield Figure(f"library: recall at {size:,}, not watched", own[1], "ms", daemons, "the daemon")
        taken = interleaved(ROUNDS, lambda: served("remember", "--force"), lambda: saved(watched), lambda: saved(plain))
        daemons, *own = (statistics.median(each) * 1000 for each in taken)
        yield Figure(f"library: remember at {size:,}, watched", own[0], "ms", daemons, "the daemon")
        yield Figure(f"library: remember at {size:,}, not watched", own[1], "ms", daemons, "the daemon")
    finally:
        daemon.terminate()
        daemon.wait(60)
        shutil.rmtree(runtime, ignore_errors=True)
    setting.progress("many at once")
    texts = [each.content for each in memories(MANY, seed=77)]
    began = time.perf_counter()
    made = watched.remember_many(texts, force=True)
    many = (time.perf_counter() - began) / MANY * 1000
    assert len(made) == MANY
    one_by_one = statistics.median(interleaved(ROUNDS, lambda: saved(plain))[0]) * 1000
    yield Figure(f"library: remember_many at {size:,}, each", many, "ms", one_by_one, "one by one")


def _await(root: Path) -> None:
    """Wait until the daemon answers."""
    deadline = time.monotonic() + 60
    while ask(str(root), ["recall", "--json", "--", "-"], b"warm up") is None:
        if time.monotonic() > deadline:
            raise RuntimeError("the daemon does not answer")
        time.sleep(0.1)
