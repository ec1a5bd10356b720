"""Fit the judge's weights: a plain logistic model per language on labelled pairs, with cross-validated figures."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from vault_mem.embedding.embedder import Embedder
from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge.align import compared
from vault_mem.judge.judge import features
from vault_mem.judge.rules import differences
from vault_mem.judge.text import Text, names_in

# Pairs below this cosine never reach the judge, and would only teach it what the cosine already says.
NEAR_COSINE = 0.6
REGULARISATION = 0.3
DIGITS = 4


def observe(pairs: list[dict[str, str]]) -> tuple[list[dict[str, float] | None], np.ndarray]:
    """The features of every pair that is near enough, and the cosines of all."""
    embedder = Embedder()
    tokens = TokenVectors(embedder)
    left, right = (embedder.encode([pair[side] for pair in pairs]) for side in ("a", "b"))
    cosines = np.sum(left * right, axis=1)
    seen: list[dict[str, float] | None] = []
    for pair, cosine in zip(pairs, cosines, strict=True):
        if cosine < NEAR_COSINE:
            seen.append(None)
            continue
        names = names_in(pair["a"]) | names_in(pair["b"])
        one, two = Text(pair["a"], tokens, names), Text(pair["b"], tokens, names)
        alignment = compared(one, two)
        seen.append(features(one, two, alignment, differences(one, two, alignment, tokens), tokens))
    return seen, cosines


def fit(seen: list[dict[str, float]], labels: np.ndarray) -> dict[str, object]:
    """Weights and intercept for features as they are, not scaled."""
    names = list(seen[0])
    table = np.array([[row[name] for name in names] for row in seen])
    scaler = StandardScaler().fit(table)
    model = LogisticRegression(C=REGULARISATION, max_iter=3000).fit(scaler.transform(table), labels)
    weights = model.coef_[0] / scaler.scale_
    intercept = float(model.intercept_[0] - weights @ scaler.mean_)
    named = {name: round(float(weight), DIGITS) for name, weight in zip(names, weights, strict=True)}
    return {"intercept": round(intercept, DIGITS), "weights": named}


def main() -> None:
    """Fit on a file of pairs and write the weights that ship."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path, help="[{lang, a, b, label}], label duplicate or different")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    pairs = json.loads(given.pairs.read_text(encoding="utf-8"))
    seen, _ = observe(pairs)
    weights = {}
    for language in ("en", "ja"):
        rows = [
            (row, pair["label"] == "duplicate")
            for row, pair in zip(seen, pairs, strict=True)
            if row is not None and pair["lang"] == language
        ]
        weights[language] = fit([row for row, _ in rows], np.array([label for _, label in rows]))
        print(f"{language}: fitted on {len(rows)} pairs, {sum(label for _, label in rows)} of them duplicates")
    given.out.write_text(json.dumps(weights, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
