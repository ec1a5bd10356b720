"""B-4: `AsyncVault`, and what a cancelled task leaves."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from vault_mem import AsyncVault, InvalidInput, Vault


def test_a_day_with_it(root: Path, env: dict[str, str]) -> None:
    # B-4
    async def day() -> None:
        async with AsyncVault(root, env=env) as vault:
            saved = await asyncio.gather(
                *(vault.remember(f"Plot {n} grows {n * 5} leeks", force=True) for n in range(12))
            )
            assert len({each.memory.id for each in saved}) == 12
            found = await asyncio.gather(*(vault.recall(f"plot {n} leeks", 3) for n in range(12)))
            assert all(found)
            with pytest.raises(InvalidInput, match="n must be a whole number"):
                await vault.recall("x", n="3")
            assert (await vault.list(n=3))[0].content
            assert vault.root == root.resolve()
        assert len(await vault.list()) == 12  # it can be used again
        await vault.close_files()

    asyncio.run(day())


def test_init_and_the_loop_goes_on(tmp_path: Path, env: dict[str, str]) -> None:
    # B-4: a call in a thread does not hold the loop
    async def day() -> int:
        await AsyncVault.init(tmp_path / "v", env=env)
        vault = AsyncVault(tmp_path / "v", env=env)
        ticks = 0
        call = asyncio.create_task(vault.remember("One"))
        while not call.done():
            ticks += 1
            await asyncio.sleep(0.001)
        assert call.result()
        return ticks

    assert asyncio.run(day()) > 1


def test_cancellation_leaves_nothing_half_done(root: Path, env: dict[str, str]) -> None:
    # B-4: who has begun ends, who has not begun never does
    held, go_on = threading.Event(), threading.Event()

    async def day() -> None:
        vault = AsyncVault(root, env=env)
        await vault.remember("Before")
        save = vault.vault._writing

        def slow(operation, *args, **options):
            held.set()
            assert go_on.wait(30)
            return save(operation, *args, **options)

        vault.vault._writing = slow
        first = asyncio.create_task(vault.remember("Begun"))
        await asyncio.to_thread(held.wait, 30)
        vault.vault._writing = save
        blockers = [vault._threads.submit(go_on.wait, 30) for _ in range(vault._threads._max_workers - 1)]
        waiting = asyncio.create_task(vault.remember("Never begun"))
        await asyncio.sleep(0.01)
        waiting.cancel()
        first.cancel()
        await asyncio.sleep(0.01)
        assert waiting.done()
        assert not first.done()
        first.cancel()  # whoever loses patience still does not leave a thread writing behind
        await asyncio.sleep(0.01)
        assert not first.done()
        go_on.set()
        for task in (first, waiting):
            with pytest.raises(asyncio.CancelledError):
                await task
        assert all(each.result() for each in blockers)

    asyncio.run(day())
    assert sorted(each.content for each in Vault(root, env=env).list()) == ["Before", "Begun"]
    assert Vault(root, env=env).doctor().healthy


def test_a_timeout(root: Path, env: dict[str, str]) -> None:
    # B-4
    async def day() -> None:
        vault = AsyncVault(root, env=env)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await vault.remember("Too late")
        assert len(await vault.list()) in (0, 1)

    asyncio.run(day())
    assert Vault(root, env=env).doctor().healthy
