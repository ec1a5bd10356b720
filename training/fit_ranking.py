"""Fit the ranking's weights and the relevance over all kinds of vaults, and say what they reach on kinds left out.

Every question is asked through the real recall; the signals of its candidates are what the weights are fitted to: a
linear model whose softmax over the candidates puts the evidence first. Every kind of vault counts alike, however many
questions it has. The weights that no data can teach (`vault_mem.ranking.weights.FIXED_WEIGHTS`) stay as they are. What
follows from the scores themselves (association, links, diversity) has no part in fitting.

Relevance is fitted to the first five results of every question, those without an answer included.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from vault_mem.operations.memory.recall import Request, filter_and_rank
from vault_mem.operations.vaults.evaluate import Sample, build_vault, read_data
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking import weights as ranking
from vault_mem.ranking.rank import STAGES_AFTER_SCORES, Switches
from vault_mem.ranking.relevance import FEATURES, features, relevance
from vault_mem.ranking.weights import FIXED_WEIGHTS

FITTED_SIGNALS = (
    *("meaning", "words", "title", "tokens", "moment_meaning", "moment_tokens", "session_words"),
    *("replies", "person", "about", "time", "asks", "answers", "slight"),
)
MAY_BE_NEGATIVE = ("asks", "slight")
# People also search with keywords, which only the words can find; and a named date comes before everything else.
LEAST_WEIGHTS = {"words": 1.0, "time": 12.0}
# Weights are drawn towards this and not towards 0, so that a signal counts like the others as long as no data says
# otherwise. A signal that only one kind of vault can teach then still counts when that kind is left out.
USUAL_WEIGHT = 3.0
REGULARISATION = 3e-4
# Fitting uses this many candidates of each question, and its evidence.
CANDIDATES_FITTED = 60
FIRST_RESULTS = 5
# Sets that count more than others: talks, because they have by far the most questions, and long texts, which are few.
SET_WEIGHTS = {"locomo-dev": 2.2, "agent-chats": 2.0, "long-notes": 2.0}
RELEVANCE_REGULARISATION = 1e-3
# How steeply the loss of a right answer grows, the less likely it is made to look.
LOSS_STEEPNESS = 4.0
# Questions of these sets are so specific that no other kind of vault can answer them: so many of each are asked there.
SPECIFIC_SETS = ("agent-facts", "manual-en", "manual-ja", "long-notes")
QUESTIONS_BORROWED = 12
FROM_OTHER_VAULTS = "borrowed for "
# Features that must never count against an answer, whatever the data says.
NEVER_NEGATIVE = ("covered", "weakest", "near", "score", "ahead")
# How much the unanswerable questions of a set count; those of other sets and of other vaults count half.
UNANSWERABLE_WEIGHTS = {"agent-facts": 3.0}
# Sets whose unanswerable questions ask for an untold detail of something told: the nearest memory looks like an answer.
NEAR_MISSES = ("life-stream",)
# This share of the right answers of a set may be below the floor.
MOST_LOST_SHARE = 0.02
DIGITS = 2


def kind_of(name: str) -> str:
    """The kind of vault that a set stands for: all manuals are one kind, and all chats between people."""
    if name.startswith("manual"):
        return "manual"
    return "chat" if name in ("chat-real", "locomo-dev") else name


def borrowed_questions(sets: Mapping[str, Sequence[Sample]]) -> dict[str, list[str]]:
    """For every set, some questions that only other kinds of vaults can answer."""
    some = random.Random(7)
    asked = {name: [q["question"] for entry in entries for q in entry["questions"]] for name, entries in sets.items()}
    return {
        name: [
            each
            for other in SPECIFIC_SETS
            if other in sets and kind_of(other) != kind_of(name)
            for each in some.sample(asked[other], min(QUESTIONS_BORROWED, len(asked[other])))
        ]
        for name in sets
    }


class Question(NamedTuple):
    """One question: the signals and fixed scores of its candidates, which are evidence, how much evidence exists."""

    set: str
    vault: str
    signals: dict[str, np.ndarray]
    fixed: np.ndarray
    gold: np.ndarray
    evidence: int
    fluency: float


def observe(name: str, entries: Iterable[Sample], borrowed: Sequence[str] = ()) -> list[Question]:
    """Ask every question of a set, those without an answer too, and keep what the ranking measured.

    The first vault of the set is also asked the borrowed questions, which only other vaults can answer.
    """
    seen: list[Question] = []
    for number, entry in enumerate(entries):
        with tempfile.TemporaryDirectory() as folder:
            workspace, ids = build_vault(Path(folder), entry, os.environ)
            seen += watch(name, entry, workspace, ids)
            if number == 0:
                without = {"name": entry["name"], "questions": [], "unanswerable": borrowed}
                seen += watch(FROM_OTHER_VAULTS + name, without, workspace, ids)
    return seen


def watch(name: str, entry: Sample, workspace: Workspace, ids: Mapping[str, str]) -> list[Question]:
    """Ask every question of one vault."""
    seen: list[Question] = []
    for question in [*entry["questions"], *map(_unanswerable, entry.get("unanswerable", ()))]:
        outcome = filter_and_rank(workspace, Request(question["question"], switches=Switches(frozenset({"diversity"}))))
        ranked = outcome.ranking
        wanted = {ids[key] for key in question["evidence"]}
        gold = np.array([outcome.catalogue.ids[place] in wanted for place in ranked.places.tolist()], dtype=bool)
        kept = gold | (np.arange(len(gold)) < CANDIDATES_FITTED)
        signals = {each: values[kept] for each, values in ranked.signals.items()}
        fixed = sum(weight * signals[each] for each, weight in FIXED_WEIGHTS.items() if each not in STAGES_AFTER_SCORES)
        seen.append(Question(name, entry["name"], signals, np.asarray(fixed), gold[kept], len(wanted), outcome.fluency))
    return seen


def _unanswerable(question: Any) -> dict[str, Any]:
    return {"question": question["question"] if isinstance(question, dict) else question, "evidence": []}


def fit(questions: Sequence[Question]) -> dict[str, float]:
    """The weights."""
    asked = [question for question in questions if question.gold.any()]
    every = np.concatenate([_matrix(question) for question in asked])
    usual = np.array([-USUAL_WEIGHT if name in MAY_BE_NEGATIVE else USUAL_WEIGHT for name in FITTED_SIGNALS])
    fixed = np.concatenate([question.fixed for question in asked])
    starts = np.concatenate([[0], np.cumsum([len(question.gold) for question in asked])[:-1]])
    owner = np.repeat(np.arange(len(asked)), [len(question.gold) for question in asked])
    wanted = np.concatenate([question.gold / question.gold.sum() for question in asked])
    share = _shares(asked)[owner]

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        scores = every @ values + fixed
        scores -= np.maximum.reduceat(scores, starts)[owner]
        chances = np.exp(scores)
        sums = np.add.reduceat(chances, starts)[owner]
        total = -float((share * wanted * (scores - np.log(sums))).sum())
        slope = every.T @ (share * (chances / sums - wanted))
        off = values - usual
        return total + REGULARISATION * off @ off, slope + 2 * REGULARISATION * off

    bounds = [(None if name in MAY_BE_NEGATIVE else LEAST_WEIGHTS.get(name, 0), None) for name in FITTED_SIGNALS]
    found = minimize(loss, usual, jac=True, method="L-BFGS-B", bounds=bounds).x
    return {name: round(float(value), DIGITS) for name, value in zip(FITTED_SIGNALS, found, strict=True)}


def _matrix(question: Question) -> np.ndarray:
    return np.stack([question.signals[name] for name in FITTED_SIGNALS], axis=1).astype(float)


def _shares(questions: Sequence[Question]) -> np.ndarray:
    """How much each question counts, 1 in all: sets count by `SET_WEIGHTS`, and those of a kind share."""
    count: dict[str, int] = defaultdict(int)
    for question in questions:
        count[question.set] += 1
    sets_of: dict[str, int] = defaultdict(int)
    for name in count:
        sets_of[kind_of(name)] += 1
    each = {name: SET_WEIGHTS.get(name, 1.0) / sets_of[kind_of(name)] ** 0.5 / count[name] for name in count}
    shares = np.array([each[question.set] for question in questions])
    return np.asarray(shares / shares.sum())


def scores_of(question: Question, fitted: Mapping[str, float]) -> np.ndarray:
    """What the candidates of a question score with these weights."""
    return np.asarray(_matrix(question) @ np.array([fitted[name] for name in FITTED_SIGNALS]) + question.fixed)


class Figures(NamedTuple):
    """What a set reaches."""

    r5: float
    r10: float
    mrr: float


def reached(questions: Sequence[Question], fitted: Mapping[str, float]) -> Figures:
    """R@5, R@10 and MRR with these weights, of the questions that have an answer."""
    found = []
    for question in questions:
        if not question.evidence:
            continue
        ranks = np.flatnonzero(question.gold[np.argsort(-scores_of(question, fitted), kind="stable")]) + 1
        first = 1 / ranks[0] if len(ranks) else 0.0
        found.append(((ranks <= 5).sum() / question.evidence, (ranks <= 10).sum() / question.evidence, first))
    return Figures(*np.mean(found, axis=0).tolist())


def left_out(questions: Sequence[Question], names: Collection[str]) -> list[Question]:
    """The questions of all kinds except those of these sets."""
    kinds = {kind_of(name) for name in names}
    return [question for question in questions if kind_of(question.set) not in kinds]


def fit_relevance(questions: Sequence[Question], fitted: Mapping[str, float]) -> dict[str, float]:
    """What each feature of relevance adds to the logarithm of the odds.

    First the weights that tell right answers in first place from the best results of unanswerable questions; then a
    slope and an intercept that turn their sum into a probability.
    """
    first, right, share = _best_results(questions, fitted)
    spread = np.where(first.std(axis=0) > 0, first.std(axis=0), 1.0)
    separating = _separating(first / spread, right, share) / spread
    values, right, share = judged(questions, fitted)
    best, one = FEATURES.index("best"), FEATURES.index("one")
    separating[best] = 0.0  # only best results were fitted so far
    sums = np.stack([values @ separating, values[:, best], values[:, one]], axis=1)
    slope, first_by, start = _logistic(sums, right, share)
    found = separating * slope
    found[[best, one]] += (first_by, start)
    return {name: round(float(value), 3) for name, value in zip(FEATURES, found, strict=True)}


def _best_results(
    questions: Sequence[Question], fitted: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features of best results that are right or have nothing to answer; which are right; how much each counts."""
    values, right, sets = [], [], []
    for question in questions:
        features_, gold = first_results(question, fitted)
        if gold[:1].any() or (not question.evidence and question.set not in NEAR_MISSES):
            values.append(features_[0])
            right.append(bool(gold[0]))
            sets.append((question.set, bool(gold[0])))
    count = Counter(sets)
    share = np.array(
        [(1.0 if is_right else UNANSWERABLE_WEIGHTS.get(name, 0.5)) / count[name, is_right] for name, is_right in sets]
    )
    right_ = np.array(right)
    for which in (right_, ~right_):
        share[which] /= share[which].sum()
    return np.array(values), right_, share


def _separating(values: np.ndarray, right: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Weights that keep nearly all right answers above most of the others: the lowest count by far the most."""

    def loss(by: np.ndarray) -> tuple[float, np.ndarray]:
        sums = np.clip(values @ by, -8, 8)
        low, high = np.exp(-LOSS_STEEPNESS * sums) * right * share, 1 / (1 + np.exp(-sums)) * ~right * share
        total = low.sum() + (np.log1p(np.exp(sums)) * ~right * share).sum()
        return float(total + RELEVANCE_REGULARISATION * by @ by), values.T @ (
            high - LOSS_STEEPNESS * low
        ) + 2 * RELEVANCE_REGULARISATION * by

    bounds = [(0 if name in NEVER_NEGATIVE else None, None) for name in FEATURES]
    return np.asarray(minimize(loss, np.zeros(len(FEATURES)), jac=True, method="L-BFGS-B", bounds=bounds).x)


def _logistic(values: np.ndarray, right: np.ndarray, share: np.ndarray) -> np.ndarray:
    def loss(by: np.ndarray) -> tuple[float, np.ndarray]:
        chances = 1 / (1 + np.exp(-values @ by))
        total = -float((share * np.log(np.where(right, chances, 1 - chances) + 1e-9)).sum())
        return total, values.T @ (share * (chances - right))

    return np.asarray(minimize(loss, np.zeros(values.shape[1]), jac=True, method="L-BFGS-B").x)


def floor(questions: Sequence[Question], fitted: Mapping[str, float], by: Mapping[str, float]) -> float:
    """The highest floor that no set loses more than two in a hundred right answers to."""
    first: dict[str, list[float]] = defaultdict(list)
    for question in questions:
        said, gold = likely(question, fitted, by)
        if gold[:1].any():
            first[question.set].append(float(said[0]))
    return min(sorted(each)[int(MOST_LOST_SHARE * len(each))] for each in first.values())


def judged(questions: Sequence[Question], fitted: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The features of the first results of every question, which of them are right, and how much each counts."""
    questions = [question for question in questions if not question.set.startswith(FROM_OTHER_VAULTS)]
    values, right, share = [], [], []
    for question, weight in zip(questions, _shares(questions), strict=True):
        features_, gold = first_results(question, fitted)
        values.append(features_)
        right.append(gold)
        share.append(np.full(len(gold), weight))
    shares = np.concatenate(share)
    return np.concatenate(values), np.concatenate(right), shares / shares.sum()


def first_results(question: Question, fitted: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """The features of the first results of a question, and which of them are right."""
    signals, scores, gold = _in_order(question, fitted)
    found = features(signals, scores, question.fluency)
    return np.stack([found[name] for name in FEATURES], axis=1)[:FIRST_RESULTS], gold[:FIRST_RESULTS]


def likely(
    question: Question, fitted: Mapping[str, float], by: Mapping[str, float] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The relevance of the first results, and which of them are right."""
    signals, scores, gold = _in_order(question, fitted)
    return relevance(signals, scores, question.fluency, by)[:FIRST_RESULTS], gold[:FIRST_RESULTS]


def _in_order(question: Question, fitted: Mapping[str, float]) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    scores = scores_of(question, fitted)
    order = np.argsort(-scores, kind="stable")
    return {name: values[order] for name, values in question.signals.items()}, scores[order], question.gold[order]


def main() -> None:
    """Fit on all sets and write the weights; report what each set reaches with weights fitted without its kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="+", help="[{name, memories, questions}], as vault-mem eval takes it")
    parser.add_argument("--out", type=Path, required=True, help="the folder of weights.json and relevance.json")
    given = parser.parse_args()
    sets = {path.stem: read_data(path) for path in given.data}
    borrowed = borrowed_questions(sets)
    questions: list[Question] = []
    for name, entries in sets.items():
        questions += observe(name, entries, borrowed[name])
        print(f"{name}: asked", flush=True)
    fitted = fit(questions)
    by_set: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        if not question.set.startswith(FROM_OTHER_VAULTS):
            by_set[question.set].append(question)
    for name, own in by_set.items():
        without = fit(left_out(questions, [name]))
        print(f"{name:16} {_line(reached(own, fitted))}   left out: {_line(reached(own, without))}", flush=True)
    print(f"before: { ({name: ranking.weights().get(name) for name in FITTED_SIGNALS}) }\nnow:    {fitted}")
    by = fit_relevance(questions, fitted)
    print(f"relevance: {by}\nfloor: {floor(questions, fitted, by):.4f}")
    for file, content in (("weights.json", fitted), ("relevance.json", by)):
        (given.out / file).write_text(json.dumps(content, indent=2) + "\n", encoding="ascii")


def _line(figures: Figures) -> str:
    return f"R@5 {figures.r5:.3f}  R@10 {figures.r10:.3f}  MRR {figures.mrr:.3f}"


if __name__ == "__main__":
    main()
