"""The signals of each candidate. They are from 0 to 1, except likeness, which is measured from the vault's mean."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, MutableMapping, Sequence, Set
from functools import lru_cache
from sys import intern

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.index.catalogue import Catalogue
from vault_mem.index.corpus import Likeness
from vault_mem.index.packed import TITLE
from vault_mem.index.people import SPEAKER_LABEL
from vault_mem.index.terms import naming_terms, normalised, share_unspaced, stem, terms
from vault_mem.model import DEFAULT_EMOTION
from vault_mem.ranking import cues, late
from vault_mem.ranking.moments import MOMENT_REACH, Moments
from vault_mem.ranking.numbers import numbered_pattern
from vault_mem.ranking.query import Query, plain_part, squeezed, term_share
from vault_mem.ranking.reading import TextForm, given_name, names_what_is_asked, readings
from vault_mem.ranking.times import DAY, made_within, time_worth
from vault_mem.ranking.words import best_passages, passages_of, total_weight

_MONTH = re.compile(r"(?:^|/)\d{4}-\d\d(?=/)")
Signal = NDArray[np.float32]
Places = NDArray[np.int64]

# For this many of the best candidates, the memories around them are read too.
CANDIDATES_READ_AROUND = 12
# For this many of the best long notes, this many passages are read: the passage that is best by BM25 and overall
# meaning need not be the one whose single words come nearest to the query.
NOTES_READ_FURTHER, PASSAGES_READ = 24, 5
# A note of more passages than this is about many things: the more it has, the less its likeness counts.
PASSAGES_LIKENESS_FADES = 6.0
# In a note of more passages than this, even the best one is near to some words by chance: its tokens count less.
PASSAGES_TOKENS_FADE = 30.0
# The usual likeness of unrelated memories to a query, and its deviation. Both count like this many memories of the
# vault itself, since a small vault does not show them.
PRIOR_MEAN, PRIOR_DEVIATION, PRIOR_MEMORIES = 0.5, 0.075, 10
# Likeness is cut off at this many deviations from the vault's mean.
MOST_DEVIATIONS = 5.0
# How many of a query's heaviest words are its chief ones, and how much of a short query an answer usually covers.
CHIEF_WORDS, USUALLY_COVERED = 4, 0.6
# Only a vault with this many memories shows which words are rare.
RARITY_SHOWS_FROM = 30
# A text's script is told from this many characters. Two scripts differ if their shares of Japanese and similar letters
# are this far apart.
SCRIPT_CHARACTERS, OTHER_SCRIPT_DIFFERENCE = 100, 0.75
# If the query is a line of a talk, its speaker tells of themselves: that counts more than a name that is asked about.
SPEAKER_FACTOR = np.float32(2)
# How much likeness still counts if the model cannot read the query.
UNREAD_SHARE = 0.1
# A memory's freshness halves in 30 days, then fades ever more slowly, so that older ones are still told apart.
FRESHNESS_HALF_LIFE = 30 * DAY


class CandidatePool:
    """The candidates, and everything measured of them.

    A short turn of a talk is understood by what was said around it; a text that is long enough speaks for itself. So
    the signals of a moment fade into the text's own as it gets longer (`turn` is 1 for a few words, 0 for a page).
    """

    def __init__(
        self,
        catalogue: Catalogue,
        query: Query,
        moments: Moments,
        vectors: TokenVectors,
        places: Places,
        rows: Places,
        best: dict[str, Signal],
    ) -> None:
        self.catalogue, self.query, self.moments, self.vectors = catalogue, query, moments, vectors
        self.places, self.rows, self.best = places, rows, best
        self.around = moments.around(places)
        own = readings(catalogue, rows.tolist(), vectors)
        self.form = dict(zip(TextForm._fields, own.forms.T, strict=True))
        self.turn = np.where(rows == places, self.form["turn"], 0).astype(np.float32)
        self.around_best = self._read_around()
        self.passages = passages_of(catalogue)[places]
        self.further, self.further_of = self._read_further()
        self.texts = own.followed_by(readings(catalogue, [*self.around_best, *self.further], vectors))
        self.query_weight = np.float32(total_weight(query.terms))
        read = UNREAD_SHARE + (1 - UNREAD_SHARE) * query.fluency
        about_one = np.sqrt(np.minimum(PASSAGES_LIKENESS_FADES / self.passages, 1))
        self.likeness_factor = (read * about_one).astype(np.float32)

    def _read_around(self) -> list[int]:
        """The neighbours of the best candidates that are turns, unless they are candidates themselves."""
        known = {-1, *self.places.tolist()}
        around = self.around[:CANDIDATES_READ_AROUND][self.turn[:CANDIDATES_READ_AROUND] > 0]
        return [place for place in dict.fromkeys(around.ravel().tolist()) if place not in known]

    def _read_further(self) -> tuple[list[int], list[int]]:
        """More passages of the best candidates that are long notes, and for each the number of its candidate."""
        rows: list[int] = []
        numbers: list[int] = []
        quality = self.best["quality"]
        for at in np.flatnonzero(self.passages > 1)[:NOTES_READ_FURTHER].tolist():
            found = best_passages(self.catalogue, int(self.places[at]), quality, PASSAGES_READ)
            more = found[found != self.rows[at]].tolist()
            rows += more
            numbers += [at] * len(more)
        return rows, numbers

    def signals(self) -> dict[str, Signal]:
        """Every signal of every candidate."""
        own = {name: values[self.places] for name, values in self.best.items()}
        read = np.float32(UNREAD_SHARE + (1 - UNREAD_SHARE) * self.query.fluency)
        whole, moment, near = self._likeness()
        late_, named = self._tokens(), self._named()
        return {
            "meaning": whole,
            "near": near * read,
            "alike": own["meaning"] * read,
            "words": own["words"],
            "exact": self._exact(),
            "covered": own["covered"],
            "keyword": self._looked_for(own["covered"]),
            "title": self._titled(),
            "tokens": late_["nearest"] * read,
            "said": late_["own"] * read,
            "weakest": late_["weakest"] * read,
            "missing": self._missing(late_["own"] * read) * (1 - np.minimum(named["person"], 1)),
            "moment_meaning": moment,
            "moment_tokens": late_["moment"] * read,
            "session_words": self._faded(own["share"], self._session_words()),
            "replies": late_["replies"] * self.turn,
            **named,
            "time": time_worth(self.catalogue.created[self.places], self.query.spans),
            **self._form(),
            **self._state(),
        }

    def _missing(self, said: Signal) -> Signal:
        """How much of a short query a memory lacks; any answer to a long query leaves some words out."""
        brief = min(CHIEF_WORDS / max(int(np.count_nonzero(self.query.token_weights)), 1), 1)
        # a small vault does not show which words are rare
        shows_rarity = min(self.catalogue.corpus.memories / RARITY_SHOWS_FROM, 1)
        return np.asarray(np.maximum(USUALLY_COVERED - said, 0) * np.float32(brief * shows_rarity))

    def _looked_for(self, covered: Signal) -> Signal:
        """How well a memory matches a query that looks it up: a few keywords, or only a time."""
        if self.query.spans and not self.query.terms:
            return made_within(self.catalogue.created[self.places], self.query.spans).astype(np.float32)
        return covered if self.query.keywords else np.zeros(len(self.places), dtype=np.float32)

    def _likeness(self) -> tuple[Signal, Signal, Signal]:
        """Likeness to the query: as a whole, by the best passage or moment, and as a whole in standard deviations.

        All are measured from the vault's mean. One of many passages is near to anything, so the best passage is
        compared with what the best of as many would reach by chance.
        """
        all_ = self.best["whole_meaning"]
        of_whole, of_rows = self.catalogue.corpus.likeness(self.query.vector, all_)
        (mean, varying), (mean_row, varying_row) = _with_prior(of_whole), _with_prior(of_rows)
        by_chance = varying_row * np.sqrt(2 * np.log(self.passages))
        whole = all_[self.places] - mean
        best = self._faded(self.best["meaning"][self.places] - by_chance, self._moment_meaning()) - mean_row
        near = np.clip(whole / varying, -MOST_DEVIATIONS, MOST_DEVIATIONS) / MOST_DEVIATIONS
        found = (whole * self.likeness_factor, best * self.likeness_factor, near)
        return tuple(np.round(each, 6).astype(np.float32) for each in found)

    def _faded(self, own: Signal, around: Signal) -> Signal:
        """A text's own signal, raised towards its moment's; the longer the text, the less."""
        return np.asarray(own + self.turn * np.maximum(around - own, 0), dtype=np.float32)

    def _tokens(self) -> dict[str, Signal]:
        """Late interaction with the text itself, with the texts around it taken together, and with what it replies to.

        For a long note, `nearest` is the best of the passages that were read, and `moment` takes them together.
        Relevance uses the best passage alone (`own`), since one of several is near to anything. `replies` is high if
        the memory just before asks something like the query. `weakest` is how near the text comes to the chief word
        of the query that it matches worst.
        """
        catalogue, query = self.catalogue, self.query
        texts = len(self.texts.sizes)
        number = np.full(len(catalogue.files) + 1, texts, dtype=np.int64)  # the last stands for -1, no place
        number[[*self.places.tolist(), *self.around_best]] = np.arange(texts - len(self.further))
        found = late.matches(query.tokens, self.texts, self.vectors)
        weights = query.token_weights / (float(query.token_weights.sum()) or 1.0)
        padded = np.concatenate([found, np.zeros((1, found.shape[1]), dtype=np.float32)])
        index = number[self.around]
        index[:, MOMENT_REACH] = np.arange(len(self.places))
        together = padded[index].max(axis=1)
        own, cut = found[: len(self.places)] @ weights, self.passages > 1
        together[cut] = found[: len(self.places)][cut]
        further, nearest = found[texts - len(self.further) :], own.copy()
        np.maximum.at(nearest, self.further_of, further @ weights)
        np.maximum.at(together, self.further_of, further)
        asks = np.append(self.texts.forms[:, TextForm._fields.index("asks")], np.float32(0))
        before = index[:, MOMENT_REACH - 1]
        asked = asks[before] * (padded[before] @ weights)
        replies = asked * (1 - asks[: len(self.places)])
        weakest = found[: len(self.places), :CHIEF_WORDS].min(axis=1, initial=1)  # tokens are sorted by weight
        fade = np.sqrt(np.minimum(PASSAGES_TOKENS_FADE / self.passages, 1))
        own, nearest, moment = (_shrunk(each, fade) for each in (own, nearest, together @ weights))
        signals = {
            "own": own,
            "nearest": nearest,
            "moment": np.where(cut, moment, self._faded(own, moment)),
            "replies": replies,
            "weakest": weakest * fade,
        }
        return {name: np.round(values, 6).astype(np.float32) for name, values in signals.items()}

    def _moment_meaning(self) -> Signal:
        """The cosine of a moment's mean vector: its members' cosines summed, over the length of their vectors' sum."""
        if not self.turn.any():
            return self.turn
        cosines = np.where(self.around >= 0, self.best["cosine"][self.around], 0).sum(axis=1)
        lengths = self.moments.lengths_of_sums(self.catalogue.vectors, self.places, self.around)
        return np.asarray(np.round(np.maximum(cosines / lengths, 0), 6), dtype=np.float32)

    def _session_words(self) -> Signal:
        if not self.turn.any():
            return self.turn
        wanted = [(term, term_share(term)) for term, _ in self.query.terms]
        return self.moments.words(self.catalogue.lexicon, self.places, wanted)

    def _exact(self) -> Signal:
        """How much of the query's exact parts is in the text."""
        if not self.query.exact:
            return np.zeros(len(self.places), dtype=np.float32)
        pairs = zip(self.places.tolist(), self.rows.tolist(), strict=True)
        texts = [everything_written(self.catalogue, place, row) for place, row in pairs]
        return np.array(written_in(texts, self.query.exact), dtype=np.float32) * np.float32(self.query.exact_weight)

    def _titled(self) -> Signal:
        """How much of the query's words is in a memory's title, tags or file name.

        The title of a short text only repeats its first words and does not count; a file name that somebody gave does.
        """
        wanted: dict[str, float] = {}
        for term, each in self.query.terms:
            wanted[stem(term)] = wanted.get(stem(term), 0.0) + each

        def words_matched(names: Iterable[tuple[str, ...]]) -> list[float]:
            return [
                0.0 if wanted.keys().isdisjoint(each) else math.fsum([wanted[word] for word in each if word in wanted])
                for each in names
            ]

        title, long = np.zeros(len(self.places)), self.turn < 1
        if self.catalogue.complete:
            title[long] = words_matched(titles(self.catalogue, place) for place in self.places[long].tolist())
        else:
            for word, each in wanted.items():
                title += each * np.isin(self.places, self.catalogue.places_named(TITLE, word))
        given = words_matched(given_names(self.catalogue, self.places.tolist()))
        found = np.maximum((1 - self.turn) * title, given)
        return np.asarray(found / float(self.query_weight), dtype=np.float32)

    def _named(self) -> dict[str, Signal]:
        named, places, corpus = self.query.named, self.places.tolist(), self.catalogue.corpus
        people, tagged = named.people(self.catalogue), named.tagged(self.catalogue)
        # a name that half of the memories have (one of two who talk) still tells them apart; the owner's does not
        tells_apart = np.float32(min(2 * (1 - named.count(corpus) / max(corpus.memories, 1)), 1))
        tells_apart *= SPEAKER_FACTOR if named.speaker_words else 1
        person = _array(place in people for place in places) * tells_apart
        return {
            "person": person,
            # asked about Lisa, what she says of "I" is about her, what she says of "you" is not
            "about": person * self.form["of_self"],
            "tag": _array(place in tagged for place in places),
        }

    def _form(self) -> dict[str, Signal]:
        """What kind of text a memory is: a turn that only asks, or hardly says anything; what it could answer."""
        form, query = self.form, self.query
        answers = query.wants_time * form["times"] + query.wants_number * form["numbers"]
        answers = answers + ("c" in query.asked_for) * form["colours"]
        talk = self.turn * (np.count_nonzero(self.around >= 0, axis=1) > 1)
        return {
            # a turn that only asks has the query's words but no answer; a longer one may state a fact first
            "asks": form["asks"] * form["brief"] * talk * self.best["words"][self.places],
            "answers": answers.astype(np.float32) * self.turn,  # a long text has times and numbers by chance
            "slight": form["slight"] * talk,
        }

    def lacks_what_is_asked(self, best: Sequence[int]) -> Signal:
        """1 for each of the best that lacks what the query asks for.

        It names no colour or number, say, in a sentence with a word of the query; it lacks the part number,
        telephone number or version that the query consists of; or it is about other people than the query.
        """
        words = {stem(term) for term, _ in self.query.terms}
        found = np.zeros(len(self.places), dtype=np.float32)
        for at in best if self.query.asked_for else ():
            text = self._also_in_english(int(self.rows[at]))
            found[at] = not all(names_what_is_asked(text, classes, words) for classes in self.query.asked_for)
        for at in best if self.query.number else ():
            text = everything_written(self.catalogue, int(self.places[at]), int(self.rows[at]))
            found[at] = self.query.number not in squeezed(text)
        asked = self.query.named.people(self.catalogue) if self.query.named.anybody else set()
        for at in best if asked else ():
            place = int(self.places[at])
            spoken = SPEAKER_LABEL.match(self.catalogue.texts[place][:80])  # a turn may be about anybody
            found[at] = found[at] or (place not in asked and bool(self.catalogue.people[place]) and not spoken)
        return found

    def in_other_script(self, best: Sequence[int]) -> Signal:
        """1 for each of the best that is written in another script than the query, so that they share no words."""
        found = np.zeros(len(self.places), dtype=np.float32)
        asked = share_unspaced(self.query.text)
        for at in best:
            said = share_unspaced(self.catalogue.texts[int(self.rows[at])][:SCRIPT_CHARACTERS])
            found[at] = asked is not None and said is not None and abs(said - asked) > OTHER_SCRIPT_DIFFERENCE
        return found

    def _also_in_english(self, row: int) -> str:
        """A text and its foreign words in English, as only English and Japanese have lists of colours and the like."""
        text = self.catalogue.texts[row]
        return " ".join([text, *(word.english for word in self.vectors.translations(text))])

    def _state(self) -> dict[str, Signal]:
        """Signals of age, emotion, importance and kind, and separate ones for queries that ask for these."""
        catalogue, query, places = self.catalogue, self.query, self.places
        age = np.maximum(query.now - catalogue.created[places], 0)
        fresh = (1 / (1 + age / FRESHNESS_HALF_LIFE)).astype(np.float32)
        importance = (catalogue.importance[places] - 1) / 4
        labels = [catalogue.emotions[place] for place in places.tolist()]
        felt = {*labels} - {DEFAULT_EMOTION}
        named = {label: cues.feels(label, query.feelings, query.text) for label in felt}
        summary = _array(catalogue.kinds[place] == "summary" for place in places.tolist())
        return {
            "decay": fresh,
            "emotion": self._intensities(labels, felt),
            "feeling": _array(named.get(label, False) for label in labels),
            "importance": importance.astype(np.float32),
            "important": (importance * query.wants_important).astype(np.float32),
            "summary": summary,
            "overview": summary * query.wants_overview,
        }

    def _intensities(self, labels: Sequence[str], felt: Set[str]) -> Signal:
        """How strong each memory's emotion is, 0 to 1; 0.5 if it does not say."""
        known: MutableMapping[int, float] = self.catalogue.by_place("intensities")
        found = np.zeros(len(labels), dtype=np.float32)
        for at, place in enumerate(self.places.tolist()):
            if labels[at] in felt:
                strength = known.get(place)
                if strength is None:
                    said = self.catalogue.record(place).get("intensity")
                    strength = known[place] = 0.5 if said is None else float(said)
                found[at] = strength
        return found


def _shrunk(values: Signal, by: Signal) -> Signal:
    """Shrink values towards the mean of all; towards 0, long notes would fall behind everything else."""
    usual = values.mean() if len(values) else 0.0
    return np.asarray(usual + by * (values - usual))


def _with_prior(own: Likeness) -> tuple[float, float]:
    """Mean and deviation of the vault's likeness to the query, mixed with the usual ones."""
    of = own.texts + PRIOR_MEMORIES
    mean = (own.mean * own.texts + PRIOR_MEAN * PRIOR_MEMORIES) / of
    return mean, (own.deviation * own.texts + PRIOR_DEVIATION * PRIOR_MEMORIES) / of


def titles(catalogue: Catalogue, place: int) -> tuple[str, ...]:
    """The words of all that names a memory: its title, file name, aliases and tags."""
    known: MutableMapping[int, tuple[str, ...]] = catalogue.by_place("titles")
    if place not in known:
        title, aliases = str(catalogue.record(place).get("title", "")), catalogue.aliases.get(place, ())
        # a tuple of interned words: a set for each memory would take ten times as much space
        named = naming_terms(title, catalogue.files[place], catalogue.tags[place], aliases)
        known[place] = tuple({intern(stem(term)) for term in named})
    return known[place]


def given_names(catalogue: Catalogue, places: Sequence[int]) -> list[tuple[str, ...]]:
    """The words of each file's name, unless the tool made it."""
    known: MutableMapping[int, tuple[str, ...]] = catalogue.by_place("given name")
    for place in places:
        if place not in known:
            known[place] = _words_of(given_name(catalogue.files[place]))
    return [known[place] for place in places]


@lru_cache(maxsize=2_000)
def _words_of(name: str) -> tuple[str, ...]:
    return tuple({intern(stem(term)) for term in terms(name)})


def everything_written(catalogue: Catalogue, place: int, row: int) -> str:
    """All that is written about a row, normalised: text, file name without its month, tags and people."""
    known: MutableMapping[int, str] = catalogue.by_place("shown")
    if row not in known:
        path = _MONTH.sub("", catalogue.files[place])
        known[row] = normalised(
            "\n".join([catalogue.texts[row], path, *catalogue.tags[place], *catalogue.people[place]])
        )
    return known[row]


def written_in(texts: Iterable[str], wanted: Sequence[str]) -> list[float]:
    """The share of the wanted parts, by length, that each normalised text contains exactly."""
    all_, patterns = sum(map(len, wanted)) or 1, [(_pattern(each).search, len(each)) for each in wanted]
    return [sum([size for search, size in patterns if search(text)]) / all_ for text in texts]


def as_written(catalogue: Catalogue, text: str) -> Places:
    """Memories that contain the query as written, for queries of stop words or punctuation, which no index covers."""
    wanted = plain_part(text)
    if not wanted:
        return np.zeros(0, dtype=np.int64)
    pattern = _pattern(wanted)
    rows = [row for row in np.flatnonzero(catalogue.alive).tolist() if pattern.search(normalised(catalogue.texts[row]))]
    return np.unique(catalogue.owner[rows]).astype(np.int64)


@lru_cache(maxsize=256)
def _pattern(text: str) -> re.Pattern[str]:
    if as_numbered := numbered_pattern(text):
        return re.compile(as_numbered)
    before = r"(?:(?<![a-z0-9])|(?<=(?<![a-z0-9])v)(?=\d))" if text[0].isascii() else ""  # 4.12 also matches v4.12
    after = r"(?![a-z0-9])" if text[-1].isascii() else ""
    return re.compile(before + r"\s+".join(map(re.escape, text.split())) + after)  # a line may end between two words


def _array(values: Iterable[float]) -> Signal:
    return np.fromiter(values, dtype=np.float32)
