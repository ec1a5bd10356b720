"""What the workspaces of one process have written to the index, so that none has to read all of it again."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable

# A workspace that lags behind by more commits than this reads everything anew.
_KEPT = 500


class Changes:
    """The last commits: from which version of the table to which, and the files whose rows changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._commits: deque[tuple[str, int, int, frozenset[str]]] = deque(maxlen=_KEPT)

    def note(self, generation: str, versions: tuple[int, int], files: Iterable[str]) -> None:
        """Remember what one sync wrote."""
        before, after = versions
        if before != after:
            with self._lock:
                self._commits.append((generation, before, after, frozenset(files)))

    def between(self, generation: str, before: int, after: int) -> set[str] | None:
        """The files that changed from one version to another; None where somebody else wrote in between."""
        with self._lock:
            steps = {start: (end, files) for name, start, end, files in self._commits if name == generation}
        found: set[str] = set()
        while before != after:
            if before not in steps or steps[before][0] > after:
                return None
            before, files = steps[before]
            found |= files
        return found
