"""Watching: our use of watchdog's reader of inotify, against watchdog's public observer over the same vault."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.harness import Figure, Setting
from benchmarks.vaults import memories, write_vault

ROUNDS = 20
_HIDDEN = 400  # folders that git and Obsidian keep in a vault of some years


def run(setting: Setting) -> Iterator[Figure]:
    """In a vault with hidden folders: a note is saved, a note is dragged out, the queue of events overflows."""
    if not sys.platform.startswith("linux"):
        return
    from vault_mem.daemon import watcher

    vault = write_vault(setting.folder / "vault", memories(200))
    for number in range(_HIDDEN):
        (vault.root / ".git" / "objects" / f"{number:03x}").mkdir(parents=True)
    folder = vault.workspace.folder
    ours, theirs = (_measure(folder, kind, setting.folder) for kind in (watcher._Inotify, watcher._Observed))
    for name, unit in (("a saved note is heard of", "ms"), ("a note dragged out is heard of", "ms"), ("folders", "")):
        yield Figure(f"watcher: {name}", ours[name], unit, theirs[name], "watchdog's observer")
    told = "lost events are told of (1 = yes)"
    yield Figure(f"watcher: {told}", ours[told])
    yield Figure("watcher: the same by watchdog's observer", theirs[told])


class _Listener:
    """Stands in for the watcher, and records the events it is told of."""

    def __init__(self) -> None:
        self.flags: Any = self
        self.lost = threading.Event()
        self._names: dict[str, threading.Event] = {}

    def wait_for(self, name: str) -> threading.Event:
        return self._names.setdefault(name, threading.Event())

    def heard(self, relative: str, *, folder: bool) -> None:
        if relative in self._names:
            self._names[relative].set()

    def lost_track(self) -> None:
        self.lost.set()

    def _nothing(self, *_: str) -> None:
        """Ignored: these events are not measured here."""

    moved = made = gone = saved = _nothing


def _measure(folder: Any, kind: Callable[[Any], Any], outside: Path) -> dict[str, float]:
    listener = _Listener()
    before = _watches()
    source = kind(listener)
    cookies = outside / f"cookies-{kind.__name__}"
    cookies.mkdir()
    source.watch(folder, cookies)
    notes = sorted((folder.root / "memories").rglob("*.md"))[:ROUNDS]
    try:
        return {
            "folders": _watches() - before,
            "a saved note is heard of": _seconds(folder.root, listener, notes, _save) * 1000,
            "a note dragged out is heard of": _seconds(folder.root, listener, notes, _drag_out) * 1000,
            "lost events are told of (1 = yes)": float(_overflow(folder.root, listener)),
        }
    finally:
        source.stop()


def _seconds(root: Path, listener: _Listener, notes: list[Path], act: Callable[[Path], None]) -> float:
    taken = []
    for note in notes:
        heard = listener.wait_for(note.relative_to(root).as_posix())
        heard.clear()
        started = time.perf_counter()
        act(note)
        if not heard.wait(5):
            raise AssertionError(f"{act.__name__}: nothing heard of {note.name}")
        taken.append(time.perf_counter() - started)
        time.sleep(0.05)
    return statistics.median(taken)


def _save(note: Path) -> None:
    note.write_bytes(note.read_bytes() + b"\n")


def _drag_out(note: Path) -> None:
    note.rename(next(each for each in note.parents if each.name == "vault").with_name(note.name))


def _overflow(root: Path, listener: _Listener) -> bool:
    """Make more events than the system queues while this process is stopped, as when a laptop sleeps."""
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    script = (
        "import os, signal, sys\n"
        "os.kill(os.getppid(), signal.SIGSTOP)\n"
        f"for number in range({most}):\n"
        "    path = f'{sys.argv[1]}/{number}.txt'\n"
        "    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))\n"
        "    os.unlink(path)\n"
        "os.kill(os.getppid(), signal.SIGCONT)\n"
    )
    subprocess.run([sys.executable, "-c", script, os.fspath(root / "memories")], check=True)
    return listener.lost.wait(3)


def _watches() -> int:
    """How many inotify watches this process holds."""
    found = 0
    for info in Path("/proc/self/fdinfo").iterdir():
        try:
            found += info.read_text().count("inotify wd:")
        except OSError:
            continue
    return found
