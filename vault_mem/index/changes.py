"""What the workspaces of one process have written to the index, so that none has to read it again."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

Rows = Sequence[Mapping[str, Any]]
# A workspace that lags behind by more commits than this reads everything again.
_MOST_COMMITS = 100


class Changes:
    """The last commits: from which version of the table to which, the files whose rows changed, and those rows.

    The rows of large commits are not kept: None stands for them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._commits: deque[tuple[str, int, int, Mapping[str, Rows | None]]] = deque(maxlen=_MOST_COMMITS)

    def note(self, generation: str, versions: tuple[int, int], files: Mapping[str, Rows | None]) -> None:
        """Remember what one sync wrote."""
        before, after = versions
        if before != after:
            with self._lock:
                self._commits.append((generation, before, after, files))

    def between(self, generation: str, before: int, after: int) -> dict[str, Rows | None] | None:
        """The files that changed from one version to another; None if somebody else wrote in between."""
        with self._lock:
            steps = {start: (end, files) for name, start, end, files in self._commits if name == generation}
        found: dict[str, Rows | None] = {}
        while before != after:
            if before not in steps or steps[before][0] > after:
                return None
            before, files = steps[before]
            found |= files
        return found
