"""Diversity: no single theme should fill the list.

Of memories that say nearly the same thing, only two are shown. Once a kind, category or year has used up its budget,
its memories lose a little score, so that others that answer nearly as well come first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cache, lru_cache
from itertools import islice
from sys import intern

import numpy as np
from numpy.typing import NDArray

from vault_mem.index.catalogue import Catalogue
from vault_mem.index.terms import terms
from vault_mem.ranking.rank import SCORE_DIGITS, Ranking
from vault_mem.ranking.reading import tokens_of

# One kind, category or year may take this share of the list for free; beyond it, its memories lose this much score.
BUDGET_SHARE, OVER_BUDGET_PENALTY = 0.6, 0.5
# How many near-identical memories are shown; more for a name or a part number, where people want every match.
ALIKE_SHOWN, ALIKE_SHOWN_LOOKED_UP = 2, 4
# Two texts repeat each other if their meaning is near-identical and they share this much of their words. With a cosine
# up to NEARLY_IDENTICAL_MARGIN below that, they must share nearly all words.
SAME_WORDS_SHARE, ALL_WORDS_SHARE, NEARLY_IDENTICAL_MARGIN = 0.6, 0.95, 0.03
# Slack for the quick test on tokens: these are pieces of words and punctuation, so two texts share a little more or
# less of them than of words, which matters most in short texts.
TOKEN_SLACK_SHARE, TOKEN_SLACK = 0.12, 4


@dataclass(frozen=True)
class Chosen:
    """One candidate that made the list: its number in the ranking, and what diversity took from its score."""

    number: int
    penalty: float


def looked_at(limit: int) -> int:
    """How many of the best candidates a list is chosen from."""
    return 4 * limit + 20


def diversify(
    catalogue: Catalogue,
    ranking: Ranking,
    limit: int,
    *,
    near_identical: float,
    looked_up: bool,
    zone: tzinfo | None,
    switched_on: bool = True,
    without: Collection[int] = (),
) -> list[Chosen]:
    """Choose the list, best first within the budgets, leaving out the candidates in `without`."""
    count = len(ranking.places) if switched_on else 0
    if not count:
        rest = (number for number in range(len(ranking.places)) if number not in without)
        return [Chosen(number, 0.0) for number in islice(rest, limit)]
    count = min(count, looked_at(limit))
    places = ranking.places[:count].tolist()
    themes = [] if looked_up else _themes(catalogue, places, zone)
    alike = _alike(catalogue, ranking.rows[:count].tolist(), near_identical)
    free = ALIKE_SHOWN_LOOKED_UP if looked_up else ALIKE_SHOWN
    allowance = max(1, math.ceil(BUDGET_SHARE * limit))
    scores = ranking.scores[:count].astype(np.float64)
    taken: list[Counter[str]] = [Counter() for _ in themes]
    near = np.zeros(count, dtype=np.int64)
    left = np.array([number not in without for number in range(count)], dtype=bool)
    chosen: list[Chosen] = []
    while len(chosen) < limit and left.any():
        penalty = np.zeros(count)
        for theme, counts in zip(themes, taken, strict=True):
            full = {name for name, number in counts.items() if number >= allowance}
            if full:
                penalty -= OVER_BUDGET_PENALTY * np.array([name in full for name in theme])
        fresh = left & (near < free)
        open_ = fresh if fresh.any() else left
        best = int(np.argmax(np.where(open_, np.round(scores + penalty, SCORE_DIGITS), -np.inf)))
        chosen.append(Chosen(best, round(float(penalty[best]), SCORE_DIGITS)))
        left[best] = False
        near[alike(best, left & (near < free))] += 1
        for theme, counts in zip(themes, taken, strict=True):
            counts[theme[best]] += 1
    return chosen


def _alike(
    catalogue: Catalogue, rows: list[int], near_identical: float
) -> Callable[[int, NDArray[np.bool_]], list[int]]:
    """A function that finds which of the `asked` candidates repeat one of them, comparing the passages that answer."""
    vectors = catalogue.vectors[rows]
    possible = _share_enough(tokens_of(catalogue, rows))

    @cache
    def words(number: int) -> frozenset[str]:
        return _distinct_words(catalogue.texts[rows[number]])

    def alike(number: int, asked: NDArray[np.bool_]) -> list[int]:
        cosines, found = vectors @ vectors[number], []
        for other in np.flatnonzero(
            asked & possible[number] & (cosines >= near_identical - NEARLY_IDENTICAL_MARGIN)
        ).tolist():
            shared = len(words(other) & words(number))
            share = SAME_WORDS_SHARE if cosines[other] >= near_identical else ALL_WORDS_SHARE
            if shared > 0 and shared >= share * (len(words(other)) + len(words(number)) - shared):
                found.append(other)
        return found

    return alike


def _share_enough(texts: list[NDArray[np.int32]]) -> NDArray[np.bool_]:
    """A quick test which texts may share enough words: it compares tokens, since getting the words takes far longer."""
    distinct, number = np.unique(np.concatenate(texts), return_inverse=True)
    has = np.zeros((len(texts), len(distinct)), dtype=np.float32)
    has[np.repeat(np.arange(len(texts)), list(map(len, texts))), number] = 1
    shared, sizes = has @ has.T, has.sum(axis=1)
    either = sizes[:, None] + sizes - shared
    return np.asarray(shared + TOKEN_SLACK >= (SAME_WORDS_SHARE - TOKEN_SLACK_SHARE) * either)


@lru_cache(maxsize=2_000)
def _distinct_words(text: str) -> frozenset[str]:
    return frozenset(map(intern, terms(text)))


def _themes(catalogue: Catalogue, places: list[int], zone: tzinfo | None) -> list[list[str]]:
    """Kinds, categories and years of the candidates; one that all have in common is left out."""
    years = [str(datetime.fromtimestamp(float(catalogue.created[place]), zone).year) for place in places]
    kinds, categories = [catalogue.kinds[place] for place in places], [catalogue.categories[place] for place in places]
    return [theme for theme in (kinds, categories, years) if len(set(theme)) > 1]
