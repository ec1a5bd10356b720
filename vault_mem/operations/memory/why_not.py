"""why-not: at which stage a recall drops a memory, or at which position it shows it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vault_mem.model import Memory
from vault_mem.operations.memory.excerpts import Cost, fit_budget
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.memory.recall import Outcome, Request, asked, filter_and_rank, found_by
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking.rank import SCORE_DIGITS
from vault_mem.result import Result, as_record


@dataclass(frozen=True)
class WhyNot(Result):
    """The stage that dropped a memory (or `shown`), the reason in words, and its figures up to that stage."""

    memory: Memory
    stage: str
    reason: str
    rank: int | None = None
    score: float | None = None
    needed: float | None = None
    terms: dict[str, float] = field(default_factory=dict)
    stale: bool = False
    pending: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"id": self.memory.id, "path": self.memory.path} | as_record(self, "memory")


def why_not(workspace: Workspace, id_: str, request: Request, cost: Cost | None = None) -> WhyNot:
    """Ask the same question as recall, and follow one memory through it. `cost` is that of recall."""
    request = request.checked()
    freshness = workspace.freshen()
    found = workspace.reading(lambda: _standing(workspace, id_, request, cost))
    return replace(found, stale=freshness.stale, pending=freshness.pending)


def _standing(workspace: Workspace, id_: str, request: Request, cost: Cost | None) -> WhyNot:
    with workspace.candidates():
        return _follow(workspace, workspace.index.get(id_), request, cost)


def _follow(workspace: Workspace, memory: Memory, request: Request, cost: Cost | None) -> WhyNot:
    outcome = filter_and_rank(workspace, request)
    place = outcome.catalogue.place_of(memory.path)
    if place is None and not workspace.index.known.is_searched(memory.path):
        return WhyNot(memory, "type", "episodes are shown, not recalled")
    if place is None or not outcome.allowed[place]:
        filtered = _which_filter(workspace, memory, request)
        if filtered:
            return WhyNot(memory, "filter", filtered)
    if place is None:
        return WhyNot(memory, "candidates", f"it is not among the {len(outcome.ranking.places)} candidates")
    numbers = np.flatnonzero(outcome.ranking.places == place)
    if not len(numbers):
        return WhyNot(memory, "candidates", _far_away(outcome, place))
    number = int(numbers[0])
    candidates = len(outcome.ranking.places)
    score = round(float(outcome.ranking.scores[number]), SCORE_DIGITS)
    standing = WhyNot(memory, "shown", "", number + 1, score, terms=outcome.ranking.terms_of(number))
    chosen = [each.number for each in outcome.chosen]
    if number not in chosen and (not outcome.answered or not chosen):
        likely = float(outcome.ranking.relevance[number])
        return replace(standing, stage="relevance", reason=f"nothing answers; its relevance is {likely:.2f}")
    if number not in chosen:
        last = outcome.chosen[-1]
        needed = round(float(outcome.ranking.scores[last.number]) + last.penalty, SCORE_DIGITS)
        standing_at = f"rank {number + 1} of {candidates} candidates"
        if number < len(chosen):
            reason = f"{standing_at}, but enough memories like it are shown"
            return replace(standing, stage="diversity", reason=reason, needed=needed)
        return replace(standing, stage="ranking", reason=f"{standing_at}, and {len(chosen)} are shown", needed=needed)
    shown, _ = fit_budget(found_by(outcome), request.query, request.room, cost, outcome.wanted)
    ids = [found.memory.id for found in shown]
    if memory.id not in ids:
        reason = "no sentence of it fits what is left of the budget"
        return replace(standing, stage="budget", reason=reason)
    return replace(standing, reason=f"it is result {ids.index(memory.id) + 1}")


def _which_filter(workspace: Workspace, memory: Memory, request: Request) -> str:
    """The filter that leaves a memory out, if any does."""
    with workspace.candidates() as candidates:
        catalogue = candidates.catalogue([memory.path])
    place, now = catalogue.place_of(memory.path), workspace.folder.now()
    for each in request.filters.given:
        if not asked(workspace, each).met(catalogue, now)[place]:
            return _named(each, memory)
    return "" if asked(workspace, request.filters).met(catalogue, now)[place] else "a filter leaves it out"


def _named(filters: Filters, memory: Memory) -> str:
    unset = vars(Filters(closed=True))
    for name, value in vars(filters).items():
        if value != unset[name]:
            if name == "closed":
                closed = memory.valid_to.isoformat() if memory.valid_to else "?"
                return f"it was closed on {closed}; --closed shows it"
            shown = value.isoformat() if hasattr(value, "isoformat") else value
            return f"the filter {name} {shown} leaves it out"
    return "a filter leaves it out"


def _far_away(outcome: Outcome, place: int) -> str:
    allowed = np.flatnonzero(outcome.allowed)
    ranks = [
        int((values[allowed] > values[place]).sum()) + 1 for values in (outcome.ranking.meaning, outcome.ranking.words)
    ]
    return (
        f"it is number {ranks[0]:,} by meaning and {ranks[1]:,} by words of {len(allowed):,} memories, "
        f"too far back to be one of {len(outcome.ranking.places)} candidates"
    )
