"""B-3: programs of several processes: forked while threads work, started again, beside a daemon."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from vault_mem import Vault

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")

# A child that hangs is ended by its own watchdog, which tells where.
_FORKING = """
import faulthandler, os, sys, threading
from vault_mem import Unsafe, Vault

used, threads, forks = sys.argv[2] == "used", int(sys.argv[3]), int(sys.argv[4])
vault = Vault(sys.argv[1], watch=True)
vault.remember("The ferry leaves at nine") if used else vault.settings()
stop = threading.Event()
def busy(number):
    while not stop.is_set():
        vault.remember(f"Parcel {os.urandom(4).hex()}", force=True) if number % 2 else vault.recall("parcel")
working = [threading.Thread(target=busy, args=(number,)) for number in range(threads)]
for thread in working:
    thread.start()
failed = []
for number in range(forks):
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(60, exit=True)
        try:
            vault.remember(f"Child {number} was here", force=True)
            assert vault.recall("child")
            code = 0
        except Unsafe as error:
            code = 7 if "forked" in error.message and "spawn" in error.hint else 8
        os._exit(code) if number % 2 else sys.exit(code)
    status = os.waitpid(child, 0)[1]
    failed += [status] if os.waitstatus_to_exitcode(status) != (7 if used else 0) else []
stop.set()
for thread in working:
    thread.join()
assert not failed, failed
(vault.root / "memories" / "by-hand.md").write_text("The gate code is in the blue notebook")
assert vault.recall("gate code")[0].memory.path == "memories/by-hand.md"
assert vault.doctor().healthy
"""


@forks
@pytest.mark.parametrize(("used", "threads"), [("used", 2), ("used", 0), ("unused", 0)])
def test_an_open_vault_is_forked(root: Path, env: dict[str, str], used: str, threads: int, soak: bool) -> None:
    # B-3: LanceDB hung or crashed in the child, and again when that ended; where it was not in use, all is well
    # a child of an unused vault loads LanceDB by itself: two are enough for the two ways in which they end
    children = 200 if soak else 4 if used == "used" else 2
    command = [sys.executable, "-c", _FORKING, str(root), used, str(threads), str(children)]
    done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, timeout=900, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@forks
def test_a_child_does_not_keep_the_vault_locked(vault: Vault) -> None:
    # it had the lock's file open, too, so the lock was held until it ended
    from vault_mem.vault import journal

    ready, go = os.pipe(), os.pipe()
    with journal.writing(vault.workspace.folder):
        child = os.fork()
        if child == 0:
            os.write(ready[1], b"x")
            os.read(go[0], 1)
            os._exit(0)
        os.read(ready[0], 1)
    assert not journal.busy(vault.workspace.folder)
    os.write(go[1], b"x")
    os.waitpid(child, 0)
    for end in (*ready, *go):
        os.close(end)


def _saved(vault: Vault, number: int) -> str:
    return vault.remember(f"Worker {number} counted {number * 3} crates", force=True).memory.content


def test_a_vault_is_handed_to_workers(root: Path, env: dict[str, str]) -> None:
    # multiprocessing pickles it: "cannot pickle '_thread.lock' object"
    vault = Vault(root, env=env, wait=60)
    with multiprocessing.get_context("spawn").Pool(2) as workers:
        saved = workers.starmap(_saved, [(vault, number) for number in range(3)])
    assert sorted(each.content for each in vault.list()) == sorted(saved)
