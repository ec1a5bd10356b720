"""Recall on every kind of vault: chats, transcripts, long notes, manuals, life logs, facts, in several languages.

It is compared with BM25 over whole memories, vectors alone and a plain hybrid. Recall is measured as shipped, and with
weights fitted without all sets of the same kind; then how right relevance is, and what each stage is worth.
"""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.floor import bm25, hybrid, vectors
from benchmarks.harness import DATA, Figure, Setting, Target
from training.fit_ranking import Question, fit, kind_of, left_out, likely, reached, watch
from vault_mem.operations.memory.recall import Request, recall
from vault_mem.operations.vaults.evaluate import WAYS, Report, Sample, ask, build_vault, read_data, without
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking.relevance import ANSWER_FLOOR
from vault_mem.ranking.weights import FIXED_WEIGHTS, STAGES, weights

NEEDS = ("locomo-dev.json",)
BESIDE = {"BM25": bm25, "vectors": vectors, "hybrid": hybrid(contiguity=False)}
# Stages that are sums can be left out of the sum; the others need another recall.
SUMS = ("meaning", "words", "tokens", "names", "time", "form")
ABLATED = ("moment", "association", "diversity")
# No more than this below the best of the others counts as equal.
EQUAL = 0.01
TENTHS = 10


def run(setting: Setting) -> Iterator[Figure]:
    """R@5, R@10 and MRR of every set, then the sets without their kind, then relevance."""
    questions: list[Question] = []
    for path in [*sorted((DATA / "kinds").glob("*.json")), DATA / NEEDS[0]]:
        entries = read_data(path)[: 1 if setting.quick else None]
        report, seen, unanswered = _asked(path.stem, entries, quick=setting.quick)
        questions += seen
        setting.progress(f"{path.stem} asked")
        yield from _figures(path.stem, report)
        if unanswered:
            said = unanswered.count(False) / len(unanswered)
            yield Figure(f"kinds: {path.stem}, questions without an answer told so ({len(unanswered)})", said)
    yield from _sums(questions)
    yield from _left_out(questions)
    yield from _relevance(questions)


def _asked(name: str, entries: list[Sample], *, quick: bool) -> tuple[Report, list[Question], list[bool]]:
    ways = {"recall": WAYS["recall"], **BESIDE} | ({} if quick else {stage: without(stage) for stage in ABLATED})
    report = Report(answers=defaultdict(list))
    seen: list[Question] = []
    unanswered: list[bool] = []
    for entry in entries:
        with tempfile.TemporaryDirectory(prefix="vault-mem-kinds-") as folder:
            workspace, ids = build_vault(Path(folder), entry, os.environ)
            for question in entry["questions"]:
                for way, find in ways.items():
                    report.answers[way].append(ask(workspace, find, question, ids))
            seen += watch(name, entry, workspace, ids)
            unanswered += [_answered(workspace, each) for each in entry.get("unanswerable", ())]
    return report, seen, unanswered


def _answered(workspace: Workspace, question: object) -> bool:
    text = question["question"] if isinstance(question, dict) else str(question)
    return recall(workspace, Request(text)).answered


def _figures(name: str, report: Report) -> Iterator[Figure]:
    shipped = report.figures("recall")
    count = len(report.answers["recall"])
    others = {way: report.figures(way) for way in BESIDE}
    for figure in ("R@5", "R@10", "MRR"):
        best = max(others, key=lambda way: others[way][figure])
        target = Target("≥", round(others[best][figure] - EQUAL, 4)) if figure != "R@10" else None
        yield Figure(f"kinds: {name} ({count}), {figure}", shipped[figure], "", others[best][figure], best, target)
        for way in BESIDE:
            yield Figure(f"kinds: {name}, {figure} of {way}", others[way][figure])
    for stage in ABLATED:
        if stage in report.answers:
            less = report.figures(stage)
            yield Figure(f"kinds: {name}, R@5 without {stage}", less["R@5"], "", shipped["R@5"], "with all")
            yield Figure(f"kinds: {name}, MRR without {stage}", less["MRR"], "", shipped["MRR"], "with all")


def _sums(questions: list[Question]) -> Iterator[Figure]:
    """What every set reaches when a stage is left out of the sum."""
    by_set: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_set[question.set].append(question)
    for name, own in by_set.items():
        whole = reached(own, weights())
        for stage in SUMS:
            less = reached([without_stage(question, stage) for question in own], weights())
            yield Figure(f"kinds: {name}, R@5 without {stage}", less.r5, "", whole.r5, "with all")
            yield Figure(f"kinds: {name}, MRR without {stage}", less.mrr, "", whole.mrr, "with all")


def without_stage(question: Question, stage: str) -> Question:
    """A question as it was observed, without the signals of a stage."""
    gone = {name: np.zeros_like(question.signals[name]) for name in STAGES[stage]}
    fixed = question.fixed - sum(FIXED_WEIGHTS[name] * question.signals[name] for name in gone if name in FIXED_WEIGHTS)
    return question._replace(signals=question.signals | gone, fixed=fixed)


def _left_out(questions: list[Question]) -> Iterator[Figure]:
    by_set: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_set[question.set].append(question)
    without_kind = {kind: fit(left_out(questions, [kind])) for kind in {kind_of(name) for name in by_set}}
    for name, own in by_set.items():
        found, inside = reached(own, without_kind[kind_of(name)]), reached(own, weights())
        for figure in ("r5", "r10", "mrr"):
            told = {"r5": "R@5", "r10": "R@10", "mrr": "MRR"}[figure]
            value, all_kinds = getattr(found, figure), getattr(inside, figure)
            yield Figure(f"kinds: {name}, {told}, its kind left out of the fit", value, "", all_kinds, "fitted on all")


def _relevance(questions: list[Question]) -> Iterator[Figure]:
    """How often results of each relevance are right; and how many right ones fall below the floor."""
    said: list[np.ndarray] = []
    right: list[np.ndarray] = []
    first: dict[str, list[bool]] = defaultdict(list)
    for question in questions:
        found, gold = likely(question, weights())
        said.append(found)
        right.append(gold)
        if gold[:1].any():
            first[question.set].append(bool(found[0] < ANSWER_FLOOR))
    chance, is_right = np.concatenate(said), np.concatenate(right)
    for tenth in range(TENTHS):
        held = (chance >= tenth / TENTHS) & (chance < (tenth + 1) / TENTHS)
        if held.any():
            name = f"kinds: relevance {tenth / TENTHS:.1f} to {(tenth + 1) / TENTHS:.1f} ({held.sum()}), right"
            yield Figure(name, float(is_right[held].mean()), "", float(chance[held].mean()), "said")
    for name, below in first.items():
        share = sum(below) / len(below)
        yield Figure(f"kinds: {name}, right and first, below the floor", share, target=Target("≤", 0.02))
