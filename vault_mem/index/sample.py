"""A sample of a vault's memories, for calibration and the judge."""

from __future__ import annotations

import heapq

import numpy as np

from vault_mem.embedding.calibration import SAMPLE_SIZE, Calibration, refined
from vault_mem.embedding.embedder import Vectors
from vault_mem.index.catalogue import Catalogue


class Sample:
    """The memories with the lowest ids: ids are random, so this sample does not depend on how the vault grew."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._refined: tuple[Calibration, Calibration] | None = None
        self._choose()

    def _choose(self) -> None:
        catalogue = self._catalogue
        whole = np.flatnonzero(catalogue.alive & catalogue.ours & (catalogue.n == 0)).tolist()
        self._places = heapq.nsmallest(SAMPLE_SIZE, whole, key=catalogue.ids.__getitem__)
        self._refined = None

    @property
    def vectors(self) -> Vectors:
        """Their vectors."""
        return self._catalogue.vectors[self._places]

    @property
    def texts(self) -> list[str]:
        """Their texts."""
        return [self._catalogue.texts[place] for place in self._places]

    def calibration(self, base: Calibration) -> Calibration:
        """What a cosine means in this vault: the model's calibration, refined by these memories."""
        if self._refined is None or self._refined[0] != base:
            self._refined = (base, refined(base, self.vectors, self.texts))
        return self._refined[1]

    def forget(self, catalogue: Catalogue, places: list[int]) -> None:
        """These rows are about to go."""
        if set(places) & set(self._places):
            self._places = []

    def learn(self, catalogue: Catalogue, places: list[int]) -> None:
        """These rows have come."""
        room = len(self._places) < SAMPLE_SIZE
        last = catalogue.ids[self._places[-1]] if self._places else ""
        new = [place for place in places if catalogue.ours[place] and catalogue.n[place] == 0]
        if not self._places or any(room or catalogue.ids[place] < last for place in new):
            self._choose()


def sample(catalogue: Catalogue) -> Sample:
    """The sample of a catalogue, which follows its changes."""
    return catalogue.derived("sample", lambda: Sample(catalogue))
