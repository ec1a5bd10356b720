"""The features of a pair of texts that the fitted part of the judge uses."""

from __future__ import annotations

import re

import numpy as np

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge.align import Alignment
from vault_mem.judge.quantities import unmatched
from vault_mem.judge.text import LIGHT, Text
from vault_mem.judge.words import Difference, Word


def features(
    one: Text, two: Text, alignment: Alignment, found: list[Difference], tokens: TokenVectors
) -> dict[str, float]:
    """The features by name; words without a counterpart are "alone"."""
    alone = [*alignment.left, *alignment.right]
    weights = [tokens.word(word.text)[1] for word in alone]
    nearest = _nearest(alignment.left, two.words, tokens) + _nearest(alignment.right, one.words, tokens)
    missing = [weight * (1 - near) for weight, near in zip(weights, nearest, strict=True)]
    total = sum(tokens.word(word.text)[1] for word in [*one.words, *two.words])
    grams_one, grams_two = _grams(one.lower), _grams(two.lower)
    left, right = unmatched(one.quantities, two.quantities)
    kinds = {difference.kind for difference in found}
    light = sum(word.lemma in LIGHT for word in alone)
    return {
        "alone_after": float(sum(word.lemma not in LIGHT for word in alignment.right)),
        "alone_light": float(light),
        "alone_weighty": float(len(alone) - light),
        "alone_both_sides": float(bool(alignment.left) and bool(alignment.right)),
        "heaviest_alone": max(weights, default=0.0),
        "most_missing": max(missing, default=0.0),
        "missing_share": sum(missing) / max(total, 0.1),
        "farthest_alone": min(nearest, default=1.0),
        "synonyms": float(sum(strength < 1 for _, _, strength in alignment.pairs)),
        "words": float(len(one.words) + len(two.words)),
        "length_ratio": min(len(one.lower), len(two.lower)) / max(len(one.lower), len(two.lower), 1),
        "shared_bigrams": len(grams_one & grams_two) / max(len(grams_one | grams_two), 1),
        "quantities_changed": float(min(len(left), len(right))),
        "quantities_added": float(abs(len(left) - len(right))),
        "opposite": float("opposite" in kinds),
        "negation": float("negation" in kinds),
        "speech": float("question" in kinds or "person" in kinds),
        "role": float("role" in kinds),
        "turned_passive": float(one.passives != two.passives),
    }


def _nearest(words: list[Word], others: list[Word], tokens: TokenVectors) -> list[float]:
    """For each word, the cosine of the nearest word in the other text."""
    if not words or not others:
        return [0.0] * len(words)
    left, right = (np.array([tokens.word(word.text)[0] for word in each]) for each in (words, others))
    return (left @ right.T).max(axis=1).tolist()  # type: ignore[no-any-return]


def _grams(text: str) -> set[str]:
    squeezed = re.sub(r"[\W_]+", "", text)
    return {squeezed[start : start + 2] for start in range(len(squeezed) - 1)}
