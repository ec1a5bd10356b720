"""Changes in the vault, sent to every open page.

A page that sees only public memories is not told about the private folder, not even that something changed there.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from vault_mem.daemon.watcher import Watcher
from vault_mem.operations.workspace import Workspace
from vault_mem.vault.folder import Folder
from vault_mem.vault.settings import VAULT_FILE
from vault_mem.vault.tree import key_of
from vault_mem.vault.walk import walk
from vault_mem.visible import all_visible
from vault_mem.web.vault import SeenVault, seeing

# An editor saves in several steps; changes within this time are sent as one.
TOGETHER = 0.1
# How often something is sent at least: otherwise a dead connection would not be noticed.
STILL_THERE = 15.0
MOST_STREAMS = 32
# If the system does not report changes, all files are checked this often while a page listens.
LOOK_EVERY = 2.0


@dataclass
class Stream:
    """One page that listens, and the changes it has not been sent yet."""

    sees_private: Callable[[], bool]
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    keys: set[str] = field(default_factory=set)
    everything: bool = False
    ended: bool = False


class _ReportingWatcher(Watcher):
    """A watcher that reports every event."""

    def __init__(self, folder: Folder, tell: Callable[[str, bool], None], cookies: Path) -> None:
        super().__init__(folder, lambda: None, cookies)
        self._tell = tell

    def heard(self, relative: str, *, folder: bool) -> None:
        """This path below the root changed."""
        super().heard(relative, folder=folder)
        if not any(part.startswith(".") for part in relative.split("/")):
            self._tell(key_of(relative), folder)

    def lost_track(self) -> None:
        """Events were lost."""
        super().lost_track()
        self._tell("", True)


class Hub:
    """Receives changes in its own threads and passes them to the streams in the server's loop."""

    def __init__(self, vault: SeenVault) -> None:
        self._vault = vault
        self._streams: list[Stream] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ear: _ReportingWatcher | None = None
        self.changed_at = time.monotonic()
        self.over = threading.Event()

    def start(self) -> None:
        """Begin to listen."""
        cookies = Path(tempfile.mkdtemp(prefix="vault-mem-"))
        self._ear = _ReportingWatcher(self._vault.folder, self._heard, cookies)
        self._ear.start()
        if not self._ear.by_events:
            shutil.rmtree(cookies, ignore_errors=True)
            threading.Thread(target=self._keep_looking, daemon=True).start()

    def stop(self) -> None:
        """Stop listening, and end all streams."""
        self.over.set()
        if self._ear is not None:
            self._ear.stop()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end_all)

    async def listen(self, sees_private: Callable[[], bool]) -> AsyncIterator[bytes]:
        """The events of one page, as server-sent events."""
        self._loop = asyncio.get_running_loop()
        stream = Stream(sees_private)
        self._streams.append(stream)
        for oldest in self._streams[:-MOST_STREAMS]:
            oldest.ended = True
            oldest.woken.set()
        try:
            yield _event("hello", {"private": sees_private()})
            while not stream.ended and not self.over.is_set():
                try:
                    await asyncio.wait_for(stream.woken.wait(), STILL_THERE)
                except TimeoutError:
                    yield b": \n\n"
                    continue
                await asyncio.sleep(TOGETHER)
                event = await self._told(stream)
                if event is not None:
                    yield _event("change", event)
        finally:
            self._streams.remove(stream)

    async def _told(self, stream: Stream) -> dict[str, object] | None:
        """The event for a page about the gathered changes; None if it may know of none of them."""
        stream.woken.clear()
        keys, everything = stream.keys, stream.everything
        stream.keys, stream.everything = set(), False
        private = stream.sees_private()
        shown = sorted(key for key in keys if private or not self._is_private(key))
        if not shown and not everything:
            return None
        try:
            with seeing(private=private):
                ids = await run_in_threadpool(self._vault.look, _ids, [key for key in shown if key[-3:] == ".md"])
        except Exception:  # the page gets the error when it asks
            ids = []
        if VAULT_FILE in shown and self._ear is not None:
            self._ear.follow(self._vault.folder)
        return {
            "paths": shown,
            "ids": ids,
            "review": any(key.rpartition("/")[2] == "REVIEW.md" for key in shown),
            "settings": VAULT_FILE in shown,
            "all": everything,
        }

    def _is_private(self, key: str) -> bool:
        return self._vault.folder.is_private(key) or self._vault.folder.is_private(f"{key}/")

    def _heard(self, key: str, folder: bool) -> None:
        self.changed_at = time.monotonic()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._gather, key, folder)

    def _gather(self, key: str, folder: bool) -> None:
        for stream in self._streams:
            if folder and (stream.sees_private() or not self._is_private(key)):
                stream.everything = True
            stream.keys.add(key)
            stream.woken.set()

    def _end_all(self) -> None:
        for stream in self._streams:
            stream.ended = True
            stream.woken.set()

    def _keep_looking(self) -> None:
        """Find changes by checking all files now and then, for systems that do not report them."""
        before = walk(self._vault.folder).files
        while not self.over.wait(LOOK_EVERY):
            if not self._streams:
                continue
            now = walk(self._vault.folder).files
            for key in before.keys() | now.keys():
                if before.get(key) != now.get(key):
                    self._heard(key, False)
            before = now


def _ids(workspace: Workspace, keys: list[str]) -> list[str]:
    workspace.freshen()
    return sorted(filter(None, map(workspace.index.known.id_of, keys)))


def _event(name: str, data: dict[str, object]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(all_visible(data), ensure_ascii=False)}\n\n".encode("utf-8", "replace")
