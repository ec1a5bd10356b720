"""Fit the ranking's weights on conversations with questions, and say what they reach on conversations left out.

Every question is asked through the real recall; the signals of its candidates are what the weights are fitted to: a
linear model whose softmax over the candidates puts the evidence first. The weights that no conversation can teach
(`vault_mem.ranking.weights.SET`) stay as they are. What follows from the scores themselves (association, links) has no
part in fitting, but has in what the weights reach: that is asked through the real recall again.
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

from vault_mem.operations.evaluate import WAYS, Answer, Entry, Report, build_vault, evaluate, read_data
from vault_mem.operations.recall import Request, consider
from vault_mem.ranking import weights as ranking
from vault_mem.ranking.rank import AFTERWARDS
from vault_mem.ranking.weights import SET

FITTED = (
    *("meaning", "words", "tokens", "moment_meaning", "moment_words", "moment_tokens", "session_words"),
    *("replies", "person", "time", "asks", "answers", "length"),
)
# About how much each signal varies, so that regularisation treats them alike.
SPREAD = {"meaning": 0.09, "words": 0.07, "tokens": 0.12, "moment_meaning": 0.07} | dict.fromkeys(
    ("moment_words", "moment_tokens", "session_words", "replies", "length"), 0.2
)
# Conversations ask in sentences; a vault is also asked in keywords, which need the words themselves.
LEAST = {"words": 1.0}
REGULARISATION = 1e-3
DIGITS = 2


class Question(NamedTuple):
    """One question: the signals of its candidates, what is added to them, and which of them are evidence."""

    conversation: str
    signals: np.ndarray
    fixed: np.ndarray
    gold: np.ndarray


def observe(entries: Sequence[Entry]) -> list[Question]:
    """Ask every question, and keep what the ranking measured."""
    seen: list[Question] = []
    for entry in entries:
        with tempfile.TemporaryDirectory() as folder:
            workspace, ids = build_vault(Path(folder), entry, os.environ)
            for question in entry["questions"]:
                outcome = consider(workspace, Request(question["question"]))
                ranked = outcome.ranking
                wanted = {ids[key] for key in question["evidence"]}
                places = ranked.places.tolist()
                signals = np.stack([ranked.signals[name] / SPREAD.get(name, 1) for name in FITTED], axis=1)
                fixed = sum(weight * ranked.signals[name] for name, weight in SET.items() if name not in AFTERWARDS)
                gold = np.array([outcome.catalogue.ids[place] in wanted for place in places])
                seen.append(Question(entry["name"], signals.astype(float), fixed, gold))
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


def as_weights(values: np.ndarray) -> dict[str, float]:
    """The fitted values as weights of the signals themselves."""
    return {name: round(float(value / SPREAD.get(name, 1)), DIGITS) for name, value in zip(FITTED, values, strict=True)}


def reached(entries: Sequence[Entry], fitted: dict[str, float]) -> list[Answer]:
    """What the real recall answers with these weights."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "weights.json"
        place.write_text(json.dumps(fitted), encoding="ascii")
        kept, ranking.FITTED = ranking.FITTED, place
        ranking.weights.cache_clear()
        try:
            return evaluate(entries, os.environ, ways={"recall": WAYS["recall"]}).answers["recall"]
        finally:
            ranking.FITTED = kept
            ranking.weights.cache_clear()


def main() -> None:
    """Fit on all conversations and write the weights; report what four of them teach about the fifth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="[{name, memories, questions}], as vault-mem eval takes it")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    entries = read_data(given.data)
    questions = observe(entries)
    answers: list[Answer] = []
    for entry in entries:
        inside = [question for question in questions if question.conversation != entry["name"]]
        found = reached([entry], as_weights(fit(inside)))
        print(f"{entry['name']}, left out: {_line(found)}")
        answers += found
    print(f"all, each left out in turn: {_line(answers)}")
    fitted = as_weights(fit(questions))
    print(f"all, fitted on all:         {_line(reached(entries, fitted))}")
    print(f"before: { ({name: ranking.weights().get(name) for name in FITTED}) }\nnow:    {fitted}")
    given.out.write_text(json.dumps(fitted, indent=2) + "\n", encoding="ascii")


def _line(answers: list[Answer]) -> str:
    figures = Report(answers={"recall": answers}).figures("recall")
    return "  ".join(f"{name} {figure:.3f}" for name, figure in figures.items() if name != "ms")


if __name__ == "__main__":
    main()
