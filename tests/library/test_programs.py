"""B-3, B-4: programs that embed a vault: a web service with tasks and threads, and a notebook."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vault_mem import AsyncVault, Vault


def test_a_web_service(root: Path, env: dict[str, str]) -> None:
    # B-4: requests come as tasks, some are given up, a worker thread saves beside them
    async def service() -> int:
        async with AsyncVault(root, env=env) as vault:

            async def request(number: int) -> None:
                await vault.remember(f"Order {number} ships {number * 3} crates", force=True)
                assert await vault.recall(f"order {number} crates", 3)

            worker = asyncio.to_thread(vault.vault.remember, "The worker saw a crate fall", force=True)
            given_up = asyncio.create_task(request(99))
            served = asyncio.gather(worker, *(request(number) for number in range(10)))
            await asyncio.sleep(0)
            given_up.cancel()
            await served
            with pytest.raises(asyncio.CancelledError):
                await given_up
            return len(await vault.list())

    assert asyncio.run(service()) in (11, 12)
    assert Vault(root, env=env).doctor().healthy


def test_a_pool_of_threads(root: Path, env: dict[str, str]) -> None:
    # B-3
    with Vault(root, env=env) as vault, ThreadPoolExecutor(12) as threads:
        saved = list(threads.map(lambda n: vault.remember(f"Locker {n} holds a {n * 3}", force=True), range(24)))
        found = list(threads.map(lambda n: vault.recall(f"what does locker {n} hold?"), range(24)))
    assert all(saved)
    assert all(found)


def test_a_notebook(root: Path, env: dict[str, str]) -> None:
    # B-4: a loop is running in every cell; calls that block work there, and so do those to be awaited
    async def cells() -> None:
        vault = Vault(root, env=env)
        assert vault.remember("The standup moved to 3pm")
        again = AsyncVault(root, env=env)
        assert (await again.recall("standup"))[0].memory.content == "The standup moved to 3pm"
        assert repr(vault.recall("standup")).startswith("RecallResult(")
        assert vault.recall("standup").to_dict()["results"][0]["content"] == "The standup moved to 3pm"

    asyncio.run(cells())


def test_the_hosts_log_has_public_text_at_debug_only(vault: Vault, caplog: pytest.LogCaptureFixture) -> None:
    # B-4
    with caplog.at_level(logging.DEBUG):
        vault.remember("The standup moved to 3pm")
        vault.remember("The secret code is 4711", private=True)
        vault.recall("standup")
    for record in caplog.records:
        assert record.levelno <= logging.DEBUG or "standup" not in record.getMessage()
        assert "4711" not in record.getMessage()


def test_a_program_leaves_no_trace_in_its_host(root: Path, env: dict[str, str]) -> None:
    # B-3: no output, no handler of signals, no thread that keeps it alive
    code = f"""
import signal, sys, threading
before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
from vault_mem import Vault
vault = Vault({str(root)!r}, watch=True)
vault.remember("One")
vault.recall("one")
assert before == [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
assert all(each.daemon for each in threading.enumerate() if each is not threading.main_thread())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
