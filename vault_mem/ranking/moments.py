"""The moment around a memory: those saved just before and after it, and the whole session they make."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vault_mem.index.catalogue import Catalogue
from vault_mem.index.lexicon import TermLists, saturation, weight
from vault_mem.index.timeline import cuts

# How many memories on either side make up the moment around one.
MOMENT_REACH = 3

# When more than this arrive at once, everything is sorted again.
MOST_INSERTED_SINGLY = 50

Places = NDArray[np.int64]


class Moments:
    """Memories in the order they were made, cut into sessions.

    Memories of the very same second were imported together, which does not make them a moment. If moments are
    switched off (`together` false), every memory is one by itself. If not all memories are at hand, -1 in `order`
    stands for one that is missing.
    """

    def __init__(self, catalogue: Catalogue, allowed: NDArray[np.bool_], *, together: bool = True) -> None:
        self._timeline = catalogue.timeline if together else None
        if self._timeline is None:
            by_time = catalogue.derived("by time", lambda: ByTime(catalogue)).places
            self.order = by_time[allowed[by_time]]
            cut = cuts(catalogue.created[self.order], together=together)
            self.session = np.cumsum(cut) - 1 if len(cut) else np.zeros(0, dtype=np.int64)
        else:
            self.order, self.session = self._timeline.at_hand(catalogue, allowed)
        self.position = np.full(len(catalogue.files) + 1, -1, dtype=np.int64)  # the last is for -1, not at hand
        self.position[self.order] = np.arange(len(self.order))
        self.position = self.position[:-1]
        self._measured: tuple[NDArray[np.float32], int, float] | None = None
        self._sums = np.full(len(catalogue.files), np.nan, dtype=np.float32)

    def words(self, lexicon: TermLists, places: Places, terms: Sequence[tuple[str, float]]) -> NDArray[np.float32]:
        """BM25 of these terms over the sessions of some places, 0 to 1; each term is weighted by its share."""
        lengths, count, mean = self._lengths(lexicon)
        wanted, where = np.unique(self.session[self.position[places]], return_inverse=True)
        found = np.zeros(len(wanted), dtype=np.float32)
        weighed = 0.0
        for term, share in terms:
            having, counts = lexicon.postings(term)
            at = self.position[having]
            counts, at = counts[at >= 0], at[at >= 0]
            sessions = np.bincount(self.session[at], counts, len(lengths)).astype(np.float32)
            known = int(np.count_nonzero(sessions))
            each = weight(known if self._timeline is None else self._timeline.having(term, known), count) * share
            found += np.float32(each) * saturation(sessions[wanted], lengths[wanted], mean)
            weighed += each
        return np.round(found / np.float32(weighed or 1.0), 6)[where]

    def _lengths(self, lexicon: TermLists) -> tuple[NDArray[np.float32], int, float]:
        """How long each session at hand is, how many there are in all, and how long they are on average."""
        if self._timeline is not None:
            return self._timeline.session_lengths(self.session), self._timeline.sessions, self._timeline.mean_length
        if self._measured is None:
            count = int(self.session[-1]) + 1 if len(self.session) else 0
            lengths = np.bincount(self.session, lexicon.lengths[self.order], count).astype(np.float32)
            self._measured = lengths, count, float(lengths.mean(dtype=float)) if count else 1.0
        return self._measured

    def around(self, places: Places, reach: int = MOMENT_REACH) -> NDArray[np.int64]:
        """For every place, a row with the places around it, itself in the middle; -1 where there is none."""
        if not len(self.order):
            return np.full((len(places), 2 * reach + 1), -1, dtype=np.int64)
        at = self.position[places][:, None] + np.arange(-reach, reach + 1)[None, :]
        inside = (at >= 0) & (at < len(self.order))
        held = np.clip(at, 0, len(self.order) - 1)
        same = inside & (self.session[held] == self.session[self.position[places]][:, None])
        return np.where(same, self.order[held], -1)

    def lengths_of_sums(
        self, vectors: NDArray[np.float32], places: Places, around: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """The length of the sum of the vectors around each place, computed once."""
        missing = np.isnan(self._sums[places])
        if missing.any():
            members, sums = around[missing], vectors[places[missing]]
            some = np.count_nonzero(members >= 0, axis=1) > 1  # the others are a moment by themselves
            sums[some] = (vectors[members[some]] * (members[some] >= 0)[:, :, None]).sum(axis=1)
            lengths = np.linalg.norm(sums, axis=1)
            self._sums[places[missing]] = np.where(lengths > 0, lengths, 1)
        return self._sums[places]

    def lifted(self, scores: NDArray[np.float32], share: float) -> NDArray[np.float32]:
        """Scores by place, each raised by a share of the best score around it, which shrinks with every step."""
        ordered = np.where(self.order >= 0, scores[self.order], 0)
        best = np.zeros_like(ordered)
        for step in range(1, MOMENT_REACH + 1):
            same = self.session[step:] == self.session[:-step]
            fading = np.float32(share * 0.6 ** (step - 1))
            best[step:] = np.maximum(best[step:], np.where(same, ordered[:-step] * fading, 0))
            best[:-step] = np.maximum(best[:-step], np.where(same, ordered[step:] * fading, 0))
        raised = scores.copy()
        held = self.order >= 0
        raised[self.order[held]] += best[held]
        return raised


def moments(catalogue: Catalogue, allowed: NDArray[np.bool_], *, together: bool = True) -> Moments:
    """The moments of the allowed memories, reused if the last call asked for the same ones."""
    kept: dict[bool, tuple[NDArray[np.bool_], Moments]] = catalogue.derived("moments", dict)
    if together not in kept or not np.array_equal(kept[together][0], allowed):
        kept[together] = (allowed, Moments(catalogue, allowed, together=together))
    return kept[together][1]


class ByTime:
    """Whole memories in the order they were made; those made at the same time by file name."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._sort(catalogue)

    def _sort(self, catalogue: Catalogue) -> None:
        whole = np.flatnonzero(catalogue.alive & (catalogue.n == 0))
        files = np.array([catalogue.files[place] for place in whole.tolist()], dtype=object)
        by_file = np.argsort(files, kind="stable")
        self.places: Places = whole[by_file][np.argsort(catalogue.created[whole[by_file]], kind="stable")]

    def forget(self, catalogue: Catalogue, places: list[int]) -> None:
        """Rows are about to be removed."""
        self.places = self.places[~np.isin(self.places, places)]

    def learn(self, catalogue: Catalogue, places: list[int]) -> None:
        """Rows were added."""
        whole = [place for place in places if catalogue.n[place] == 0]
        if len(whole) > MOST_INSERTED_SINGLY:
            self._sort(catalogue)
            return
        for place in whole:
            made = catalogue.created[place]
            first, last = (
                int(np.searchsorted(catalogue.created[self.places], made, side)) for side in ("left", "right")
            )
            before = sum(catalogue.files[other] < catalogue.files[place] for other in self.places[first:last].tolist())
            self.places = np.insert(self.places, first + before, place)
