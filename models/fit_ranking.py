"""Fit the ranking's weights on conversations with questions, and say what they reach on conversations left out.

Every question is asked through the real recall; the signals of its candidates are what the weights are fitted to: a
linear model whose softmax over the candidates puts the evidence first. The weights that no conversation can teach
(`vault_mem.ranking.weights.SET`) stay as they are.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from vault_mem.operations.evaluate import DEPTHS, build_vault, read_data
from vault_mem.operations.recall import Request, consider
from vault_mem.ranking.weights import SET, weights

FITTED = (
    *("meaning", "words", "tokens", "moment_meaning", "moment_words", "moment_tokens", "session_words"),
    *("person", "time", "asks", "answers", "length"),
)
# About how much each signal varies, so that regularisation treats them alike.
SPREAD = {"meaning": 0.09, "words": 0.07, "tokens": 0.12, "moment_meaning": 0.07} | dict.fromkeys(
    ("moment_words", "moment_tokens", "session_words", "length"), 0.2
)
# Conversations ask in sentences; a vault is also asked in keywords, which need the words themselves.
LEAST = {"words": 1.0}
REGULARISATION = 1e-3
DIGITS = 2


class Question(NamedTuple):
    """One question: the signals of its candidates, which of them are evidence, and how much evidence there is."""

    conversation: str
    signals: np.ndarray
    fixed: np.ndarray
    gold: np.ndarray
    evidence: int


def observe(path: Path) -> list[Question]:
    """Ask every question, and keep what the ranking measured."""
    seen: list[Question] = []
    for entry in read_data(path):
        with tempfile.TemporaryDirectory() as folder:
            workspace, ids = build_vault(Path(folder), entry, os.environ)
            for question in entry["questions"]:
                outcome = consider(workspace, Request(question["question"]))
                ranking = outcome.ranking
                wanted = {ids[key] for key in question["evidence"]}
                places = ranking.places.tolist()
                signals = np.stack([ranking.signals[name] / SPREAD.get(name, 1) for name in FITTED], axis=1)
                fixed = sum(weight * ranking.signals[name] for name, weight in SET.items())
                gold = np.array([outcome.catalogue.ids[place] in wanted for place in places])
                seen.append(Question(entry["name"], signals.astype(float), fixed, gold, len(wanted)))
    return seen


def fit(questions: Sequence[Question]) -> np.ndarray:
    """The weights, for signals divided by their spread."""
    answered = [question for question in questions if question.gold.any()]

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = 0.0, np.zeros(len(values))
        for question in answered:
            scores = question.signals @ values + question.fixed
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            wanted = question.gold / question.gold.sum()
            total -= float((wanted * np.log(chances + 1e-12)).sum())
            slope += question.signals.T @ (chances - wanted)
        count = len(answered)
        return total / count + REGULARISATION * values @ values, slope / count + 2 * REGULARISATION * values

    bounds = [(None if name == "asks" else LEAST.get(name, 0) * SPREAD.get(name, 1), None) for name in FITTED]
    found: np.ndarray = minimize(loss, np.full(len(FITTED), 0.1), jac=True, method="L-BFGS-B", bounds=bounds).x
    return found


def reached(questions: Sequence[Question], values: np.ndarray) -> list[float]:
    """R@1/5/10/20 and MRR of every question, added up."""
    totals = np.zeros(len(DEPTHS) + 1)
    for question in questions:
        order = np.argsort(-(question.signals @ values + question.fixed), kind="stable")
        ranks = np.flatnonzero(question.gold[order]) + 1
        shares = [float((ranks <= depth).sum()) / question.evidence for depth in DEPTHS]
        totals += [*shares, 1 / ranks[0] if len(ranks) else 0.0]
    return list(totals)


def main() -> None:
    """Fit on all conversations and write the weights; report what four of them teach about the fifth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="[{name, memories, questions}], as vault-mem eval takes it")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    questions = observe(given.data)
    totals = np.zeros(len(DEPTHS) + 1)
    for left_out in sorted({question.conversation for question in questions}):
        inside = [question for question in questions if question.conversation != left_out]
        outside = [question for question in questions if question.conversation == left_out]
        found = np.array(reached(outside, fit(inside)))
        totals += found
        print(f"{left_out}, left out: {_line(found / len(outside))}")
    print(f"all, each left out in turn: {_line(totals / len(questions))}")
    values = fit(questions)
    print(f"all, fitted on all:         {_line(np.array(reached(questions, values)) / len(questions))}")
    spread = [SPREAD.get(name, 1) for name in FITTED]
    fitted = {
        name: round(float(value / each), DIGITS) for name, value, each in zip(FITTED, values, spread, strict=True)
    }
    given.out.write_text(json.dumps(fitted, indent=2) + "\n", encoding="ascii")
    print(f"before: { ({name: weights()[name] for name in FITTED}) }\nnow:    {fitted}")


def _line(figures: np.ndarray) -> str:
    names = [*(f"R@{depth}" for depth in DEPTHS), "MRR"]
    return "  ".join(f"{name} {figure:.3f}" for name, figure in zip(names, figures, strict=True))


if __name__ == "__main__":
    main()
