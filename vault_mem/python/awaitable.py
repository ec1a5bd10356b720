"""`AsyncVault`: the methods of `Vault` for asyncio, run in threads."""

from __future__ import annotations

import asyncio
import builtins
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


def awaited(method: Callable[Concatenate[Vault, P], T]) -> Callable[Concatenate[AsyncVault, P], Coroutine[Any, Any, T]]:
    """A method of `Vault`, to be awaited."""

    @wraps(method, updated=())
    async def call(vault: AsyncVault, /, *args: P.args, **options: P.kwargs) -> T:
        return await vault._run(partial(method, vault.vault), *args, **options)

    return call


def in_thread(method: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """A method that needs no open vault, to be awaited."""

    @wraps(method, updated=())
    async def call(*args: P.args, **options: P.kwargs) -> T:
        with ThreadPoolExecutor(1) as threads:
            return await finished(threads.submit(partial(method, *args, **options)))

    return call


async def finished(call: Future[T]) -> T:
    """The answer of a call in a thread. If cancelled, this still waits for the call to end, unless it has not begun."""
    answer = asyncio.wrap_future(call)
    try:
        return await asyncio.shield(answer)
    except asyncio.CancelledError:
        if not call.cancel():
            while not answer.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait([answer])
            if not answer.cancelled():
                answer.exception()  # mark the error as seen: the caller is gone
        raise


class AsyncVault:
    """A vault for asyncio: the methods of `Vault`, each to be awaited; the event loop goes on meanwhile.

    A task that is cancelled leaves nothing half done: a call that has not begun never begins, and one that has is
    waited for. `async with AsyncVault(…) as vault:` watches the files as `with Vault(…)` does, and closes them.
    """

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

    def as_tools(
        self, which: str = "core", *, public_only: bool = False
    ) -> builtins.list[Callable[..., Awaitable[str]]]:
        """The same functions as `Vault.as_tools` gives, each to be awaited."""
        return [self._awaited(tool) for tool in self.vault.as_tools(which, public_only=public_only)]

    def _awaited(self, tool: Callable[..., str]) -> Callable[..., Awaitable[str]]:
        @wraps(tool)
        async def call(*args: Any, **options: Any) -> str:
            return await self._run(tool, *args, **options)

        return call

    async def _run(self, method: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        if self._process != os.getpid():  # a forked child has none of its parent's threads
            self._start_threads()
        return await finished(self._threads.submit(partial(method, *args, **options)))

    settle = awaited(Vault.settle)
    init = staticmethod(in_thread(Vault.init))
    remember = awaited(Vault.remember)
    remember_many = awaited(Vault.remember_many)
    update = awaited(Vault.update)
    edit = awaited(Vault.edit)
    tag = awaited(Vault.tag)
    rename = awaited(Vault.rename)
    consolidate = awaited(Vault.consolidate)
    merge = awaited(Vault.merge)
    recall = awaited(Vault.recall)
    ask = awaited(Vault.ask)
    trusted_ids = awaited(Vault.trusted_ids)
    show_in = awaited(Vault.show_in)
    search_all = awaited(Vault.search_all)
    search = awaited(Vault.search)
    why_not = awaited(Vault.why_not)
    ask_why_not = awaited(Vault.ask_why_not)
    similar = awaited(Vault.similar)
    compare = awaited(Vault.compare)
    show = awaited(Vault.show)
    list = awaited(Vault.list)
    tags = awaited(Vault.tags)
    people = awaited(Vault.people)
    list_due = awaited(Vault.list_due)
    forget = awaited(Vault.forget)
    look_at_purge = awaited(Vault.look_at_purge)
    restore = awaited(Vault.restore)
    trash = awaited(Vault.trash)
    private = awaited(Vault.private)
    publish = awaited(Vault.publish)
    backup = awaited(Vault.backup)
    check_backup = staticmethod(in_thread(Vault.check_backup))
    restore_backup = staticmethod(in_thread(Vault.restore_backup))
    link = awaited(Vault.link)
    unlink = awaited(Vault.unlink)
    graph = awaited(Vault.graph)
    graph_overview = awaited(Vault.graph_overview)
    create_episode = awaited(Vault.create_episode)
    episode = awaited(Vault.episode)
    episodes = awaited(Vault.episodes)
    add_to_episode = awaited(Vault.add_to_episode)
    remove_from_episode = awaited(Vault.remove_from_episode)
    undo = awaited(Vault.undo)
    look_at_undo = awaited(Vault.look_at_undo)
    history = awaited(Vault.history)
    operations = awaited(Vault.operations)
    close = awaited(Vault.close)
    done = awaited(Vault.done)
    reopen = awaited(Vault.reopen)
    confirm = awaited(Vault.confirm)
    tidy = awaited(Vault.tidy)
    tidy_candidates = awaited(Vault.tidy_candidates)
    tidy_log = awaited(Vault.tidy_log)
    tidy_apply = awaited(Vault.tidy_apply)
    summary_candidates = awaited(Vault.summary_candidates)
    review = awaited(Vault.review)
    review_versions = awaited(Vault.review_versions)
    review_answer = awaited(Vault.review_answer)
    said_around = awaited(Vault.said_around)
    capture = awaited(Vault.capture)
    sessions = awaited(Vault.sessions)
    session = awaited(Vault.session)
    remove_sessions = awaited(Vault.remove_sessions)
    hint = awaited(Vault.hint)
    hint_stats = awaited(Vault.hint_stats)
    note_used = awaited(Vault.note_used)
    stats = awaited(Vault.stats)
    rebuild_views = awaited(Vault.rebuild_views)
    import_ = awaited(Vault.import_)
    import_sessions = awaited(Vault.import_sessions)
    export = awaited(Vault.export)
    wake_up = awaited(Vault.wake_up)
    wake_up_within = awaited(Vault.wake_up_within)
    introspect = awaited(Vault.introspect)
    introspect_within = awaited(Vault.introspect_within)
    show_self = awaited(Vault.show_self)
    update_self = awaited(Vault.update_self)
    emotion_trend = awaited(Vault.emotion_trend)
    status = awaited(Vault.status)
    doctor = awaited(Vault.doctor)
    reindex = awaited(Vault.reindex)
    settings = awaited(Vault.settings)
    set_setting = awaited(Vault.set_setting)
    evaluate = staticmethod(in_thread(Vault.evaluate))
