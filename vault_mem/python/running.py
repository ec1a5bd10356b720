"""Running the methods of a `Vault` in threads, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

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
        self._start_threads()

    def _start_threads(self) -> None:
        self._threads, self._process = ThreadPoolExecutor(MOST, thread_name_prefix="vault-mem"), os.getpid()

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
        self._start_threads()

    async def close_files(self) -> None:
        """Stop watching and close the index's files; the vault can be used again."""
        await self._run(self.vault.close_files)

    def as_tools(self, which: str = "core", *, public_only: bool = False) -> list[Callable[..., Awaitable[str]]]:
        """The same functions as `Vault.as_tools` gives, each to be awaited."""
        return [self._awaited(tool) for tool in self.vault.as_tools(which, public_only=public_only)]

    def _awaited(self, tool: Callable[..., str]) -> Callable[..., Awaitable[str]]:
        async def call(*args: Any, **options: Any) -> str:
            return await self._run(tool, *args, **options)

        vars(call).update(vars(tool))
        call.__name__, call.__qualname__, call.__doc__ = tool.__name__, tool.__qualname__, tool.__doc__
        call.__annotations__ = tool.__annotations__
        return call

    async def _run(self, method: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        if self._process != os.getpid():  # a fork takes no threads along
            self._start_threads()
        return await finished(self._threads.submit(partial(method, *args, **options)))


def awaited(method: Callable[Concatenate[Vault, P], T]) -> Callable[Concatenate[Running, P], Coroutine[Any, Any, T]]:
    """A method of `Vault`, to be awaited."""

    @wraps(method, updated=())
    async def call(running: Running, /, *args: P.args, **options: P.kwargs) -> T:
        return await running._run(partial(method, running.vault), *args, **options)

    return call


def in_thread(method: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """A method that needs no open vault, to be awaited."""

    @wraps(method, updated=())
    async def call(*args: P.args, **options: P.kwargs) -> T:
        with ThreadPoolExecutor(1) as threads:
            return await finished(threads.submit(partial(method, *args, **options)))

    return call


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
                answer.exception()  # the caller is gone
        raise
