"""One text, analysed for the judge."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property, lru_cache

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge import english, japanese
from vault_mem.judge.quantities import Quantity, quantities
from vault_mem.judge.words import Word, read_words

# Cached, because each new text is compared with several others, often with the same ones as the last.
_MOST_CACHED = 64
LIGHT = read_words("light_words.txt")
_NOT_POSSESSORS = frozenset(("it", "that", "there", "he", "she", "let", "what", "who", "here"))
_JAPANESE_NAME = re.compile(
    r"(?!(?:お|御)?[兄姉父母爺婆娘嫁奥客皆](?:さん|様|ちゃん|くん|君))([一-鿿ァ-ヺー]{1,4})(?:さん|くん|君|ちゃん|先生|氏|部長|課長|社長|様)"
)


_ABBREVIATION = re.compile(r"\b(?!(?:[ap]\.m|e\.g|i\.e)\b)((?:[A-Za-z]\.){1,3}[A-Za-z])\b\.?(?=\s|['’,]|$)")


def _plain(original: str) -> str:
    """The text in normal-width characters, and with abbreviations without dots: U.S. is US."""
    plain = unicodedata.normalize("NFKC", original)
    return _ABBREVIATION.sub(lambda match: match[1].replace(".", ""), plain) if "." in plain else plain


_IN_WORD = re.compile(r"\w")
_WORD = re.compile(r"(?<![\w-])[a-z]{3,}(?![\w-])")


def positions_of(word: str, text: str, in_word: re.Pattern[str]) -> list[int]:
    """Where a word occurs with no `in_word` character beside it; faster than compiling a pattern for every word."""
    found = []
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not (in_word.match(text, end) or (start and in_word.match(text, start - 1))):
            found.append(start)
        start = text.find(word, start + 1)
    return found


@lru_cache(maxsize=_MOST_CACHED)
def names_in(original: str) -> frozenset[str]:
    """Names of people, places and things, as far as spelling shows them."""
    plain = _plain(original)
    return english.proper_names(plain) | frozenset(_JAPANESE_NAME.findall(plain.lower()))


@lru_cache(maxsize=_MOST_CACHED)
def _prepared(original: str) -> tuple[str, str, list[Quantity], str]:
    """The part of the analysis that does not depend on the other text."""
    plain = _plain(original)
    lower = japanese.normal_text(english.normal_text(plain.lower()))
    return plain, lower, *quantities(lower)


def quantities_in(original: str) -> list[Quantity]:
    """The numbers, times, dates and identifiers of a text."""
    return _prepared(original)[2]


def respelled(before: str, after: str) -> tuple[str, str]:
    """Two texts, normalised; the second is written as the first where they mean the same: 15:00 as 3pm."""
    (_, one, left, _), (_, two, right, _) = _prepared(before), _prepared(after)
    for quantity in left:
        partner = next((other for other in right if quantity.agrees(other)), None)
        if partner and partner.text != quantity.text:
            two = two.replace(partner.text, quantity.text, 1)
    forms = {english.lemma(word): word for word in _WORD.findall(one)}
    return one, _WORD.sub(lambda match: forms.get(english.lemma(match[0]), match[0]), two)


class Text:
    """A text's content words, quantities, and whatever else can change a statement. `names` are those of both texts."""

    def __init__(self, original: str, tokens: TokenVectors, names: frozenset[str]) -> None:
        self.plain, self.lower, self.quantities, self.rest = _prepared(original)
        self.words: list[Word] = english.words(self.rest, names) + japanese.words(self.rest, tokens, names)
        self.names = names

    @cached_property
    def is_japanese(self) -> bool:
        """Whether any of it is Japanese."""
        return bool(japanese.JAPANESE.search(self.lower))

    @cached_property
    def _clauses(self) -> list[str]:
        label = r"(?<=todo):|(?<=^done):|[^.;:!?\n]*:"  # a label before a colon states nothing
        return re.split(rf"[.;!?\n]|{label}", self.rest)

    def before(self, word: str) -> list[str]:
        """For each clause with the word, the part before it."""
        clauses = [clause for clause in self._clauses if word in clause]
        return [clause[:position].rstrip() for clause in clauses for position in positions_of(word, clause, _IN_WORD)]

    @cached_property
    def negations(self) -> int:
        """How many negations it has."""
        return english.negations(self.rest) + japanese.negations(self.rest)

    @cached_property
    def modality(self) -> frozenset[str]:
        """How certain, binding or desired it is."""
        return english.modality(self.rest) | japanese.modality(self.rest)

    @cached_property
    def scope(self) -> frozenset[str]:
        """Which of all, some, most and only it uses."""
        return english.scope(self.rest) | japanese.scope(self.rest)

    @cached_property
    def passives(self) -> int:
        """How many passives it has."""
        return english.passives(self.lower) + japanese.passives(self.lower)

    @cached_property
    def directions(self) -> frozenset[str]:
        """Small words such as up and down."""
        return english.directions(self.rest) | japanese.directions(self.rest)

    @cached_property
    def possessors(self) -> frozenset[str]:
        """Whose something is."""
        return frozenset(re.findall(r"\b(\w+)['’]s\b", self.plain.lower())) - _NOT_POSSESSORS

    @cached_property
    def secrets(self) -> frozenset[str]:
        """Words of letters and digits: passwords and codes, in which case matters."""
        return frozenset(re.findall(r"(?<![\w/.-])(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9]{5,}(?![\w/-])", self.plain))

    @cached_property
    def denied(self) -> frozenset[str]:
        """The words that follow its negations."""
        spans = re.findall(r"\b(?:not|no|without|never)\b((?:\W+\w+){1,3})", self.rest)
        found = {word.lemma for span in spans for word in english.words(span, self.names)[:2]} - LIGHT
        return frozenset(found | {word.lemma for word in self.words if japanese.is_denied(word.text, self.rest)})

    @cached_property
    def persons(self) -> frozenset[str]:
        """The persons that it mentions by pronoun."""
        return english.persons(self.lower) | japanese.persons(self.lower)

    @cached_property
    def givings(self) -> frozenset[str]:
        """もらう, あげる, くれる. After て, もらう and くれる mean the same: 直してもらった, 直してくれた."""
        found = re.findall(r"([てで]?)(もら|あげ|くれ)(?=[いっえたるま])", self.rest)
        return frozenset("くれ" if helped and verb == "もら" else verb for helped, verb in found)

    @cached_property
    def asks(self) -> bool:
        """Whether it is a question."""
        return english.is_question(self.lower) or japanese.is_question(self.lower)


def texts(before: str, after: str, tokens: TokenVectors) -> tuple[Text, Text]:
    """Two texts, analysed together: a name in one is a name in the other."""
    names = names_in(before) | names_in(after)
    one, two = (_taken_apart(each, tokens, _names_of(each, names)) for each in (before, after))
    return one, two


def _names_of(original: str, names: frozenset[str]) -> frozenset[str]:
    """The names that occur in a text: with only these, its analysis can be reused for other comparisons."""
    lower = _prepared(original)[1]
    joined = lower.replace("-", "").replace("_", "")
    return frozenset(name for name in names if name in lower or name in joined)


_taken_apart = lru_cache(maxsize=_MOST_CACHED)(Text)
