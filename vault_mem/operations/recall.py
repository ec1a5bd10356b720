"""recall: find memories by meaning, by words, and by what surrounds them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.calibration import Calibration
from vault_mem.errors import InvalidInput
from vault_mem.index.catalogue import Catalogue
from vault_mem.operations.excerpts import Cost, fit
from vault_mem.operations.filters import Filters
from vault_mem.operations.people import other_names
from vault_mem.operations.replaced import newer_first
from vault_mem.operations.results import Found, writable
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking.diversity import Chosen, diversify
from vault_mem.ranking.links import Strengths
from vault_mem.ranking.query import understand
from vault_mem.ranking.rank import DIGITS, Ranking, Switches, rank
from vault_mem.vault import activity

# A query longer than a page says nothing more; of a longer context the end counts, which was said last.
MAX_QUERY = 4000
DEFAULT_RESULTS = 5
SMALLEST_BUDGET = 50


@dataclass(frozen=True)
class RecallResult:
    """What was found, best first. `stale` answers do not reflect `pending` changed files."""

    query: str
    results: list[Found]
    stale: bool
    pending: int


@dataclass(frozen=True)
class Request:
    """A question to the vault: the query, and how much of what may answer."""

    query: str
    limit: int = DEFAULT_RESULTS
    filters: Filters = field(default_factory=Filters)
    budget: int | None = None
    strengths: Strengths | None = None  # as the activity log has them, if none are given
    switches: Switches = field(default_factory=Switches)

    def checked(self) -> Request:
        """The request, if it makes sense."""
        query = writable(self.query.strip(), "the query")
        if not query:
            raise InvalidInput("nothing to recall: the query is empty", 'try: vault-mem recall "..."')
        if self.limit < 1:
            raise InvalidInput(f"-n is at least 1, not {self.limit}")
        if self.budget is not None and self.budget < SMALLEST_BUDGET:
            raise InvalidInput(f"--budget is at least {SMALLEST_BUDGET} tokens, not {self.budget}")
        return replace(self, query=query[:MAX_QUERY])


@dataclass(frozen=True)
class Outcome:
    """How a request went, stage by stage: what was allowed, how it ranked, what was chosen."""

    catalogue: Catalogue
    allowed: NDArray[np.bool_]
    ranking: Ranking
    chosen: list[Chosen]
    calibration: Calibration


def recall(workspace: Workspace, request: Request, cost: Cost | None = None) -> RecallResult:
    """Find the memories that answer a query, whatever language it and they are in.

    With a budget, `cost` says how many tokens it takes to show one result; the default counts its text alone.
    """
    request = request.checked()
    freshness = workspace.freshen()
    results = workspace.reading(lambda: _results(workspace, request))
    if request.budget is not None:
        results, _ = fit(results, request.query, request.budget, cost)
    return RecallResult(request.query, results, freshness.stale, freshness.pending)


def _results(workspace: Workspace, request: Request) -> list[Found]:
    with workspace.at_hand():
        outcome = consider(workspace, request)
        return newer_first(workspace, outcome.catalogue, outcome.ranking, found_by(outcome), request.limit)


def context_query(text: str) -> str:
    """The part of a long text, such as the last turns of a conversation, that serves as a query."""
    return text.strip()[-MAX_QUERY:]


def consider(workspace: Workspace, request: Request) -> Outcome:
    """Filter, rank and diversify. Places of the outcome are good for as long as the caller has the memories at hand."""
    with workspace.at_hand() as catalogue:
        calibration = workspace.calibration
        allowed = allowed_places(workspace, catalogue, request.filters)
        now = request.filters.as_of or workspace.folder.now()
        vector = workspace.embedder.encode([request.query])[0]
        query = understand(request.query, vector, catalogue, workspace.tokens, now.astimezone(workspace.folder.zone))
        ranking = rank(
            catalogue,
            query,
            allowed,
            workspace.tokens,
            limit=request.limit,
            strengths=activity.strengths(workspace.folder) if request.strengths is None else request.strengths,
            switches=request.switches,
        )
        chosen = diversify(
            catalogue,
            ranking,
            request.limit,
            near_identical=calibration.near_identical,
            looked_up=query.looked_up,
            zone=workspace.folder.zone,
            switched_on="diversity" in request.switches,
        )
    return Outcome(catalogue, allowed, ranking, chosen, calibration)


def allowed_places(workspace: Workspace, catalogue: Catalogue, filters: Filters) -> NDArray[np.bool_]:
    """Which whole memories meet the filters, by place."""
    now = workspace.folder.now()
    whole = catalogue.alive & (catalogue.n == 0)
    if filters == Filters():
        return np.asarray(whole & (catalogue.valid_to > now.timestamp()))
    where = filters.where(now, names=other_names(workspace, filters))
    found = workspace.index.table.select(["file"], f"n = 0 AND {where}").column("file").to_pylist()
    places = [place for file in found if (place := catalogue.place_of(file)) is not None]
    allowed = np.zeros(len(whole), dtype=bool)
    allowed[places] = True
    return np.asarray(allowed & whole)


def found_by(outcome: Outcome) -> list[Found]:
    """The memories that were chosen, with all a reader needs."""
    ranking, catalogue = outcome.ranking, outcome.catalogue
    places = [int(ranking.places[each.number]) for each in outcome.chosen]
    results: list[Found] = []
    for each, place in zip(outcome.chosen, places, strict=True):
        row = int(ranking.rows[each.number])
        terms = ranking.terms_of(each.number) | ({"diversity": each.penalty} if each.penalty else {})
        results.append(
            Found(
                catalogue.memory(place),
                similarity=round(outcome.calibration.similarity(float(ranking.meaning[place])), DIGITS),
                score=round(sum(terms.values()), DIGITS),
                passage="" if row == place else catalogue.texts[row],
                terms=terms,
            )
        )
    return results
