"""Ranking: choose candidates from everything at hand, measure every signal of each, add them up."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.index.catalogue import Catalogue
from vault_mem.ranking.association import associated, directions
from vault_mem.ranking.centre import centre
from vault_mem.ranking.links import Strengths, linked_to, passed_on
from vault_mem.ranking.moments import MOMENT_REACH, Moments, moments
from vault_mem.ranking.query import Query
from vault_mem.ranking.relevance import relevance
from vault_mem.ranking.signals import UNREAD_SHARE, CandidatePool, Places, Signal, as_written
from vault_mem.ranking.times import time_worth
from vault_mem.ranking.weights import STAGES, weights
from vault_mem.ranking.words import BM25_OF_A_HANDFUL, bm25, in_order, passages_of, total_weight, with_next_passages

# How many candidates are looked at closely; and how many of them meaning and words bring in, each by itself.
CANDIDATES, CANDIDATES_OF_EACH = 224, 32
# The words of a whole note count this many times as much as the words of its best passage.
WHOLE_NOTE_WORDS_WEIGHT = np.float32(2.0)
# The more passages a note has, the more its best passage's share of the query's words gives way to the whole note's:
# at most this much.
MOST_REPLACED_BY_WHOLE = np.float32(0.5)
# The share of its best neighbour's first score that is added to a memory's own, to make it a candidate.
NEIGHBOUR_SHARE = 0.5
# Memories linked to this many of the best become candidates.
LINK_SEEDS = 10
# Candidates answer about as well as the best if they are no farther behind in score than this, and have at least this
# share of the query's words that the best has.
NEARLY_AS_GOOD, AS_MANY_WORDS = 2.5, 0.5
SCORE_DIGITS = 4
# How many of the best are checked for their script and for what the query asks for, such as a number.
READ_CLOSELY = 10
BEHIND_CALLER = 0.01  # how far a linked memory stays behind the one that calls it
# Stages that need the scores of the others.
STAGES_AFTER_SCORES = ("association", "links", "diversity")


@dataclass(frozen=True)
class Switches:
    """Which stages count: all but those named here. Ablations turn them off one by one."""

    off: frozenset[str] = frozenset()

    def __contains__(self, stage: str) -> bool:
        return stage not in self.off


@dataclass(frozen=True)
class RankingOptions:
    """How a query is to be ranked: for how many results, by which strengths of links, with which stages."""

    limit: int = 0
    strengths: Strengths = field(default_factory=dict)
    switches: Switches = field(default_factory=Switches)

    @property
    def count(self) -> int:
        """How many candidates are looked at closely."""
        return max(CANDIDATES, 2 * self.limit)


@dataclass
class Ranking:
    """Candidates, best first: places, the row that answers best, scores and the terms that add up to them."""

    places: Places
    rows: Places
    terms: dict[str, Signal]
    scores: NDArray[np.float64]
    meaning: Signal  # by place: the cosine of the best row
    words: Signal  # by place
    relevance: Signal  # how likely each answers
    signals: dict[str, Signal] = field(default_factory=dict)

    def terms_of(self, number: int) -> dict[str, float]:
        """What each stage adds to the score of one candidate, without those that add nothing."""
        found = {stage: round(float(values[number]), SCORE_DIGITS) for stage, values in self.terms.items()}
        return {stage: value for stage, value in found.items() if value}


def rank(
    catalogue: Catalogue,
    query: Query,
    allowed: NDArray[np.bool_],
    vectors: TokenVectors,
    options: RankingOptions | None = None,
) -> Ranking:
    """The candidates for a query among the allowed whole memories, best first."""
    options = options or RankingOptions()
    best, row = _best(catalogue, query)
    around = moments(catalogue, allowed, together="moment" in options.switches)
    places = _candidates(catalogue, query, allowed, around, best, options)
    pool = CandidatePool(catalogue, query, around, vectors, places, row[places], best)
    return _scored(catalogue, pool, pool.signals(), best, options.strengths, options.switches)


def _best(catalogue: Catalogue, query: Query) -> tuple[dict[str, Signal], Places]:
    """Signals measured for everything at hand, by memory; and the row of each memory that answers best."""
    # not `@`: with a single vector, its threads mostly wait for each other, ten times slower on busy cores
    cosines = np.einsum("ij,j->i", catalogue.vectors, query.vector)
    meaning, found = np.round(np.maximum(cosines, 0), 6), bm25(catalogue, query.terms)
    share, handful = np.float32(total_weight(query.terms)), np.float32(BM25_OF_A_HANDFUL)
    own = {
        "meaning": meaning,
        "words": found.rows / handful,
        "share": with_next_passages(catalogue, found.rows) / share,
    }
    quality = meaning + found.rows / share
    best, row = best_rows(catalogue, own, quality)
    if catalogue.corpus.parted:
        # A passage is understood by its note, as a turn of a talk is by what is said around it.
        note = (1 - 1 / passages_of(catalogue)) * MOST_REPLACED_BY_WHOLE
        best["share"] = np.round(best["share"] + note * (found.whole / share - best["share"]), 6)
    best["cosine"], best["whole_meaning"], best["quality"] = cosines, meaning, quality
    best["words"] = np.round(
        (best["words"] + WHOLE_NOTE_WORDS_WEIGHT * found.whole / handful) / (1 + WHOLE_NOTE_WORDS_WEIGHT), 6
    )
    best["covered"] = np.round(found.covered / share, 6)
    if not query.terms:
        written = as_written(catalogue, query.text)
        best["words"][written] = best["covered"][written] = 1.0
    return best, row


def best_rows(catalogue: Catalogue, signals: dict[str, Signal], quality: Signal) -> tuple[dict[str, Signal], Places]:
    """For every memory, the highest value of each signal among its passages, and the row of the highest quality."""
    row = np.arange(len(quality))
    best = {name: np.round(values, 6) for name, values in signals.items()}
    if catalogue.corpus.parted:
        passages, owners, starts = in_order(catalogue)
        for values in best.values():
            values[owners] = np.maximum(values[owners], np.maximum.reduceat(values[passages], starts))
        # Row 0 of a long memory has only its header's words, so a passage always answers: the first of the best.
        own = quality[passages]
        sizes = np.diff(starts, append=len(passages))
        as_good = np.flatnonzero(own == np.repeat(np.maximum.reduceat(own, starts), sizes))
        row[owners] = passages[as_good[np.searchsorted(as_good, starts)]]
    return best, row


def _first_scores(
    catalogue: Catalogue,
    query: Query,
    allowed: NDArray[np.bool_],
    moments: Moments,
    best: dict[str, Signal],
    switches: Switches,
) -> Signal:
    """A first score of everything at hand, from meaning, words, people, times and what is around."""
    by = weights()
    read = UNREAD_SHARE + (1 - UNREAD_SHARE) * query.fluency
    first = (by["meaning"] + by["moment_meaning"]) * read * best["meaning"] * ("meaning" in switches)
    if "words" in switches:
        likely = (by["session_words"] + read * (by["tokens"] + by["moment_tokens"])) * best["share"]
        first = first + by["words"] * best["words"] + likely
    if query.named.anybody and "names" in switches:
        lift = np.zeros(len(first), dtype=np.float32)
        lift[list(query.named.people(catalogue))] = by["person"]
        first = first + lift
    if query.spans and "time" in switches:
        first = first + by["time"] * time_worth(catalogue.created, query.spans)
    first = np.where(allowed, first, 0).astype(np.float32)
    return moments.lifted(first, NEIGHBOUR_SHARE) if "moment" in switches else first


def _top_candidates(
    catalogue: Catalogue, first: Signal, best: dict[str, Signal], allowed: NDArray[np.bool_], count: int
) -> list[int]:
    places = np.flatnonzero(allowed)
    return [
        *_top(catalogue, first, places, count),
        *_top(catalogue, best["meaning"], places, CANDIDATES_OF_EACH),
        *_top(catalogue, best["words"], places[best["words"][places] > 0], CANDIDATES_OF_EACH),
    ]


def best_at_first_sight(
    catalogue: Catalogue, query: Query, allowed: NDArray[np.bool_], options: RankingOptions
) -> list[int]:
    """The memories at hand with the best first scores, regardless of what is around them."""
    best, _ = _best(catalogue, query)
    alone = moments(catalogue, allowed, together=False)
    first = _first_scores(catalogue, query, allowed, alone, best, options.switches)
    return list(dict.fromkeys(_top_candidates(catalogue, first, best, allowed, options.count)))


def _candidates(
    catalogue: Catalogue,
    query: Query,
    allowed: NDArray[np.bool_],
    moments: Moments,
    best: dict[str, Signal],
    options: RankingOptions,
) -> Places:
    """Memories that may answer: those with the best first scores, and those linked or similar to the very best."""
    switches = options.switches
    first = _first_scores(catalogue, query, allowed, moments, best, switches)
    places = _top_candidates(catalogue, first, best, allowed, options.count)
    if "association" in switches and places:
        middle = centre(catalogue)
        towards = directions(catalogue.vectors[places[0]], middle.mean)
        whole = np.flatnonzero(allowed)
        seen = whole if catalogue.corpus.parted else slice(None)  # passages are left out, if there are any
        near = np.zeros(len(allowed), dtype=np.float32)
        along = np.einsum("ij,j->i", catalogue.vectors[seen], towards) - middle.mean @ towards
        near[seen] = np.round(along / middle.distances[seen], 6)
        places += _top(catalogue, near, whole, CANDIDATES_OF_EACH)
    if "links" in switches and places:
        top = float(first[places[0]]) or 1.0
        seeds = [(place, float(first[place]) / top) for place in places[:LINK_SEEDS]]
        places += [place for place in passed_on(catalogue, seeds, options.strengths) if allowed[place]]
    return np.array(list(dict.fromkeys(places)), dtype=np.int64)


def _top(catalogue: Catalogue, values: Signal, places: Places, count: int) -> list[int]:
    """The places with the highest values, best first; equals by file, so that it does not matter how the index grew."""
    own = values[places]
    if len(places) > count:
        best = own >= np.partition(own, len(places) - count)[len(places) - count]
        places, own = places[best], own[best]
    return [int(place) for place in places[_order_by_value(catalogue, own, places)][:count]]


def _order_by_value(catalogue: Catalogue, values: NDArray[np.floating], places: Places) -> Places:
    """The order of places by their values, the highest first; of equals by file."""
    order = np.argsort(-values, kind="stable")
    ordered = values[order]
    alike = -np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    starts, ends = (np.searchsorted(-ordered, alike, side).tolist() for side in ("left", "right"))
    for start, end in zip(starts, ends, strict=True):
        order[start:end] = sorted(order[start:end].tolist(), key=lambda at: catalogue.files[int(places[at])])
    return np.asarray(order, dtype=np.int64)


def _scored(
    catalogue: Catalogue,
    pool: CandidatePool,
    signals: dict[str, Signal],
    best: dict[str, Signal],
    strengths: Strengths,
    switches: Switches,
) -> Ranking:
    by = weights()
    count = len(pool.places)
    signals["now"] = np.zeros(count, dtype=np.float32)
    terms: dict[str, Signal] = {}
    for stage, names in STAGES.items():
        # with moments switched off, each memory is its own moment
        if (stage in switches or stage == "moment") and stage not in STAGES_AFTER_SCORES:
            terms[stage] = np.round(
                sum((by[name] * signals[name] for name in names), np.zeros(count, dtype=np.float32)), SCORE_DIGITS
            )
    scores: NDArray[np.float64] = sum((each.astype(np.float64) for each in terms.values()), np.zeros(count))
    if pool.query.about_now and "decay" in switches and count:
        signals["now"] = _newest(catalogue, pool, scores, signals["covered"])
        terms["decay"] = np.asarray(
            np.round(terms["decay"] + by["now"] * signals["now"], SCORE_DIGITS), dtype=np.float32
        )
        scores = scores + np.round(by["now"] * signals["now"], SCORE_DIGITS)
    if "links" in switches and count:
        signals["links"] = _called_by_links(catalogue, pool, scores, strengths)
        terms["links"] = np.round(by["links"] * signals["links"], SCORE_DIGITS)
        scores = scores + terms["links"]
    if "association" in switches and count:
        signals["association"] = _called_by_likeness(catalogue, pool, scores)
        terms["association"] = np.round(by["association"] * signals["association"], SCORE_DIGITS)
        scores = scores + terms["association"]
    scores = np.asarray(np.round(scores, SCORE_DIGITS))
    order = _order_by_value(catalogue, scores, pool.places)
    closely = order[:READ_CLOSELY].tolist()
    signals |= {"lacks": pool.lacks_what_is_asked(closely), "foreign": pool.in_other_script(closely)}
    ordered = {name: values[order] for name, values in signals.items()}
    return Ranking(
        places=pool.places[order],
        rows=pool.rows[order],
        terms={stage: values[order] for stage, values in terms.items()},
        scores=scores[order],
        meaning=best["meaning"],
        words=best["words"],
        relevance=relevance(ordered, scores[order], pool.query.fluency),
        signals=ordered,
    )


def _newest(catalogue: Catalogue, pool: CandidatePool, scores: NDArray[np.float64], covered: Signal) -> Signal:
    """For a query about now: from 1 for the newest to 0 for the oldest of the candidates that answer about as well."""
    found = np.zeros(len(pool.places), dtype=np.float32)
    as_many = covered >= AS_MANY_WORDS * covered[scores.argmax()]
    close = np.flatnonzero(as_many & (scores >= scores.max() - NEARLY_AS_GOOD))
    moments, age = np.unique(catalogue.created[pool.places[close]], return_inverse=True)
    found[close] = age / (len(moments) - 1) if len(moments) > 1 else 1.0
    return found


def _called_by_likeness(catalogue: Catalogue, pool: CandidatePool, scores: NDArray[np.float64]) -> Signal:
    """How far candidates are lifted because they are similar to the best ones: up to the second best, not past it.

    It counts less if the best one has memories around it or links, because those have signals of their own, and if it
    is a long note, which is similar to many.
    """
    called = associated(catalogue.vectors[pool.places], centre(catalogue).mean, scores)
    ranks = np.argsort(-scores, kind="stable")
    best = int(ranks[0])
    linked = len(linked_to(catalogue, int(pool.places[best])))
    company = (np.count_nonzero(pool.around[best] >= 0) + MOMENT_REACH * linked) * float(pool.passages[best])
    most = (scores[ranks[min(1, len(ranks) - 1)]] - scores) / weights()["association"] - BEHIND_CALLER
    return np.asarray(np.round(np.clip(most, 0, called / company), 6), dtype=np.float32)


def _called_by_links(
    catalogue: Catalogue, pool: CandidatePool, scores: NDArray[np.float64], strengths: Strengths
) -> Signal:
    """What the best candidates pass on along their links. It lifts a memory up to the one it came from, not past it."""
    order = np.argsort(-scores, kind="stable")[:LINK_SEEDS]
    top = float(scores[order[0]])
    own = dict(zip(pool.places.tolist(), scores.tolist(), strict=True))
    seeds = [(int(pool.places[at]), max(float(scores[at]) / top, 0.0) if top > 0 else 0.0) for at in order.tolist()]
    called = passed_on(catalogue, seeds, strengths)
    weight = weights()["links"]

    found = np.zeros(len(pool.places), dtype=np.float32)
    for at, place in enumerate(pool.places.tolist()):
        if place in called:
            share, seed = called[place]
            found[at] = max(0.0, min(share, float(own[seed] - own[place]) / weight - BEHIND_CALLER))
    return found
