"""Which private notes had `private: true` changed to false while this daemon watched.

Nothing else moves a note out unasked (SPEC P-2). Somebody must have edited the flag in one and the same file. A file
that was created, removed or replaced is a new one, of which nothing is known yet. So is one with an old mtime, as a
sync or a restore leaves it, and so are several that change at the same moment. If in doubt, nothing was seen. All this
is only in memory and ends with the process.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence

from vault_mem.notes.parse import MAX_NOTE_BYTES, flag_in
from vault_mem.vault import clock
from vault_mem.vault.folder import Folder
from vault_mem.vault.tree import TEMPORARY, key_of
from vault_mem.vault.walk import RACY_NS, FileState, look_at

_SAVED_SECONDS = 0.05  # this long after the last event of a file, its save is over
_MOMENT_SECONDS = 2.0  # a person cannot save two files faster than this
_SOME = 100


class Flags:
    """Which private notes were seen to say `private: true`, and which of them say `private: false` since.

    One thread reports what happens to files, in order; another reads them.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._true: set[str] = set()
        self._cleared: dict[str, FileState] = {}
        self._heard_of: dict[str, float] = {}
        self._era = 0
        self._last_saved = ("", -math.inf)
        self.unknown = True  # whether there may be notes that were never looked at

    def __len__(self) -> int:
        """How many notes were seen to say that they are private."""
        return len(self._true)

    def follow(self, folder: Folder) -> None:
        """Take over changed settings."""
        self._folder = folder
        self.forget()

    def forget(self) -> None:
        """Events were lost, or a whole folder came or went: nothing is known any more."""
        with self._lock:
            self._true.clear()
            self._cleared.clear()
            self._era += 1
            self.unknown = True

    # ---- what happens to files, by their paths below the root

    def saved(self, path: str) -> None:
        """A file was written to."""
        key = self._key(path)
        if not key:
            return
        with self._lock:
            (other, at), self._last_saved = self._last_saved, (key, clock.monotonic())
            if other != key and clock.monotonic() - at < _MOMENT_SECONDS:
                self._drop(other)
                self._drop(key)
                self._hear(other)  # read its flag again, but do not take the change for a person's
            self._hear(key)

    def made(self, path: str) -> None:
        """A file was made: a new one, or the one that an editor writes after it set the old one aside."""
        key = self._key(path)
        if key:
            with self._lock:
                self._hear(key)

    def moved(self, source: str, target: str) -> None:
        """A file was renamed; a name that is not known is empty."""
        parent, _, name = source.rpartition("/")
        beside = bool(name) and parent == target.rpartition("/")[0]
        note = bool(self._key(source))
        if beside and note and target == f"{source}~":  # a save: the old file becomes a backup, a new one follows
            self.made(source)
        elif beside and not note and not name.startswith(TEMPORARY):  # a save: a temporary file takes its name
            self.saved(target)
        else:
            self.gone(source)
            self.gone(target)

    def gone(self, path: str) -> None:
        """A file is no longer there, or no longer the one that was."""
        key = self._key(path)
        if key:
            with self._lock:
                self._drop(key)
                self._hear(key)

    def folder_changed(self, path: str) -> None:
        """A folder came or went."""
        private = self._folder.settings.private_folder
        if f"{path}/".startswith(f"{private}/") or f"{private}/".startswith(f"{path}/"):
            self.forget()

    def _key(self, path: str) -> str:
        """The key of a private note; empty for any other file."""
        note = path[-3:].lower() == ".md" and "/." not in f"/{path}"
        key = key_of(path) if note else ""
        return key if key and self._folder.is_private(key) else ""

    def _hear(self, key: str) -> None:
        self._heard_of[key] = time.monotonic()

    def _drop(self, key: str) -> None:
        self._true.discard(key)
        self._cleared.pop(key, None)

    # ---- what they say

    def until_look(self) -> float:
        """In how many seconds the files heard of can be looked at."""
        with self._lock:
            return max(self._heard_of.values(), default=math.inf) + _SAVED_SECONDS - time.monotonic()

    def look(self) -> None:
        """Look at the files heard of."""
        with self._lock:
            keys = list(self._heard_of)
            self._heard_of.clear()
        self._look_at(keys)

    def look_at_all(self, stop: Callable[[], bool]) -> None:
        """Look at every private note; if `stop` says so, the rest is left for later."""
        self.unknown = False
        private = self._folder.root / self._folder.settings.private_folder
        keys = [key for path in private.rglob("*.md") if (key := self._folder.key(path)) not in self._true]
        for start in range(0, len(keys), _SOME):
            if stop():
                self.unknown = True
                return
            self._look_at(keys[start : start + _SOME])

    def cleared(self) -> dict[str, FileState]:
        """The notes whose flag was seen to go from true to false, as they were then."""
        with self._lock:
            return {key: state for key, state in self._cleared.items() if key not in self._heard_of}

    def _look_at(self, keys: Sequence[str]) -> None:
        era = self._era
        files = look_at(self._folder, keys).files
        for key in keys:
            state = files.get(key)
            raw = self._read(key) if state is not None and state.size <= MAX_NOTE_BYTES else None
            if raw == b"":
                continue  # it is being written: what it says is still to come
            with self._lock:
                if era == self._era and key not in self._heard_of:
                    self._see(key, state, None if raw is None else flag_in(raw))

    def _read(self, key: str) -> bytes | None:
        try:
            return self._folder.tree.read(key)
        except OSError:
            return None

    def _see(self, key: str, state: FileState | None, flag: bool | None) -> None:
        known = key in self._true or key in self._cleared
        self._drop(key)
        if flag:
            self._true.add(key)
        elif flag is False and known and state and abs(state.ctime_ns - state.mtime_ns) < RACY_NS:
            self._cleared[key] = state
