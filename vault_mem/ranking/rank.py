"""Ranking: choose candidates from everything at hand, measure every signal of each, add them up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.index.catalogue import Catalogue
from vault_mem.index.lexicon import saturation, weight
from vault_mem.index.terms import normalised
from vault_mem.model import DEFAULT_EMOTION
from vault_mem.ranking import cues, late
from vault_mem.ranking.association import associated, directions
from vault_mem.ranking.centre import centre
from vault_mem.ranking.links import Strengths, spread, web
from vault_mem.ranking.moments import REACH, Moments, moments
from vault_mem.ranking.query import Query, share
from vault_mem.ranking.reading import readings
from vault_mem.ranking.times import DAY, closeness
from vault_mem.ranking.weights import STAGES, weights

Signal = NDArray[np.float32]
Places = NDArray[np.int64]

# So many candidates are looked at closely, best first; and so many of each way of searching whatever the other says.
CANDIDATES, OF_EACH = 224, 32
# Around so many of them the neighbours' texts are read too.
CLOSE = 64
# The share of the best neighbour's first score that brings a memory among the candidates.
CALLED = 0.5
# Memories linked to so many of the best become candidates.
SEEDS = 10
# A memory's freshness halves in 30 days, then fades ever more slowly, so that older ones are still told apart.
HALF_LIFE = 30 * DAY
# Scores no farther apart than this answer a query about as well.
AS_WELL = 2.5
DIGITS = 4
# Stages that need the scores of the others.
BEHIND = 0.01  # so far a linked memory stays behind the one that calls it
AFTERWARDS = ("association", "links", "diversity")


@dataclass(frozen=True)
class Switches:
    """Which stages count: all but those named here. Ablations turn them off one by one."""

    off: frozenset[str] = frozenset()

    def __contains__(self, stage: str) -> bool:
        return stage not in self.off


@dataclass
class Ranking:
    """Candidates, best first: places, the row that answers best, scores and the terms that add up to them."""

    places: Places
    rows: Places
    terms: dict[str, Signal]
    scores: NDArray[np.float64]
    meaning: Signal  # by place: the cosine of the best row
    words: Signal  # by place
    signals: dict[str, Signal] = field(default_factory=dict)

    def terms_of(self, number: int) -> dict[str, float]:
        """What each stage adds to the score of one candidate, without those that add nothing."""
        found = {stage: round(float(values[number]), DIGITS) for stage, values in self.terms.items()}
        return {stage: value for stage, value in found.items() if value}


def rank(
    catalogue: Catalogue,
    query: Query,
    allowed: NDArray[np.bool_],
    vectors: TokenVectors,
    *,
    limit: int = 0,
    strengths: Strengths | None = None,
    switches: Switches | None = None,
) -> Ranking:
    """The candidates for a query among the allowed whole memories, best first."""
    switches = switches or Switches()
    meaning, words = _meaning(catalogue, query), written(catalogue, query.terms)
    best, row = best_rows(catalogue, meaning, words)
    around = moments(catalogue, allowed, together="moment" in switches)
    count = max(CANDIDATES, 2 * limit)
    places = _candidates(catalogue, query, allowed, around, best, count, strengths or {}, switches)
    pool = _Pool(catalogue, query, around, vectors, places, row[places], best, words, strengths or {})
    signals = pool.signals()
    return _scored(catalogue, pool, signals, best, switches)


def _meaning(catalogue: Catalogue, query: Query) -> Signal:
    # not `@`: for one vector that is threads waiting for each other, ten times slower where cores are busy
    cosines = np.einsum("ij,j->i", catalogue.vectors, query.vector)
    return np.asarray(np.round(np.maximum(cosines, 0), 6), dtype=np.float32)


def written(catalogue: Catalogue, terms: Sequence[tuple[str, float]]) -> Signal:
    """BM25 of every row for weighted terms, as a share of what a text of nothing else would get."""
    lengths = catalogue.lexicon.lengths
    mean = _mean_length(catalogue)
    found = np.zeros(len(catalogue.files), dtype=np.float32)
    for term, each in terms:
        places, counts = catalogue.lexicon.postings(term)
        found[places] += np.float32(each) * saturation(counts, lengths[places], mean)
    return np.round(found / np.float32(_total(terms)), 6)


def _total(terms: Sequence[tuple[str, float]]) -> float:
    return sum(each for _, each in terms) or 1.0


def _mean_length(catalogue: Catalogue) -> float:
    def mean() -> float:
        return float(np.sum(catalogue.lexicon.lengths, dtype=float)) / max(len(catalogue), 1)

    return catalogue.derived("mean length", mean)


def best_rows(catalogue: Catalogue, meaning: Signal, words: Signal) -> tuple[dict[str, Signal], Places]:
    """For every whole memory the best of its passages; for a short one that is itself."""
    row = np.arange(len(meaning))
    best = {"meaning": meaning, "words": words}
    passages = np.flatnonzero(catalogue.alive & (catalogue.n > 0))
    if len(passages):
        best = {name: values.copy() for name, values in best.items()}
        owners = catalogue.owner[passages]
        for values in best.values():
            np.maximum.at(values, owners, values[passages])
        quality = meaning + words
        # The whole of a long memory has only its header's words; one of its passages always answers.
        by_quality = passages[np.lexsort((-catalogue.n[passages], quality[passages]))]
        row[catalogue.owner[by_quality]] = by_quality
    return best, row


def _candidates(
    catalogue: Catalogue,
    query: Query,
    allowed: NDArray[np.bool_],
    moments: Moments,
    best: dict[str, Signal],
    count: int,
    strengths: Strengths,
    switches: Switches,
) -> Places:
    """Memories that may answer: by meaning, by words, by whom and when, by what is around and linked to those."""
    by = weights()
    first = (by["meaning"] + by["moment_meaning"]) * best["meaning"] * ("meaning" in switches)
    if "words" in switches:
        first = first + (by["words"] + by["moment_words"] + by["session_words"] + by["moment_tokens"]) * best["words"]
    if query.named.people and "names" in switches:
        lift = np.zeros(len(first), dtype=np.float32)
        lift[list(query.named.people)] = by["person"]
        first = first + lift
    if query.spans and "time" in switches:
        first = first + by["time"] * closeness(catalogue.created, query.spans)
    first = np.where(allowed, first, 0).astype(np.float32)
    if "moment" in switches:
        first = moments.lifted(first, CALLED)
    places = [
        *_top(catalogue, first, allowed, count),
        *_top(catalogue, best["meaning"], allowed, OF_EACH),
        *_top(catalogue, best["words"], allowed & (best["words"] > 0), OF_EACH),
    ]
    if "association" in switches and places:
        middle = centre(catalogue)
        towards = directions(catalogue.vectors[places[0]], middle.mean)
        near = (np.einsum("ij,j->i", catalogue.vectors, towards) - middle.mean @ towards) / middle.distances
        places += _top(catalogue, np.round(near, 6), allowed, OF_EACH)
    if "links" in switches and places:
        top = float(first[places[0]]) or 1.0
        seeds = [(place, float(first[place]) / top) for place in places[:SEEDS]]
        places += [place for place in spread(catalogue, seeds, strengths) if allowed[place]]
    return np.array(list(dict.fromkeys(places)), dtype=np.int64)


def _top(catalogue: Catalogue, values: Signal, allowed: NDArray[np.bool_], count: int) -> list[int]:
    """The places with the highest values, best first; among equals by file, however they came to be here."""
    places = np.flatnonzero(allowed)
    if len(places) > count:
        least = np.partition(values[places], len(places) - count)[len(places) - count]
        places = places[values[places] >= least]
    return sorted(places.tolist(), key=lambda place: (-values[place], catalogue.files[place]))[:count]


class _Pool:
    """The candidates, and everything measured of them."""

    def __init__(
        self,
        catalogue: Catalogue,
        query: Query,
        moments: Moments,
        vectors: TokenVectors,
        places: Places,
        rows: Places,
        best: dict[str, Signal],
        words: Signal,
        strengths: Strengths,
    ) -> None:
        self.catalogue, self.query, self.moments, self.vectors = catalogue, query, moments, vectors
        self.places, self.rows, self.best, self.words, self.strengths = places, rows, best, words, strengths
        self.around = moments.around(places)
        self.texts = readings(catalogue, rows.tolist(), vectors)

    def signals(self) -> dict[str, Signal]:
        """Every signal of every candidate, 0 to 1, but for what follows from the scores themselves."""
        own = {"meaning": self.best["meaning"][self.places], "words": self.best["words"][self.places]}
        tokens, moment_tokens, replies = self._tokens()
        return {
            **own,
            "exact": self._exact(),
            "keyword": self._covered() if self.query.keywords else np.zeros(len(self.places), dtype=np.float32),
            "tokens": tokens,
            "moment_meaning": np.maximum(own["meaning"], self._moment_meaning()),
            "moment_words": np.maximum(own["words"], self._moment_words()),
            "moment_tokens": moment_tokens,
            "replies": replies,
            "session_words": np.maximum(own["words"], self._session_words()),
            **self._named(),
            "time": closeness(self.catalogue.created[self.places], self.query.spans),
            **self._form(),
            **self._state(),
        }

    def _tokens(self) -> tuple[Signal, Signal, Signal]:
        """Late interaction with the text itself, with those around it taken together, and with what it replies to.

        Where the memory just before asks something like the query, this one is likely to answer it.
        """
        catalogue, query = self.catalogue, self.query
        row_of = dict(zip(self.places.tolist(), self.rows.tolist(), strict=True))
        near = [place for place in dict.fromkeys(self.around[:CLOSE].ravel().tolist()) if place >= 0]
        more = [place for place in near if place not in row_of]
        texts = [*self.texts, *readings(catalogue, more, self.vectors)]
        number = np.full(len(catalogue.files) + 1, len(texts), dtype=np.int64)  # the last is for places that are none
        number[[*self.places.tolist(), *more]] = np.arange(len(texts))
        found = late.matches(query.tokens, texts, self.vectors)
        total = float(query.token_weights.sum()) or 1.0
        nothing = np.zeros((1, found.shape[1]), dtype=np.float32)
        padded = np.concatenate([found, nothing])
        index = number[self.around]
        index[:, REACH] = np.arange(len(self.places))
        own = found[: len(self.places)] @ query.token_weights / total
        together = padded[index].max(axis=1) @ query.token_weights / total
        asks = np.array([*(text.asks for text in texts), 0.0], dtype=np.float32)
        before = index[:, REACH - 1]
        asked = asks[before] * (padded[before] @ query.token_weights / total)
        return np.round(own, 6), np.round(together, 6), np.round(asked * (1 - asks[: len(self.places)]), 6)

    def _moment_meaning(self) -> Signal:
        held = self.around >= 0
        vectors = self.catalogue.vectors[np.where(held, self.around, 0)] * held[:, :, None]
        mean = vectors.sum(axis=1)
        norms = np.linalg.norm(mean, axis=1)
        cosines = mean @ self.query.vector / np.where(norms > 0, norms, 1)
        return np.asarray(np.round(np.maximum(cosines, 0), 6), dtype=np.float32)

    def _moment_words(self) -> Signal:
        lexicon = self.catalogue.lexicon
        held = self.around >= 0
        around = np.where(held, self.around, 0)
        lengths = (lexicon.lengths[around] * held).sum(axis=1)
        mean = _mean_length(self.catalogue) * self.moments.mean_size
        found = np.zeros(len(self.places), dtype=np.float32)
        dense = np.zeros(len(lexicon.lengths), dtype=np.float32)
        for term, each in self.query.terms:
            places, counts = lexicon.postings(term)
            dense[places] = counts
            found += np.float32(each) * saturation((dense[around] * held).sum(axis=1), lengths, mean)
            dense[places] = 0
        return np.round(found / np.float32(_total(self.query.terms)), 6)

    def _session_words(self) -> Signal:
        lexicon, around = self.catalogue.lexicon, self.moments
        count = around.sessions
        lengths = around.lengths(lexicon.lengths)
        mean = float(lengths.mean(dtype=float)) if count else 1.0
        wanted, where = np.unique(around.session[around.position[self.places]], return_inverse=True)
        found = np.zeros(len(wanted), dtype=np.float32)
        total = 0.0
        for term, _ in self.query.terms:
            places, counts = lexicon.postings(term)
            at = around.position[places]
            counts, at = counts[at >= 0], at[at >= 0]
            sessions = np.bincount(around.session[at], counts, count).astype(np.float32)
            each = weight(int(np.count_nonzero(sessions)), count) * share(term)
            found += np.float32(each) * saturation(sessions[wanted], lengths[wanted], mean)
            total += each
        return np.round(found / np.float32(total or 1.0), 6)[where]

    def _exact(self) -> Signal:
        """How much of what must be found as written is in the text."""
        wanted = self.query.exact
        if not wanted:
            return np.zeros(len(self.places), dtype=np.float32)
        return _array(
            self.query.exactly * written_in(shown_text(self.catalogue, place, row), wanted)
            for place, row in zip(self.places.tolist(), self.rows.tolist(), strict=True)
        )

    def _covered(self) -> Signal:
        """How much of the query's words a memory has at all, in its text or its header."""
        found = np.zeros(len(self.places), dtype=np.float32)
        held = np.zeros(len(self.catalogue.files), dtype=bool)
        for term, each in self.query.terms:
            places, _ = self.catalogue.lexicon.postings(term)
            held[places] = True
            found += np.float32(each) * (held[self.rows] | held[self.places])
            held[places] = False
        return np.round(found / np.float32(_total(self.query.terms)), 6)

    def _named(self) -> dict[str, Signal]:
        named, places = self.query.named, self.places.tolist()
        return {
            "person": _array(place in named.people for place in places),
            "tag": _array(place in named.tags for place in places),
        }

    def _form(self) -> dict[str, Signal]:
        """What kind of text a memory is: whether it asks, what it could answer, how long it is."""
        asks, times, numbers, length = np.array([text[1:] for text in self.texts], dtype=np.float32).reshape(-1, 4).T
        answers = self.query.wants_time * times + self.query.wants_number * numbers
        return {"asks": asks, "answers": answers.astype(np.float32), "length": length}

    def _state(self) -> dict[str, Signal]:
        """What a memory is, whatever it says: how old, how felt, how important; and the same where the query asks."""
        catalogue, query, places = self.catalogue, self.query, self.places
        age = np.maximum(query.now - catalogue.created[places], 0)
        fresh = (1 / (1 + age / HALF_LIFE)).astype(np.float32)
        importance = (catalogue.importance[places] - 1) / 4
        named = {label: cues.feels(label, query.feelings, query.text) for label in self._labels()}
        labels = [catalogue.emotions[place] for place in places.tolist()]
        summary = _array(catalogue.kinds[place] == "summary" for place in places.tolist())
        return {
            "decay": fresh,
            "emotion": _array(self._intensity(place) for place in places.tolist()),
            "feeling": _array(named.get(label, False) for label in labels),
            "importance": importance.astype(np.float32),
            "important": (importance * query.wants_important).astype(np.float32),
            "summary": summary,
            "overview": summary * query.wants_overview,
        }

    def _labels(self) -> set[str]:
        """The emotions that candidates are marked with."""
        return {self.catalogue.emotions[place] for place in self.places.tolist()} - {DEFAULT_EMOTION}

    def _intensity(self, place: int) -> float:
        """How strong the emotion of a memory is; one that does not say is half as strong as can be."""
        if self.catalogue.emotions[place] == DEFAULT_EMOTION:
            return 0.0
        known: dict[int, float] = self.catalogue.by_place("intensities")
        if place not in known:
            said = self.catalogue.record(place).get("intensity")
            known[place] = 0.5 if said is None else float(said)
        return known[place]


def _scored(
    catalogue: Catalogue, pool: _Pool, signals: dict[str, Signal], best: dict[str, Signal], switches: Switches
) -> Ranking:
    by = weights()
    count = len(pool.places)
    terms: dict[str, Signal] = {}
    signals["now"] = _newest(catalogue, pool, signals)
    for stage, names in STAGES.items():
        if (stage in switches or stage == "moment") and stage not in AFTERWARDS:  # off, each is a moment by itself
            terms[stage] = np.round(
                sum((by[name] * signals[name] for name in names), np.zeros(count, dtype=np.float32)), DIGITS
            )
    scores: NDArray[np.float64] = sum((each.astype(np.float64) for each in terms.values()), np.zeros(count))
    if "links" in switches and count:
        signals["links"] = _called_by_links(catalogue, pool, scores)
        terms["links"] = np.round(by["links"] * signals["links"], DIGITS)
        scores = scores + terms["links"]
    if "association" in switches and count:
        signals["association"] = _called_by_likeness(catalogue, pool, scores)
        terms["association"] = np.round(by["association"] * signals["association"], DIGITS)
        scores = scores + terms["association"]
    scores = np.asarray(np.round(scores, DIGITS))
    files = np.array([catalogue.files[place] for place in pool.places.tolist()], dtype=object)
    order = np.lexsort((np.argsort(np.argsort(files)), -scores)) if count else np.zeros(0, dtype=np.int64)
    return Ranking(
        places=pool.places[order],
        rows=pool.rows[order],
        terms={stage: values[order] for stage, values in terms.items()},
        scores=scores[order],
        meaning=best["meaning"],
        words=best["words"],
        signals={name: values[order] for name, values in signals.items()},
    )


def _newest(catalogue: Catalogue, pool: _Pool, signals: dict[str, Signal]) -> Signal:
    """Of the candidates that answer a query about now about as well: 1 for the newest, 0 for the oldest."""
    found = np.zeros(len(pool.places), dtype=np.float32)
    if not pool.query.about_now or not len(found):
        return found
    by = weights()
    answers = sum((by[name] * values for name, values in signals.items()), np.zeros(len(found), dtype=np.float32))
    close = np.flatnonzero(answers >= answers.max() - AS_WELL)
    moments, age = np.unique(catalogue.created[pool.places[close]], return_inverse=True)
    found[close] = age / (len(moments) - 1) if len(moments) > 1 else 1.0
    return found


def _called_by_likeness(catalogue: Catalogue, pool: _Pool, scores: NDArray[np.float64]) -> Signal:
    """What is like the best candidates and is lifted up to the second of them, not past it.

    A memory with others around it calls up its moment, and one with links what they lead to, which are signals of their
    own; one that stands alone has only what is like it.
    """
    called = associated(catalogue.vectors[pool.places], centre(catalogue).mean, scores)
    ranks = np.argsort(-scores, kind="stable")
    best = int(ranks[0])
    linked = len(web(catalogue).around(int(pool.places[best]), {}))
    company = np.count_nonzero(pool.around[best] >= 0) + REACH * linked
    most = (scores[ranks[min(1, len(ranks) - 1)]] - scores) / weights()["association"] - BEHIND
    return np.asarray(np.round(np.clip(most, 0, called / company), 6), dtype=np.float32)


def _called_by_links(catalogue: Catalogue, pool: _Pool, scores: NDArray[np.float64]) -> Signal:
    """What the best candidates pass on along their links: it lifts a memory up to its caller, not past it."""
    order = np.argsort(-scores, kind="stable")[:SEEDS]
    top = float(scores[order[0]])
    own = dict(zip(pool.places.tolist(), scores.tolist(), strict=True))
    seeds = [(int(pool.places[at]), max(float(scores[at]) / top, 0.0) if top > 0 else 0.0) for at in order.tolist()]
    called = spread(catalogue, seeds, pool.strengths)
    weight = weights()["links"]

    found = np.zeros(len(pool.places), dtype=np.float32)
    for at, place in enumerate(pool.places.tolist()):
        if place in called:
            share, seed = called[place]
            found[at] = max(0.0, min(share, float(own[seed] - own[place]) / weight - BEHIND))
    return found


def shown_text(catalogue: Catalogue, place: int, row: int) -> str:
    """All that is written of a memory's row: its text, its file's name, tags and people."""
    return "\n".join([catalogue.texts[row], catalogue.files[place], *catalogue.tags[place], *catalogue.people[place]])


def written_in(text: str, wanted: Sequence[str]) -> float:
    """The share of the wanted parts that a text has exactly so."""
    if not wanted:
        return 0.0
    plain = normalised(text)
    return sum(len(each) for each in wanted if _pattern(each).search(plain)) / sum(map(len, wanted))


@lru_cache(maxsize=256)
def _pattern(text: str) -> re.Pattern[str]:
    before = r"(?<![a-z0-9])" if text[0].isascii() else ""
    after = r"(?![a-z0-9])" if text[-1].isascii() else ""
    return re.compile(before + re.escape(text) + after)


def _array(values: Iterable[float]) -> Signal:
    return np.fromiter(values, dtype=np.float32)
