"""Running the methods of a `Vault` in threads, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import ParamSpec, Self, TypeVar

from vault_mem import types
from vault_mem.operations.pool import MOST
from vault_mem.python.vault import Vault
from vault_mem.vault.folder import Clock

P = ParamSpec("P")
T = TypeVar("T")


class Running:
    """A `Vault`, and the threads that its calls run in."""

    def __init__(
        self,
        path: types.StrPath | None = None,
        *,
        watch: bool | None = None,
        wait: float | None = None,
        read_wait: float | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        clock: Clock | None = None,
        progress: types.Progress | None = None,
    ) -> None:
        """Open a vault, as `Vault` does."""
        self.vault = Vault(
            path, watch=watch, wait=wait, read_wait=read_wait, env=env, cwd=cwd, clock=clock, progress=progress
        )
        self._threads = ThreadPoolExecutor(MOST, thread_name_prefix="vault-mem")

    @property
    def root(self) -> Path:
        """The vault's folder."""
        return self.vault.root

    async def __aenter__(self) -> Self:
        self.vault.__enter__()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        await self._run(self.vault.__exit__, kind)
        self._threads.shutdown(wait=False)
        self._threads = ThreadPoolExecutor(MOST, thread_name_prefix="vault-mem")

    async def close_files(self) -> None:
        """Stop watching, and let go of the index's files; the vault can be used again."""
        await self._run(self.vault.close_files)

    async def _run(self, method: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        return await finished(self._threads.submit(partial(method, *args, **options)))


async def in_thread(method: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Run a method that needs no open vault."""
    with ThreadPoolExecutor(1) as threads:
        return await finished(threads.submit(partial(method, *args, **options)))


async def finished(call: Future[T]) -> T:
    """The answer of a call in a thread. Who is cancelled waits until the call has ended, unless it has not begun."""
    answer = asyncio.wrap_future(call)
    try:
        return await asyncio.shield(answer)
    except asyncio.CancelledError:
        if not call.cancel():
            while not answer.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait([answer])
            if not answer.cancelled():
                answer.exception()  # nobody is left to hear of it
        raise
