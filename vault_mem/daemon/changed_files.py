"""The files that changed and are not indexed yet."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from vault_mem.operations.workspace import Pending


class ChangedFiles:
    """Changes are noted here and crossed off once indexed, unless the file changed again meanwhile."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._serial = 0
        self._keys: dict[str, int] = {}
        self._ours: set[str] = set()
        self._everything = 1  # nothing is known before the first look at all files

    def note(self, keys: Iterable[str], *, ours: bool = False) -> None:
        """These files changed; `ours` where an operation wrote them."""
        keys = list(keys)
        with self._lock:
            self._serial += 1
            self._keys.update(dict.fromkeys(keys, self._serial))
            self._ours.update(keys if ours else ())

    def note_everything(self) -> None:
        """Any file may have changed."""
        with self._lock:
            self._serial += 1
            self._everything = self._serial

    def pending(self) -> Pending:
        """What is not indexed, as of now."""
        with self._lock:
            serial = max(self._serial, self._everything)
            return Pending(frozenset(self._keys), frozenset(self._ours), bool(self._everything), serial)

    def done(self, pending: Pending) -> None:
        """That much is indexed; what changed again since stays."""
        with self._lock:
            if pending.everything and self._everything <= pending.serial:
                self._everything = 0
            for key in pending.keys:
                if self._keys.get(key, pending.serial + 1) <= pending.serial:
                    del self._keys[key]
                    self._ours.discard(key)

    def __bool__(self) -> bool:
        return bool(self._keys or self._everything)
