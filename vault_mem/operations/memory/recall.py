"""recall: find memories by meaning, by words, and by what surrounds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.calibration import Calibration
from vault_mem.errors import InvalidInput
from vault_mem.index.catalogue import Catalogue
from vault_mem.index.terms import stem
from vault_mem.notes.tokens import count_tokens
from vault_mem.operations.memory.excerpts import FIRST, OTHERS, Cost, best_part, fit_budget
from vault_mem.operations.memory.filters import Filters, resolved
from vault_mem.operations.memory.newer import DEPTH, newer_first
from vault_mem.operations.memory.results import Found, writable
from vault_mem.operations.sessions.sessions import SessionHit, search_sessions, tokens_of
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking.diversity import Chosen, diversify, looked_at
from vault_mem.ranking.gather import gathered
from vault_mem.ranking.links import Strengths
from vault_mem.ranking.query import understand
from vault_mem.ranking.rank import SCORE_DIGITS, Ranking, RankingOptions, Switches, rank
from vault_mem.ranking.relevance import ANSWER_FLOOR, CALLED_UP_BY, NEAREST_SHOWN, OTHER_RESULTS_FLOOR, far_behind
from vault_mem.ranking.spelling import corrected
from vault_mem.ranking.superseded import newest_first, superseding_id
from vault_mem.result import Results
from vault_mem.vault import activity

# In characters, about a page: a longer query finds nothing more. Of a longer context only the end is used.
MAX_QUERY = 4000
DEFAULT_RESULTS = 5
SMALLEST_BUDGET = 50
# A note is shown rather than its conflict copy if it has this share of the copy's score. The copy may score a little
# more just for the words that the sync service added to its name.
SAME_ANSWER = 0.9
IN_PLACE_OF_MEMORIES = 2  # turns of sessions that are shown if no memory answers


@dataclass(frozen=True)
class RecallResult(Results[Found], items="results", left_out=("query",), if_any=("sessions",)):
    """What was found, best first. `stale` answers do not reflect `pending` changed files.

    `answered` is false if nothing is likely to answer; the results are then the nearest memories, two at most.
    `left_out` counts what did not fit the budget.
    """

    query: str
    results: list[Found]
    stale: bool
    pending: int
    answered: bool = True
    left_out: int = 0
    sessions: list[SessionHit] = field(default_factory=list)  # if no memory answers, or if asked for


@dataclass(frozen=True)
class Request:
    """A question to the vault: the query, what may answer it, and how long the answer may be."""

    query: str
    limit: int = DEFAULT_RESULTS
    filters: Filters = field(default_factory=Filters)
    budget: int | None = None
    frame: int = 0  # tokens that an answer takes besides its results
    min_relevance: float | None = None  # if the best result is less relevant than this, nothing answers
    strengths: Strengths | None = None  # None: those in the activity log
    switches: Switches = field(default_factory=Switches)
    sessions: bool = False  # search what was said in sessions, too

    @property
    def room(self) -> int | None:
        """The tokens that are left for results; None without a budget."""
        return None if self.budget is None else self.budget - self.frame

    def checked(self) -> Request:
        """The request, trimmed; raises InvalidInput if a value is invalid."""
        query = writable(self.query.strip(), "the query")
        if not query:
            raise InvalidInput("nothing to recall: the query is empty", 'try: vault-mem recall "..."')
        if self.limit < 1:
            raise InvalidInput(f"-n must be at least 1, not {self.limit}")
        if self.budget is not None and self.budget < SMALLEST_BUDGET:
            raise InvalidInput(f"--budget must be at least {SMALLEST_BUDGET} tokens, not {self.budget}")
        if self.min_relevance is not None and not 0 <= self.min_relevance <= 1:
            raise InvalidInput(f"--min-relevance must be from 0 to 1, not {self.min_relevance:g}")
        return replace(self, query=query[:MAX_QUERY])


@dataclass(frozen=True)
class Outcome:
    """How a request went, stage by stage: what was allowed, how it ranked, what was chosen."""

    catalogue: Catalogue
    allowed: NDArray[np.bool_]
    ranking: Ranking
    chosen: list[Chosen]
    calibration: Calibration
    answered: bool
    wanted: dict[str, float]  # the stems of the query's words, with their weights
    now: datetime
    fluency: float
    originals: dict[str, str]  # from a candidate that is a conflict copy to the file it is a copy of
    public: bool = False


def recall(workspace: Workspace, request: Request, cost: Cost | None = None) -> RecallResult:
    """Find the memories that answer a query, even in another language.

    With a budget, `cost` says how many tokens it takes to show one result; the default counts its text alone.
    """
    request = request.checked()
    freshness = workspace.freshen()
    results, outcome = workspace.reading(lambda: _answer(workspace, request))
    results, left_out = fit_budget(results, request.query, request.room, cost, outcome.wanted)
    said = _session_turns(workspace, request, results, outcome.answered, cost)
    return RecallResult(
        request.query, results, freshness.stale, freshness.pending, outcome.answered, len(left_out), said
    )


def _session_turns(
    workspace: Workspace, request: Request, results: list[Found], answered: bool, cost: Cost | None
) -> list[SessionHit]:
    """The turns of sessions that fit the budget, if they are asked for or no memory answers."""
    if answered and not request.sessions:
        return []
    hits = search_sessions(workspace, request.query, request.limit if request.sessions else IN_PLACE_OF_MEMORIES)
    if request.room is None:
        return hits
    spend = cost or (lambda found: count_tokens(found.passage or found.memory.content))
    left = request.room - sum(map(spend, results))
    fitting = []
    for hit in hits:
        left -= tokens_of(hit)
        if left < 0:
            break
        fitting.append(hit)
    return fitting


def _answer(workspace: Workspace, request: Request) -> tuple[list[Found], Outcome]:
    with workspace.candidates():
        outcome = filter_and_rank(workspace, request)
        results = found_by(outcome)
        if outcome.answered:
            numbered = {each.number: found for each, found in zip(outcome.chosen, results, strict=True)}
            results = newer_first(
                workspace, outcome.catalogue, outcome.ranking, numbered, request.limit, partial(_found, outcome)
            )
        return [_with_copies(workspace, each, outcome.originals) for each in results], outcome


def context_query(text: str) -> str:
    """The part of a long text, such as the last turns of a conversation, that serves as a query."""
    return text.strip()[-MAX_QUERY:]


def filter_and_rank(workspace: Workspace, request: Request) -> Outcome:
    """Filter, rank and diversify. The outcome's places are valid as long as the caller holds the memories at hand."""
    with workspace.candidates() as candidates:
        calibration = workspace.calibration
        public = workspace.folder.public
        filters = asked(workspace, request.filters)
        now = request.filters.as_of or workspace.folder.now()
        text = corrected(request.query, candidates.corpus, workspace.tokens)
        vector = workspace.embedder.encode([text])[0]
        query = understand(text, vector, candidates.corpus, workspace.tokens, now.astimezone(workspace.folder.zone))
        strengths = activity.strengths(workspace.folder) if request.strengths is None else request.strengths
        options = RankingOptions(request.limit, strengths, request.switches)
        catalogue = gathered(candidates, query, filters, workspace.folder.now(), options)
        allowed = filters.met(catalogue, workspace.folder.now())
        ranking = rank(catalogue, query, allowed, workspace.tokens, options)
        files = [catalogue.files[place] for place in ranking.places[: max(looked_at(request.limit), DEPTH)].tolist()]
        originals = workspace.index.known.originals(files)
        chosen = diversify(
            catalogue,
            ranking,
            request.limit,
            near_identical=calibration.near_identical,
            looked_up=query.looked_up,
            zone=workspace.folder.zone,
            switched_on="diversity" in request.switches,
            without=_copies(files, originals, ranking) if originals else (),
        )
        chosen = newest_first(catalogue, ranking, chosen, now.timestamp())
        floor = ANSWER_FLOOR if request.min_relevance is None else request.min_relevance
        chosen, answered = _likely(ranking, chosen, floor)
    wanted = {stem(term): weight for term, weight in query.terms}
    return Outcome(
        catalogue, allowed, ranking, chosen, calibration, answered, wanted, now, query.fluency, originals, public
    )


def _copies(files: Sequence[str], originals: Mapping[str, str], ranking: Ranking) -> set[int]:
    """The versions of a note that are not shown: its conflict copies (SPEC O-5).

    If a copy scores clearly higher, because only it says what is asked for, the note is left out instead.
    """
    families: dict[str, list[int]] = {}
    for number, file in enumerate(files):
        families.setdefault(originals.get(file, file), []).append(number)
    dropped: set[int] = set()
    for original, numbers in families.items():
        best = numbers[0]
        same = [each for each in numbers if ranking.scores[each] >= ranking.scores[best] * SAME_ANSWER]
        shown = next((each for each in same if files[each] == original), best)
        dropped.update(each for each in numbers if each != shown)
    return dropped


def _with_copies(workspace: Workspace, found: Found, originals: Mapping[str, str]) -> Found:
    """The result with the note that it is a copy of, or with its own copies."""
    state, key = workspace.index.known, found.memory.path
    if original := originals.get(key):
        return replace(found, copy_of=state.id_of(original))
    copies = state.copies(key)
    return replace(found, copies=copies) if copies else found


def _likely(ranking: Ranking, chosen: list[Chosen], floor: float) -> tuple[list[Chosen], bool]:
    """The results that may answer if the best one does, otherwise only the nearest; and whether it does."""
    likely = {each.number: float(ranking.relevance[each.number]) for each in chosen}
    if chosen and max(likely.values()) >= floor:
        if floor < OTHER_RESULTS_FLOOR:
            return chosen, True  # with such a low floor, the caller wants everything
        far = far_behind(ranking.signals, ranking.scores)
        near = [each for each in chosen if not far[each.number]]
        called = [ranking.signals[name] for name in CALLED_UP_BY if name in ranking.signals]
        return [
            each
            for each in near
            if likely[each.number] >= OTHER_RESULTS_FLOOR or any(signal[each.number] > 0 for signal in called)
        ], True
    return [each for each in chosen if likely[each.number] > 0][:NEAREST_SHOWN], False


def asked(workspace: Workspace, filters: Filters) -> Filters:
    """The filters as the index takes them, without private memories if only public ones may be seen."""
    return resolved(workspace, replace(filters, private=False) if workspace.folder.public else filters)


def found_by(outcome: Outcome) -> list[Found]:
    """The chosen memories as results."""
    return [
        _found(outcome, each.number, each.penalty, OTHERS if number else FIRST)
        for number, each in enumerate(outcome.chosen)
    ]


def _found(outcome: Outcome, number: int, penalty: float = 0.0, length: int = OTHERS) -> Found:
    """A candidate as a result."""
    ranking, catalogue = outcome.ranking, outcome.catalogue
    place, row = int(ranking.places[number]), int(ranking.rows[number])
    terms = ranking.terms_of(number) | ({"diversity": penalty} if penalty else {})
    return Found(
        catalogue.memory(place),
        similarity=round(outcome.calibration.similarity(float(ranking.meaning[place])), SCORE_DIGITS),
        score=round(sum(terms.values()), SCORE_DIGITS),
        relevance=round(float(ranking.relevance[number]), SCORE_DIGITS),
        passage=best_part(catalogue.texts[row], outcome.wanted, length),
        terms=terms,
        superseded_by=superseding_id(catalogue, place, outcome.now.timestamp(), public=outcome.public),
    )
