"""A query, understood: its words and their weights, the people and times it names, what kind of answer it wants."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from vault_mem.embedding.embedder import Vectors
from vault_mem.embedding.languages import with_english
from vault_mem.embedding.tokens import TokenVectors
from vault_mem.index.corpus import Corpus
from vault_mem.index.lexicon import weight
from vault_mem.index.terms import STOP, normalised, terms, unspaced
from vault_mem.notes.sentences import sentences
from vault_mem.ranking import cues, reading, times
from vault_mem.ranking.late import MAX_QUERY_TOKENS, RARITY_POWER
from vault_mem.ranking.names import Directory, Named
from vault_mem.ranking.numbers import numbered, short_numbers, without_short

MAX_TERMS = 96
# A name or number with few words beside it is looked up, not asked about.
LOOKED_UP_WORDS = 2
KEYWORD_TERMS = 4

# In a question, finding a word exactly as written counts half: it is seldom what the question is about.
EXACT_IN_QUESTION_WEIGHT = 0.5
# A single Chinese character says about half as much as a word of two.
SINGLE_CHARACTER_WEIGHT = 0.5

# The weight of words of asking ("summarize the discussion about …"), which say little about what is wanted.
ASKING_WORD_WEIGHT = 0.3
# A memory this close to a named time, on the scale of `times.time_worth`, may be about it.
SOON_AFTER_WORTH = 0.5
# The 4 of "bed 4" found by itself; with its word it is found as written.
SHORT_NUMBER_WEIGHT = 0.6

# The model reads a query well if it knows this share of it as whole words, and not at all with the second share.
WELL_READ_SHARE, SPELLED_OUT_SHARE = 0.6, 0.2

FEW_LETTERS = 6
# A part number, telephone number or version has this many letters and digits.
SHORTEST_NUMBER = 4

_WORD = re.compile(r"[^\W_]+")
_KANA = re.compile(r"[ぁ-ゖァ-ヺー]")
_HIRAGANA = re.compile(r"[ぁ-ゖー]")
_QUOTED = re.compile(r"[\"“「『]([^\"”」』]{2,80})[\"”」』]")
_COMPOUND = re.compile(r"[a-z0-9]+(?:[-_./:@#+][a-z0-9]+)+|(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{2,}|\d{3,}")
_QUESTION = re.compile(
    r"\?|^\s*(?:what|when|where|which|who|whom|whose|why|how|did|does|do|is|are|was|were|has|have|can|could|would|will)\b|"
    r"^\s*(?:please\s+)?(?:summari[sz]e|describe|explain|tell)\b|"
    r"(?:いつ|どこ|だれ|誰|なに|何|なぜ|どう|どの|どれ|どんな|ですか|ますか|でしたか|ましたか)"
)
_ALL_NUMBERED = re.compile(r"[!-~]*\d[!-~]*(?: [!-~]*\d[!-~]*)*")
_VERSION = re.compile(r"^v(?=\d)")
_NO_SIGN = re.compile(r"[^a-z0-9]")
_AROUND = re.compile(r"^[\s!-/:-@\[-`{-~。、「」『』…]+|[\s!-/:-@\[-`{-~。、「」『』…]+$")
_IDEOGRAPH = re.compile(r"[㐀-䶿一-鿿豈-﫿]")
_ASKING_CHARACTERS = {"何", "誰"}
_TITLE = re.compile(r"([一-鿿々ァ-ヺー]+|[ぁ-ゖ]{2,}?)(?:さん|さま|様|ちゃん|くん|君|氏|先生)")
_SPELLED = re.compile(r"[ァ-ヺー]{3,}|[㐀-䶿一-鿿々]{2,}|[가-힣]{2,}")


@dataclass(frozen=True)
class Query:
    """What ranking needs to know of a query."""

    text: str
    vector: Vectors
    terms: list[tuple[str, float]]  # each with its weight
    tokens: list[int]
    token_weights: NDArray[np.float32]
    exact: list[str]
    exact_weight: float  # how much it matters to find those as written
    named: Named
    spans: list[times.Span]
    now: float
    about_now: bool
    wants_time: bool
    wants_number: bool
    number: str  # the part number or the like that the query consists of, `squeezed`; else empty
    asked_for: list[str]  # what an answer must name, such as a colour: word classes as in `reading`
    feelings: frozenset[str]
    wants_important: bool
    wants_overview: bool
    looked_up: bool
    keywords: bool
    fluency: float  # how well the model can read it, 0 to 1


def understand(text: str, vector: Vectors, corpus: Corpus, vectors: TokenVectors, now: datetime) -> Query:
    """Work out what a query asks of this vault."""
    named = Directory(corpus).named(text)
    said = times.times(text, now, _years(corpus, now), named.words)
    # If memories were made on or soon after a named date, it counts as a time; as words it would count twice.
    rest = text
    if any(_soon_after(corpus, span) for span in said.spans):
        rest = "" if cues.asks_what_happened(said.rest) else said.rest  # then the time is all that is asked about
    rest = _without_titles(rest, named)
    rest = _as_the_vault_may_say(rest, corpus, vectors)
    weights = term_weights(rest, named, corpus, letters=True)
    tokens, token_weights = _tokens(rest, named, corpus, vectors)
    exact = exact_parts(rest) or ([plain_part(text)] if not weights and plain_part(text) else [])
    keywords = _is_keywords(text, weights)
    return Query(
        text=text,
        vector=vector,
        terms=weights,
        tokens=tokens,
        token_weights=token_weights,
        exact=exact,
        exact_weight=1.0 if keywords or _looks_up(text) or numbered(normalised(rest)) else EXACT_IN_QUESTION_WEIGHT,
        named=named,
        spans=said.spans,
        now=now.timestamp(),
        about_now=not said.dated and _is_one_sentence(text) and times.about_now(text),
        wants_time=reading.wants_time(text),
        wants_number=reading.wants_number(text),
        number="" if said.spans else _number(text),
        asked_for=reading.asked_for(text),
        feelings=cues.feelings(text),
        wants_important=cues.wants_important(text),
        wants_overview=cues.wants_overview(text),
        keywords=keywords,
        fluency=fluency(rest, vectors),
        looked_up=bool(_looks_up(text) or named.anybody)
        and len([term for term, _ in weights if term not in named.words]) <= LOOKED_UP_WORDS + 2 * len(exact),
    )


def term_weights(text: str, named: Named, corpus: Corpus, *, letters: bool = False) -> list[tuple[str, float]]:
    """The words of a query worth searching for, each with its weight, heaviest first.

    With `letters`, single Chinese characters of a Japanese query count too: 勝った and 勝利 share one, but no pair.
    """
    wanted = [term for term in dict.fromkeys(terms(text)) if term not in STOP]
    # People are a signal of their own; as a word, a speaker's name is in half of the memories of a talk.
    wanted = [term for term in wanted if term not in named.words] or wanted
    if letters and _HIRAGANA.search(text):
        said = set("".join(named.words)) | _ASKING_CHARACTERS
        found = [letter for term in wanted for letter in _IDEOGRAPH.findall(term) if letter not in said]
        wanted = list(dict.fromkeys([*wanted, *found]))
    short = short_numbers(text)
    factors = {
        term: term_share(term)
        * (ASKING_WORD_WEIGHT if cues.is_asking(term) else SHORT_NUMBER_WEIGHT if term in short else 1.0)
        for term in wanted
    }
    most, rows = max(factors.values(), default=1.0), corpus.rows
    weighed = [(term, factor / most * weight(corpus.having(term), rows)) for term, factor in factors.items()]
    return sorted(weighed, key=lambda each: (-each[1], each[0]))[:MAX_TERMS]


def _without_titles(text: str, named: Named) -> str:
    """The query without polite titles after names: 田中さん becomes 田中."""
    return _TITLE.sub(lambda match: match[1] if normalised(match[1]) in named.words else match[0], text)


def _as_the_vault_may_say(text: str, corpus: Corpus, vectors: TokenVectors) -> str:
    """The query in English, if the model does not know its language and the vault has hardly any of its words."""
    foreign = vectors.translations(text)
    strange = [word for word in foreign if not any(map(corpus.having, terms(text[word.start : word.end])))]
    return with_english(text, strange) if 2 * len(strange) > len(foreign) else text


def fluency(text: str, vectors: TokenVectors) -> float:
    """How well the model can read a text, 0 to 1: how much of it are whole words that it need not spell out.

    Chinese does not count as known: it shares its characters with Japanese, but not its words.
    """
    letters = known = 0
    chinese = _only_ideographs(text)
    in_english = {word.start for word in vectors.translations(text)}
    for token in vectors.tokens(text)[: 4 * MAX_QUERY_TOKENS]:
        said = text[token.start : token.end].strip()
        if not said or not said.isalpha():
            continue
        if len(said) == 1 and _HIRAGANA.match(said):
            continue  # a particle at most
        letters += len(said)
        if token.start in in_english:
            known += len(said)
        elif unspaced(said):
            known += len(said) if not chinese and len(said) > 1 else 0
        else:
            before, after = text[token.start - 1 : token.start], text[token.end : token.end + 1]
            known += len(said) if not before.isalnum() and not after.isalnum() else 0
    if not letters:
        return 0.0
    return min(max((known / letters - SPELLED_OUT_SHARE) / (WELL_READ_SHARE - SPELLED_OUT_SHARE), 0.0), 1.0)


def _only_ideographs(text: str) -> bool:
    """Whether a text is in Chinese characters alone, and more than a word or two."""
    return len(_IDEOGRAPH.findall(text)) > FEW_LETTERS and not _KANA.search(text)


def _is_one_sentence(text: str) -> bool:
    """Whether a query is a single sentence. In a whole conversation used as a query, "now" is when it took place."""
    return len(sentences(text.strip())) <= 1


def _looks_up(text: str) -> bool:
    """Whether a query has a part number, a path or a quotation in it."""
    return bool(_COMPOUND.search(normalised(text)) or _QUOTED.search(text))


def _is_keywords(text: str, weighed: list[tuple[str, float]]) -> bool:
    """Whether a query is a few words rather than a question or a sentence."""
    few = sum(substance(term) == 1 for term, _ in weighed) <= KEYWORD_TERMS
    return few and not _QUESTION.search(normalised(text))


def substance(term: str) -> float:
    """How much a term says, up to 1: a pair of Japanese characters that is grammar, or half grammar, says little."""
    grammar = sum(bool(_HIRAGANA.match(letter)) for letter in term)
    return 1.0 if not grammar else 0.4 if grammar < len(term) else 0.15


def term_share(term: str) -> float:
    """How much a term counts, compared with a whole word that is as rare."""
    return SINGLE_CHARACTER_WEIGHT if len(term) == 1 and _IDEOGRAPH.match(term) else substance(term)


def _tokens(text: str, named: Named, corpus: Corpus, vectors: TokenVectors) -> tuple[list[int], NDArray[np.float32]]:
    found: dict[int, float] = {}
    rows, short = corpus.rows, short_numbers(text)
    # A name that the model does not know is split into pieces, so names are also recognised by their position.
    names = [word.span() for word in _WORD.finditer(text) if normalised(word.group()) in named.words]
    for token in vectors.tokens(text)[: 4 * MAX_QUERY_TOKENS]:
        said = terms(text[token.start : token.end])
        if not said or all(term in STOP for term in said):
            continue
        rarity = max(weight(corpus.having(term), rows) * substance(term) for term in said)
        asking = ASKING_WORD_WEIGHT if all(map(cues.is_asking, said)) else 1.0
        asking *= SHORT_NUMBER_WEIGHT if short.issuperset(said) else 1.0
        a_name = all(term in named.words for term in said) or any(
            start <= token.start and token.end <= end for start, end in names
        )
        found[token.id] = 0.0 if a_name else asking * rarity**RARITY_POWER
    if not any(found.values()):
        found = dict.fromkeys(found, 1.0)
    best = sorted(found.items(), key=lambda each: (-each[1], each[0]))[:MAX_QUERY_TOKENS]
    return [token for token, _ in best], np.array([each for _, each in best], dtype=np.float32)


def plain_part(text: str) -> str:
    """The query without punctuation around it."""
    return _AROUND.sub("", normalised(text))


def squeezed(text: str) -> str:
    """Only the letters and digits of a text, so that numbers compare however they are punctuated."""
    return _NO_SIGN.sub("", normalised(text))


def _number(text: str) -> str:
    """The part number, telephone number or version that a query consists of, if it is nothing else."""
    number = _VERSION.sub("", squeezed(text)) if _ALL_NUMBERED.fullmatch(" ".join(text.split())) else ""
    return number if len(number) >= SHORTEST_NUMBER else ""


def exact_parts(text: str) -> list[str]:
    """What should be found exactly as written: part numbers, versions, paths, quotations, Japanese and Korean words."""
    plain = normalised(text)
    rest = without_short(plain)
    # In Chinese, without kana between the words, a run of characters is a clause, not a word.
    spelled = [] if _only_ideographs(plain) else _SPELLED.findall(rest)
    found = [*_QUOTED.findall(plain), *numbered(plain), *_COMPOUND.findall(rest), *spelled]
    return sorted({_VERSION.sub("", each.strip()) for each in found if each.strip()})[:MAX_TERMS]


def _soon_after(corpus: Corpus, span: times.Span) -> bool:
    """Whether a memory was made at a named time or soon after."""
    fading = math.log2(times.MOST_WORTH_OUTSIDE / SOON_AFTER_WORTH)
    return corpus.made_within(span[0] - fading * times.FADES_BEFORE, span[1] + fading * times.FADES_AFTER)


def _years(corpus: Corpus, now: datetime) -> list[int]:
    """The years that a date without a year can mean."""
    found = [datetime.fromtimestamp(moment, now.tzinfo).year for moment in corpus.period() or ()]
    return list(range(found[0], found[-1] + 1))[-20:] if found else []
