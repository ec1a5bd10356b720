"""Relevance: how likely a memory answers the query, from 0 to 1; and whether anything does.

A score orders the candidates of one query; it grows with the words of the query and says little by itself. Relevance
is a probability, fitted over all kinds of vaults by `training/fit_ranking.py` (the table is in docs/benchmarks.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

RELEVANCE_FILE = Path(__file__).parent / "relevance.json"
# Below this, the best result does not count as an answer. Of the right answers in first place, at most 2% are below.
ANSWER_FLOOR = 0.366
# If the best result answers, other results are dropped only below this.
OTHER_RESULTS_FLOOR = 0.03
# Not dropped is what a better result calls up by these: it need not be like the query.
CALLED_UP_BY = ("links", "association")
# Also dropped are results with nothing but a distant likeness and less than this share of the best score.
FAR_BEHIND_SHARE = 0.4
# Signals other than likeness that speak for a memory: words in it or around it, people and tags, links.
EVIDENCE_SIGNALS = (
    "covered",
    "session_words",
    "title",
    "exact",
    "replies",
    "person",
    "tag",
    "keyword",
    "feeling",
    "links",
    "association",
)
# A memory with this share of the query in its title, or of a few keywords anywhere, counts as found even if little
# else matches.
NEARLY_ALL_WORDS = 0.99
# If nothing answers, this many are shown as the nearest.
NEAREST_SHOWN = 2
# Without a shared word, likeness in meaning counts from the first value on; at the second it equals a shared word.
UNRELATED_LIKENESS, SHARED_WORD_LIKENESS = 0.12, 0.35
# How much less relevant a text is if it names no colour or number, say, when the query asks for one, or lacks the part
# number that the query consists of.
LACKING_PENALTY = 0.6
# A text in another script cannot share the words of the query: this much is added to its log odds to make up for it.
OTHER_SCRIPT_LOG_ODDS = 0.3
# An answer stands out from the next candidate, and from the one this many places after the best; if there are fewer,
# from the score that unrelated memories usually have.
REFERENCE_RANK, UNRELATED_SCORE = 30, 0.5

Values = NDArray[np.float32]
MEASURED_SIGNALS = ("covered", "said", "weakest", "missing", "near")
FEATURES = (*MEASURED_SIGNALS, "score", "lead", "ahead", "best", "unread", "one")


@cache
def fitted() -> dict[str, float]:
    """What each feature adds to the logarithm of the odds."""
    found: dict[str, float] = json.loads(RELEVANCE_FILE.read_text(encoding="ascii"))
    return found


def features(
    signals: Mapping[str, Values], scores: NDArray[np.float64], fluency: float
) -> dict[str, NDArray[np.float64]]:
    """Features that show whether candidates, best first, answer the query."""
    usual = float(scores[REFERENCE_RANK]) if len(scores) > REFERENCE_RANK else UNRELATED_SCORE
    others = np.full(len(scores), scores[0] if len(scores) else 0.0)
    others[:1] = scores[1] if len(scores) > 1 else UNRELATED_SCORE
    found = {name: signals[name].astype(np.float64) for name in MEASURED_SIGNALS}
    found["best"] = (np.arange(len(scores)) == 0).astype(np.float64)
    found |= {"score": scores / 10, "lead": (scores - usual) / 10, "ahead": np.clip((scores - others) / 5, -1, 1)}
    return found | {"unread": np.full(len(scores), 1.0 - fluency), "one": np.ones(len(scores))}


def far_behind(signals: Mapping[str, Values], scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which candidates would only fill up the list: nothing but a distant likeness speaks for them."""
    has_evidence = np.zeros(len(scores), dtype=bool)
    for name in EVIDENCE_SIGNALS:
        if name in signals:
            has_evidence |= signals[name] > 0
    return np.asarray(~has_evidence & (scores < FAR_BEHIND_SHARE * scores.max(initial=0)))


def relevance(
    signals: Mapping[str, Values], scores: NDArray[np.float64], fluency: float, by: Mapping[str, float] | None = None
) -> Values:
    """How likely each of the candidates, best first, answers; `by` replaces the fitted weights."""
    by, found = by or fitted(), features(signals, scores, fluency)
    odds = sum(
        (by[name] * found[name] for name in FEATURES), OTHER_SCRIPT_LOG_ODDS * signals["foreign"].astype(np.float64)
    )
    alike = np.clip((signals["alike"] - UNRELATED_LIKENESS) / (SHARED_WORD_LIKENESS - UNRELATED_LIKENESS), 0, 1)
    related = np.where(found["covered"] > 0, 1.0, alike) * (1 - LACKING_PENALTY * signals["lacks"])
    enough = np.nextafter(np.float32(ANSWER_FLOOR), np.float32(1))  # rounding must not take it below the floor
    looked_for = np.where(np.maximum(signals["keyword"], signals["title"]) >= NEARLY_ALL_WORDS, enough, 0.0)
    return np.asarray(np.maximum(related / (1 + np.exp(-odds)), looked_for), dtype=np.float32)
