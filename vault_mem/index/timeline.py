"""The order in which memories were made, and where it is cut into sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from vault_mem.index.catalogue import Catalogue

# Memories further apart than this belong to different moments.
SESSION_GAP_SECONDS = 30 * 60.0
# Memories closer than this were made in the same second.
SAME_SECOND = 0.9
# A session without a pause is cut here: a day of log lines is not one moment.
MOST_IN_SESSION = 64


def cuts(created: NDArray[np.float64], *, together: bool) -> NDArray[np.bool_]:
    """Where sessions begin, given sorted times; unless `together`, every memory is a session of its own."""
    count = len(created)
    if not count:
        return np.zeros(0, dtype=bool)
    gaps = np.diff(created)
    apart = (gaps > SESSION_GAP_SECONDS) | (gaps < SAME_SECOND) if together else np.ones(len(gaps), dtype=bool)
    cut = np.concatenate([[True], apart])
    starts = np.flatnonzero(cut)
    since = np.arange(count) - np.repeat(starts, np.diff(np.append(starts, count)))
    return np.asarray(cut | (since % MOST_IN_SESSION == 0))


@dataclass(frozen=True)
class Timeline:
    """Candidates in the order of their sessions; an empty name stands for a memory between them that is left out."""

    files: Sequence[str]
    session: NDArray[np.int64]  # of each file, numbered in order
    lengths: NDArray[np.float32]  # of the sessions, in terms
    sessions: int  # in the whole vault
    mean_length: float
    having: Callable[[str, int], int]  # how many sessions have a term, given how many of those at hand do

    def at_hand(self, catalogue: Catalogue, allowed: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places of the files, without those not allowed (-1 for those not at hand), and their sessions."""
        found = [catalogue.place_of(file) for file in self.files]
        places = np.array([-1 if place is None else place for place in found], dtype=np.int64)
        kept = (places < 0) | allowed[places] if len(allowed) else places < 0
        return places[kept], self.session[kept]

    def session_lengths(self, session: NDArray[np.int64]) -> NDArray[np.float32]:
        """How long each session is."""
        return self.lengths[: int(session[-1]) + 1 if len(session) else 0]
