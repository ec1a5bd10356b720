"""The moment around a memory: those saved just before and after it, and the whole session they make."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vault_mem.index.catalogue import Catalogue

# Longer than this between two memories, and they are of different moments.
GAP = 30 * 60.0
# Closer than this, they are of the very same second.
SECOND = 0.9
# A session that never pauses is cut: a day of log lines is no moment.
LONGEST = 64
# How many memories on either side make up the moment around one.
REACH = 3

# When more than this arrive at once, everything is sorted again.
FEW = 50

Places = NDArray[np.int64]


class Moments:
    """Memories in the order they were made, cut into sessions.

    Memories of the very same second were imported together: that makes them no moment. Where moments are switched
    off (`together` false), every memory is one by itself.
    """

    def __init__(self, catalogue: Catalogue, allowed: NDArray[np.bool_], *, together: bool = True) -> None:
        by_time = catalogue.derived("by time", lambda: ByTime(catalogue)).places
        self.order = by_time[allowed[by_time]]
        count = len(self.order)
        self.position = np.full(len(catalogue.files), -1, dtype=np.int64)
        self.position[self.order] = np.arange(count)
        gaps = np.diff(catalogue.created[self.order])
        apart = (gaps > GAP) | (gaps < SECOND) if together else np.ones(len(gaps), dtype=bool)
        cut = np.concatenate([[True], apart]) if count else np.zeros(0, dtype=bool)
        starts = np.flatnonzero(cut)
        since = np.arange(count) - np.repeat(starts, np.diff(np.append(starts, count)))
        self.session = np.cumsum(cut | (since % LONGEST == 0)) - 1 if count else np.zeros(0, dtype=np.int64)
        sizes = np.bincount(self.session) if count else np.ones(1, dtype=np.int64)
        # Of n in a row each sees REACH to either side, but for those at the ends.
        seen = np.minimum(sizes, REACH + 1)
        ends = seen * (seen - 1)
        middle = np.maximum(sizes - REACH - 1, 0) * 2 * REACH
        self.mean_size = float((sizes + ends + middle).sum() / max(sizes.sum(), 1))

    @property
    def sessions(self) -> int:
        """How many there are."""
        return int(self.session[-1]) + 1 if len(self.session) else 0

    def lengths(self, lengths: NDArray[np.float32]) -> NDArray[np.float32]:
        """How long each session is, given the lengths by place."""
        return np.bincount(self.session, lengths[self.order], self.sessions).astype(np.float32)

    def around(self, places: Places, reach: int = REACH) -> NDArray[np.int64]:
        """For every place a row of the places around it, itself in the middle; -1 where there is none."""
        if not len(self.order):
            return np.full((len(places), 2 * reach + 1), -1, dtype=np.int64)
        at = self.position[places][:, None] + np.arange(-reach, reach + 1)[None, :]
        inside = (at >= 0) & (at < len(self.order))
        held = np.clip(at, 0, len(self.order) - 1)
        same = inside & (self.session[held] == self.session[self.position[places]][:, None])
        return np.where(same, self.order[held], -1)

    def lifted(self, scores: NDArray[np.float32], share: float) -> NDArray[np.float32]:
        """Scores by place, each raised by a share of the best around it, less with every step."""
        ordered = scores[self.order]
        best = np.zeros_like(ordered)
        for step in range(1, REACH + 1):
            same = self.session[step:] == self.session[:-step]
            fading = np.float32(share * 0.6 ** (step - 1))
            best[step:] = np.maximum(best[step:], np.where(same, ordered[:-step] * fading, 0))
            best[:-step] = np.maximum(best[:-step], np.where(same, ordered[step:] * fading, 0))
        raised = scores.copy()
        raised[self.order] += best
        return raised


def moments(catalogue: Catalogue, allowed: NDArray[np.bool_], *, together: bool = True) -> Moments:
    """The moments of the allowed memories; those of the last call where it asked for the same."""
    kept: dict[bool, tuple[NDArray[np.bool_], Moments]] = catalogue.derived("moments", dict)
    if together not in kept or not np.array_equal(kept[together][0], allowed):
        kept[together] = (allowed, Moments(catalogue, allowed, together=together))
    return kept[together][1]


class ByTime:
    """Whole memories in the order they were made; those of one moment by the names of their files."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._sort(catalogue)

    def _sort(self, catalogue: Catalogue) -> None:
        whole = np.flatnonzero(catalogue.alive & (catalogue.n == 0))
        files = np.array([catalogue.files[place] for place in whole.tolist()], dtype=object)
        by_file = np.argsort(files, kind="stable")
        self.places: Places = whole[by_file][np.argsort(catalogue.created[whole[by_file]], kind="stable")]

    def forget(self, catalogue: Catalogue, places: list[int]) -> None:
        """These rows are about to go."""
        self.places = self.places[~np.isin(self.places, places)]

    def learn(self, catalogue: Catalogue, places: list[int]) -> None:
        """These rows have come."""
        whole = [place for place in places if catalogue.n[place] == 0]
        if len(whole) > FEW:
            self._sort(catalogue)
            return
        for place in whole:
            made = catalogue.created[place]
            first, last = (
                int(np.searchsorted(catalogue.created[self.places], made, side)) for side in ("left", "right")
            )
            before = sum(catalogue.files[other] < catalogue.files[place] for other in self.places[first:last].tolist())
            self.places = np.insert(self.places, first + before, place)
