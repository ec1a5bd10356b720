"""BM25 over everything at hand: for single rows, and for whole memories with all their passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vault_mem.index.catalogue import Catalogue
from vault_mem.index.lexicon import saturation
from vault_mem.index.lexicon import weight as rarity

Signal = NDArray[np.float32]
Places = NDArray[np.int64]
Weighted = Sequence[tuple[str, float]]

# The BM25 sum of a handful of rare words found together; scores are shares of it.
BM25_OF_A_HANDFUL = 20.0
# In a note of LONG_NOTE_PASSAGES or more, a subject goes on in the next passage, which adds this share of its score; in
# shorter notes it adds less.
LONG_NOTE_PASSAGES, NEXT_PASSAGE_SHARE = np.float32(30.0), np.float32(0.5)
# A long note repeats the words of its subject: this many occurrences there count like one in a passage.
OCCURRENCES_LIKE_ONE = 5.0


@dataclass(frozen=True)
class WordScores:
    """By place: BM25 of rows and of whole memories, and which share of the query's words a whole memory has at all."""

    rows: Signal
    whole: Signal
    covered: Signal


def bm25(catalogue: Catalogue, terms: Weighted) -> WordScores:
    """BM25 for weighted terms. If no memory has passages, `rows` and `whole` are the same array."""
    lexicon = catalogue.lexicon
    corpus = catalogue.corpus
    lengths, mean = lexicon.lengths, corpus.mean_length
    rows = np.zeros(len(catalogue.files), dtype=np.float32)
    covered = np.zeros(len(catalogue.files), dtype=np.float32)
    parted = corpus.parted
    whole = np.zeros_like(rows) if parted else rows
    owners, all_lengths = catalogue.owner, _whole_lengths(catalogue) if parted else lengths
    mean_whole, memories = (corpus.mean_whole_length, corpus.memories) if parted else (mean, 0)
    memory_of, wholes = _numbered(catalogue) if parted else (owners, owners)
    for term, each in terms:
        places, counts = lexicon.postings(term)
        if not len(places):
            continue
        weight = np.float32(each)
        rows[places] += weight * saturation(counts, lengths[places], mean)
        if not parted:
            covered[places] += weight
            continue
        counted = np.bincount(memory_of[places], counts, len(wholes)).astype(np.float32)
        some = np.flatnonzero(counted)
        counted, own = counted[some], wholes[some]
        rare = rarity(corpus.memories_having(term), memories) / rarity(corpus.having(term), corpus.rows)
        both = weight * np.float32((1 + rare) / 2)
        whole[own] += both * saturation(counted / OCCURRENCES_LIKE_ONE, all_lengths[own], mean_whole)
        covered[own] += weight
    return WordScores(rows, whole, covered)


def _numbered(catalogue: Catalogue) -> tuple[Places, Places]:
    """Memories numbered from 0: which one each row belongs to, and the place of each."""

    def count() -> tuple[Places, Places]:
        wholes, numbers = np.unique(catalogue.owner, return_inverse=True)
        return numbers.astype(np.int64), wholes.astype(np.int64)

    return catalogue.derived("numbered", count)


def with_next_passages(catalogue: Catalogue, rows: Signal) -> Signal:
    """Values by row, where each passage of a long note also gets a share of the next one's: a subject goes on."""
    if not catalogue.corpus.parted:
        return rows

    def next_ones() -> tuple[Places, Places, Signal]:
        passages = in_order(catalogue).passages
        same = catalogue.owner[passages[1:]] == catalogue.owner[passages[:-1]]
        these, those = passages[:-1][same], passages[1:][same]
        long = np.minimum(passages_of(catalogue)[catalogue.owner[these]] / LONG_NOTE_PASSAGES, 1)
        return these, those, NEXT_PASSAGE_SHARE * long

    these, those, shares = catalogue.derived("next passages", next_ones)
    found = rows.copy()
    found[these] += shares * rows[those]
    return found


class InOrder(NamedTuple):
    """All passages, memory by memory; the memories that have any, and where the passages of each begin."""

    passages: Places
    owners: Places
    starts: Places


def in_order(catalogue: Catalogue) -> InOrder:
    """All passages at hand."""

    def ordered() -> InOrder:
        passages = np.flatnonzero(catalogue.alive & (catalogue.n > 0))
        passages = passages[np.lexsort((catalogue.n[passages], catalogue.owner[passages]))]
        owners, starts = np.unique(catalogue.owner[passages], return_index=True)
        return InOrder(passages, owners.astype(np.int64), starts.astype(np.int64))

    return catalogue.derived("passages in order", ordered)


def best_passages(catalogue: Catalogue, place: int, quality: Signal, count: int) -> Places:
    """The passages of a memory with the highest quality, best first; empty if it was not cut."""
    passages, owners, starts = in_order(catalogue)
    at = int(np.searchsorted(owners, place))
    if at == len(owners) or owners[at] != place:
        return np.zeros(0, dtype=np.int64)
    own = passages[starts[at] : starts[at + 1] if at + 1 < len(starts) else len(passages)]
    return np.asarray(own[np.argsort(-quality[own], kind="stable")[:count]], dtype=np.int64)


def passages_of(catalogue: Catalogue) -> NDArray[np.float32]:
    """How many passages each memory has, by place; one that is not cut has one."""

    def count() -> NDArray[np.float32]:
        passages = catalogue.owner[catalogue.alive & (catalogue.n > 0)]
        return np.maximum(np.bincount(passages, minlength=len(catalogue.files)), 1).astype(np.float32)

    return catalogue.derived("passages of", count)


def _whole_lengths(catalogue: Catalogue) -> Signal:
    """How many terms each memory has, its passages counted together, by place."""

    def lengths() -> Signal:
        places = np.flatnonzero(catalogue.alive)
        found = np.bincount(catalogue.owner[places], catalogue.lexicon.lengths[places], len(catalogue.files))
        return found.astype(np.float32)

    return catalogue.derived("whole lengths", lengths)


def total_weight(terms: Weighted) -> float:
    """The sum of the weights: what a text with all the terms would get."""
    return sum(each for _, each in terms) or 1.0
