"""A floor that recall must not fall below: the plainest possible hybrid of vectors, BM25 and late interaction.

The scores of each part are standardised per query (z) and added up. If memories are the turns of a conversation, each
is also lifted by the best of those just before and after it. The few numbers below were chosen before any of the sets
in benchmarks/data was written; nothing else is fitted.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.index.catalogue import Catalogue
from vault_mem.index.lexicon import saturation, weight
from vault_mem.index.terms import STOP, terms
from vault_mem.operations.vaults.evaluate import Way
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking.late import matches
from vault_mem.ranking.moments import moments
from vault_mem.ranking.reading import readings

BM25 = 0.5
RARITY = 1.5
NEIGHBOURS, LIFT, FADING = 3, 0.6, 0.6

Scores = NDArray[np.float64]


def hybrid(*, contiguity: bool) -> Way:
    """The hybrid as a way of searching, with or without the lift by neighbours."""

    def way(workspace: Workspace, query: str, limit: int) -> list[str]:
        workspace.freshen()
        vector = workspace.embedder.encode([query])[0]
        with workspace.at_hand() as catalogue:
            whole = catalogue.alive & (catalogue.n == 0)
            places = np.flatnonzero(whole)
            scores = _z(catalogue.vectors[places] @ vector) + BM25 * _z(_bm25(catalogue, query)[places])
            scores += _z(_late(catalogue, workspace.tokens, query, places))
            if contiguity:
                scores = _lifted(scores, moments(catalogue, whole).around(places, NEIGHBOURS), places)
            ordered = sorted(range(len(places)), key=lambda at: (-scores[at], catalogue.files[places[at]]))
            return [catalogue.ids[places[at]] for at in ordered[:limit]]

    return way


def bm25(workspace: Workspace, query: str, limit: int) -> list[str]:
    """The best by BM25 over whole memories, and nothing else."""
    workspace.freshen()
    with workspace.at_hand() as catalogue:
        owners, held = catalogue.owner[catalogue.alive], np.flatnonzero(catalogue.alive & (catalogue.n == 0))
        lengths = np.bincount(owners, catalogue.lexicon.lengths[catalogue.alive], len(catalogue.files))
        mean = float(lengths[held].mean())
        found = np.zeros(len(lengths))
        for term in {term for term in terms(query) if term not in STOP}:
            places, counts = catalogue.lexicon.postings(term)
            often = np.bincount(catalogue.owner[places], counts, len(lengths))
            each = weight(int(np.count_nonzero(often)), len(held))
            found += each * saturation(often.astype(np.float32), lengths.astype(np.float32), mean)
        ordered = sorted(held.tolist(), key=lambda place: (-found[place], catalogue.files[place]))
        return [catalogue.ids[place] for place in ordered[:limit] if found[place] > 0]


def vectors(workspace: Workspace, query: str, limit: int) -> list[str]:
    """The nearest by meaning, and nothing else."""
    workspace.freshen()
    with workspace.at_hand() as catalogue:
        places = np.flatnonzero(catalogue.alive & (catalogue.n == 0))
        near = catalogue.vectors[places] @ workspace.embedder.encode([query])[0]
        return [catalogue.ids[place] for place in places[np.argsort(-near, kind="stable")][:limit]]


def _z(values: NDArray[np.floating]) -> Scores:
    return np.asarray((values - values.mean()) / (values.std() or 1.0), dtype=np.float64)


def _bm25(catalogue: Catalogue, query: str) -> Scores:
    lengths = catalogue.lexicon.lengths
    found = np.zeros(len(lengths))
    for term in {term for term in terms(query) if term not in STOP}:
        places, counts = catalogue.lexicon.postings(term)
        each = weight(len(places), len(catalogue))
        found[places] += each * saturation(counts, lengths[places], float(lengths.mean()))
    return found


def _late(catalogue: Catalogue, tokens: TokenVectors, query: str, places: NDArray[np.int64]) -> Scores:
    texts = readings(catalogue, places.tolist(), tokens)
    each = np.split(texts.tokens, np.cumsum(texts.sizes)[:-1])
    having = Counter(token for own in each for token in set(own.tolist()))
    asked = sorted({token.id for token in tokens.tokens(query)})
    rarity = np.array([weight(having[token], len(each)) for token in asked]) ** RARITY
    return np.asarray(matches(asked, texts, tokens) @ rarity)


def _lifted(scores: Scores, around: NDArray[np.int64], places: NDArray[np.int64]) -> Scores:
    by_place = np.full(int(places.max()) + 2, -np.inf)
    by_place[places] = scores
    steps = np.abs(np.arange(-NEIGHBOURS, NEIGHBOURS + 1))
    best = np.zeros(len(scores))
    for column, step in enumerate(steps):
        if step:
            best = np.maximum(best, by_place[around[:, column]] * FADING ** (step - 1))  # -1, no neighbour, is -inf
    return scores + LIFT * best
