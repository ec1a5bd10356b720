"""Diversity: one theme must not fill the list. Whatever takes more than its budget steps back a little.

Steps back, and is not thrown out: a memory of another kind takes the place only where it answers nearly as well.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, tzinfo

import numpy as np

from vault_mem.index.catalogue import Catalogue
from vault_mem.ranking.rank import DIGITS, Ranking

# The share of a list that one kind, one category or one year may take for nothing, and what going beyond it costs.
SHARE, OVER_BUDGET = 0.6, 0.5
# So many near-identical memories are shown for nothing; each further one costs this much more than the last.
ALIKE, TOO_ALIKE = 2, 3.0
# Who looks up a name or a part number wants all there is of it.
ALIKE_LOOKED_UP = 4


@dataclass(frozen=True)
class Chosen:
    """One candidate that made the list: its number in the ranking, and what diversity took from its score."""

    number: int
    penalty: float


def diversify(
    catalogue: Catalogue,
    ranking: Ranking,
    limit: int,
    *,
    near_identical: float,
    looked_up: bool,
    zone: tzinfo | None,
    switched_on: bool = True,
) -> list[Chosen]:
    """The list, best first once the budgets are kept."""
    count = len(ranking.places) if switched_on else 0
    if not count:
        return [Chosen(number, 0.0) for number in range(min(limit, len(ranking.places)))]
    count = min(count, 4 * limit + 20)
    places = ranking.places[:count].tolist()
    themes = [] if looked_up else _themes(catalogue, places, zone)
    vectors = catalogue.vectors[places]
    free = ALIKE_LOOKED_UP if looked_up else ALIKE
    allowance = max(1, math.ceil(SHARE * limit))
    scores = ranking.scores[:count].astype(np.float64)
    taken: list[Counter[str]] = [Counter() for _ in themes]
    near = np.zeros(count)
    left = np.ones(count, dtype=bool)
    chosen: list[Chosen] = []
    while len(chosen) < limit and left.any():
        penalty = -TOO_ALIKE * np.maximum(near - free + 1, 0)
        for theme, counts in zip(themes, taken, strict=True):
            full = {name for name, number in counts.items() if number >= allowance}
            if full:
                penalty -= OVER_BUDGET * np.array([name in full for name in theme])
        best = int(np.argmax(np.where(left, np.round(scores + penalty, DIGITS), -np.inf)))
        chosen.append(Chosen(best, round(float(penalty[best]), DIGITS)))
        left[best] = False
        near += vectors @ vectors[best] >= near_identical
        for theme, counts in zip(themes, taken, strict=True):
            counts[theme[best]] += 1
    return chosen


def _themes(catalogue: Catalogue, places: list[int], zone: tzinfo | None) -> list[list[str]]:
    """Kind, category and year of each; what all have in common is no theme."""
    years = [str(datetime.fromtimestamp(float(catalogue.created[place]), zone).year) for place in places]
    kinds, categories = [catalogue.kinds[place] for place in places], [catalogue.categories[place] for place in places]
    return [theme for theme in (kinds, categories, years) if len(set(theme)) > 1]
