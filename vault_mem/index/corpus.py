"""What ranking must know of all memories to score one: how many there are, how rare a word is, where their mean is.

Counted from the rows at hand, or kept beside the table (`index/facts.py`) if only the candidates are at hand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.embedder import Vectors
from vault_mem.index.people import PERSON, NamesAtHand, names_at_hand

if TYPE_CHECKING:
    from vault_mem.index.catalogue import Catalogue
    from vault_mem.index.facts import Facts

# The figures of all memories and included notes: counted from the rows at hand, or kept beside the table.
Corpus: TypeAlias = "AllAtHand | Facts"

# The mean is rounded to this many decimals, so that a single memory does not change it.
DIGITS = 3


class Likeness(NamedTuple):
    """How similar texts are to something: mean and spread of their cosines."""

    texts: int
    mean: float
    deviation: float


class AllAtHand:
    """The figures of a catalogue that has every row; they follow its changes."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    @property
    def rows(self) -> int:
        """How many rows there are: whole memories, and passages of long ones."""
        return len(self._catalogue)

    @property
    def memories(self) -> int:
        """How many whole memories."""
        return int(np.count_nonzero(self._catalogue.alive & (self._catalogue.n == 0)))

    @property
    def parted(self) -> bool:
        """Whether any memory is long enough to be cut."""
        catalogue = self._catalogue
        return catalogue.derived("parted", lambda: bool((catalogue.n[catalogue.alive] > 0).any()))

    @property
    def mean_length(self) -> float:
        """How many terms a row has on average."""
        return self._terms / max(self.rows, 1)

    @property
    def mean_whole_length(self) -> float:
        """How many terms a memory has on average, its passages counted together."""
        return self._terms / max(self.memories, 1)

    @property
    def _terms(self) -> float:
        lengths = self._catalogue.lexicon.lengths
        return self._catalogue.derived("terms", lambda: float(np.sum(lengths, dtype=float)))

    @property
    def mean(self) -> Vectors:
        """The mean of the vectors of whole memories."""
        return self._catalogue.derived("mean", lambda: Mean(self._catalogue)).value

    @property
    def names(self) -> NamesAtHand:
        """What memories say of people and tags."""
        return names_at_hand(self._catalogue)

    def period(self) -> tuple[float, float] | None:
        """When the first and the last memory were made; None if there are none."""
        catalogue = self._catalogue

        def found() -> tuple[float, float] | None:
            created = catalogue.created[catalogue.alive]
            return (float(created.min()), float(created.max())) if len(created) else None

        return catalogue.derived("period", found)

    def made_within(self, first: float, last: float) -> bool:
        """Whether any memory was made in that time."""
        created = self._catalogue.created
        return bool(np.any((created >= first) & (created <= last) & self._catalogue.alive))

    def having(self, term: str) -> int:
        """How many rows have a term."""
        return len(self._catalogue.lexicon.postings(term)[0])

    def memories_having(self, term: str) -> int:
        """How many memories have a term in any of their rows."""
        owners = self._catalogue.owner[self._catalogue.lexicon.postings(term)[0]]
        return int(np.count_nonzero(np.bincount(owners)))  # faster than `unique`, which sorts

    def mentioned(self, terms: Sequence[str]) -> int:
        """How many memories have all of these terms."""
        return len(self._catalogue.with_all(terms))

    def about(self, people: Collection[str]) -> int:
        """How many memories are about one of these people."""
        return len(names_at_hand(self._catalogue).places(PERSON, people))

    def likeness(self, vector: Vectors, cosines: NDArray[np.float32]) -> tuple[Likeness, Likeness]:
        """How similar whole memories, and all rows, are to a vector; `cosines`: of the rows at hand, by place."""
        alive = self._catalogue.alive
        all_ = _likeness(cosines[alive])
        return _likeness(cosines[alive & (self._catalogue.n == 0)]) if self.parted else all_, all_

    def words(self, letters: str) -> Iterable[str]:
        """The words that begin with these letters, as they were written."""
        return (word for word in self._catalogue.lexicon.words() if word.startswith(letters))


def _likeness(cosines: NDArray[np.float32]) -> Likeness:
    if not len(cosines):
        return Likeness(0, 0.0, 0.0)
    return Likeness(len(cosines), float(np.mean(cosines, dtype=float)), float(np.std(cosines, dtype=float)))


class Mean:
    """The mean of whole memories, updated as they come and go."""

    def __init__(self, catalogue: Catalogue) -> None:
        whole = catalogue.alive & (catalogue.n == 0)
        self._sum: NDArray[np.float64] = np.einsum("ij,i->j", catalogue.vectors, whole.astype(np.float32), dtype=float)
        self._count = int(np.count_nonzero(whole))
        self.value = mean_of(self._sum, self._count)

    def learn(self, catalogue: Catalogue, places: list[int]) -> None:
        """These rows have come."""
        self._add(catalogue, places, 1)
        self.value = mean_of(self._sum, self._count)

    def forget(self, catalogue: Catalogue, places: list[int]) -> None:
        """These rows are about to go."""
        self._add(catalogue, places, -1)

    def _add(self, catalogue: Catalogue, places: list[int], sign: int) -> None:
        whole = [place for place in places if catalogue.n[place] == 0]
        self._sum += sign * catalogue.vectors[whole].sum(axis=0, dtype=np.float64)
        self._count += sign * len(whole)


def mean_of(total: NDArray[np.float64], count: int) -> Vectors:
    """A mean, rounded so that single memories do not change it."""
    return np.asarray(np.round(total / max(count, 1), DIGITS), dtype=np.float32)
