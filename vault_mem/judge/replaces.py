"""Whether a new text may replace an older state in other words (SPEC D-10).

It may if it has words of change (moved, no longer, 替えた), is about the same subject, and answers the same question:
where one lives, which day, who does it. The word lists are in `data/`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise

import numpy as np

from vault_mem.embedding.embedder import Vectors
from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge.english import WORD, directions, lemma, tells_past
from vault_mem.judge.english import is_question as is_english_question
from vault_mem.judge.japanese import JAPANESE, KANA
from vault_mem.judge.japanese import is_question as is_japanese_question
from vault_mem.judge.labels import VERBS, is_entry, is_line, labelled
from vault_mem.judge.text import Text, names_in
from vault_mem.judge.words import (
    CAPITAL_LETTERS,
    KIN,
    SMALL_LETTERS,
    Word,
    known,
    opposed,
    opposite,
    read_phrases,
    read_rows,
)
from vault_mem.notes.sentences import sentences

PLAIN_CHANGE, UNCLEAR_CHANGE, ALMOST_PLAIN_CHANGE = 1.0, 0.5, 0.75
# From this value on, the user is told: a plain word of change needs a likely subject and question, an unclear one needs
# certain ones.
WORTH_TELLING = 0.3
# From this cosine on, two words mean the same.
SAME_MEANING_COSINE = 0.6
# Below this cosine to every word of the old text, the new subject is another one.
RELATED_SUBJECT_COSINE = 0.4
# How much each sign says if it is the only one: that the subject is the same, and that the question is.
SUBJECT_IN_ROLE, SUBJECT_GROUP, SUBJECT_ASKED, SUBJECT_SAME_KIND, SUBJECT_OWNER = 0.8, 0.55, 0.45, 0.6, 0.8
QUESTION_SHARED, QUESTION_QUANTITY, QUESTION_KINDRED_WORD, QUESTION_OTHER_NAME = 0.6, 0.7, 0.7, 0.4
QUESTION_SAME_THING, QUESTION_CHANGED_TO, QUESTION_VALUE_AGAIN, QUESTION_CONTRARY = 0.5, 0.6, 0.5, 0.6
# A wider text tells a story, in which words of change may refer to many things.
MAX_COLUMNS = 140
# A still wider one is a page or a chapter, whose first sentence introduces what it is about and states nothing.
MAX_PAGE_COLUMNS = 600
# With this share of common words, two texts say the same.
SAID_AGAIN_SHARE = 0.8
_MOST_CACHED = 5_000
# The subject is among this many words at the beginning.
SUBJECT_WORDS = 7
_GROUPS = frozenset(("group", "team", "class", "club", "family", "everyone", "everybody", "みんな", "うち", "我が家"))
_KANJI = re.compile("[一-鿿々]{1,3}")
_KANA_OF_ANY_KIND = re.compile("[ぁ-ゖァ-ヺ]")
# Words that say nothing about the subject: titles, pronouns, time.
_EMPTY = frozenset("dr mr mrs ms prof one old new after before 新しい 今 彼 彼女".split())
_CAPITALISED = rf"[{CAPITAL_LETTERS}][{SMALL_LETTERS}]+"
_DOING = re.compile(
    rf"(?:^|[.;] )({_CAPITALISED}) (?:wants|likes|loves|prefers|hates|plays|drinks|eats|drives|studies|speaks|"
    rf"teaches|wears|owns|lives|smokes|learns|thinks|says)\b|\b({_CAPITALISED}) and ({_CAPITALISED})\b"
)
_NEW = re.compile(r"\bnew (?:\w+ (?=\w+ (?:is|are|was)\b))?([a-z]+)")
_OWNS = re.compile(r"\b(\w+)['’]s (\w+)")
_OWNS_WHAT = re.compile(r"\b(\w+)['’]s (\w+(?: \w+)?)")
_OURS = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|ours|everyone|everybody|the (?:group|team|class|club|family))\b"
    r"|私|僕|俺|うち|我が家|みんな"
)
_SPEAKER = re.compile(r"\b(?:i|we)\b")
_ENDED = (
    re.compile(
        r"\b(?:dropped|sold|gave up|given up|gave away|got rid of|stopped|quit|left|lost|replaced|replaces|instead of|"
        r"rather than|no longer|anymore|from|retired|cancelled|canceled|swapped|traded|traded in|switched|moved on|"
        r"over|used to|not|without|fixed|repaired|solved|cured|got over|shaved|wiped)\b((?:\W+\w+){1,4})"
    ),
    re.compile(
        r"((?:\w+\W+){1,3})(?:retired|resigned|left|quit|died|closed|broke|ended|stopped|stepped down|is gone|"
        r"was (?:replaced|dropped|sold|cancelled|closed)|no longer)\b"
    ),
)
# Before the new value.
_CHANGED_TO = re.compile(
    r"\b(?:changed|renamed|moved|switched|migrated|upgraded|raised|lowered|cut|extended|shortened|rescheduled|postponed|"
    r"converted|ported|handed|passed)\b.*\b(?:to|until|into)\b|に(?:切り替|乗り換|変え|変わ|変更|替|換え|代わ|移|改め|統一|交代)"
)
_TOPIC = re.compile(r"([^、。はが]{2,20})[はが]")
_USER = frozenset(("user", "ユーザー", "ユーザ"))
_WIDE = re.compile(r"[ぁ-ゖァ-ヺー一-鿿々〆]")
# In ギターの弦を替えた the strings are replaced, not the guitar.
_ENDED_JA = (
    re.compile(
        r"(?:[^、。]*の)?([^、。はを]{1,12}?)(?:を|は|が)(?:[^、。を]{0,4})"
        r"(?:やめ|辞め|止め|売|手放|中止|廃止|解約|終|替え|換え|変え|なく|退|直[っし]|治|剃|返[しっ])"
    ),
    re.compile(r"([^、。]{1,8})(?:から|より)"),
    re.compile(r"([^、。]{1,8})(?:ではなく|の代わり|に代わ)"),
)
_PAST = re.compile(r"\b(?:was|were|did|had|yesterday|last (?:night|week|month|year))\b")
_ADVERB = re.compile(r"\w+ly|now|also|well|still|always|never|often|already|only|once|just|soon|ever")
_PAST_JA = re.compile(r"(?:(?<!な)た|(?<!さ)んだ)(?:。|$|ので|が、)")
# Such a change is older than most memories.
_LONG_AGO = re.compile(
    r"\byears ago\b|\bwhen (?:I|he|she|they|we) (?:was|were)\b|\bas a (?:child|kid|boy|girl)\b|年前に"
)
_TALK = re.compile(
    r"^(?:but|and|then|so|or)\b|[?？!！]|\b(?:hey|hi|thanks|thank you|wow|yeah|nah|oh|oops|haha|lol|gonna|wanna|gotta|"
    r"you(?! can| need| must| have to| get| pay)|your)\b"
)


@dataclass(frozen=True, eq=False)
class Statement:
    """A text analysed for comparison: the words of its subject, the other words, and its properties."""

    subject: tuple[Word, ...]
    rest: tuple[Word, ...]
    questions: frozenset[str]
    quantities: tuple[tuple[str, object], ...]
    kin: frozenset[str]
    group: bool
    change: float
    negations: int
    lower: str
    japanese: bool

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """All content words."""
        return self.subject + self.rest

    @cached_property
    def forms(self) -> set[str]:
        """The words as written and in their dictionary forms."""
        return _forms(self.words)

    @cached_property
    def subject_forms(self) -> set[str]:
        """The same for the subject."""
        return _forms(self.subject)

    @cached_property
    def somebody(self) -> set[str]:
        """The names and relatives in the subject."""
        return _forms(tuple(word for word in self.subject if _is_somebody(word)))

    @cached_property
    def names(self) -> set[str]:
        """The names in it."""
        return {word.lemma for word in self.words if word.name}

    @cached_property
    def directions(self) -> frozenset[str]:
        """Small words such as up and down."""
        return directions(self.lower)

    @cached_property
    def ended(self) -> list[str]:
        """What it says has ended: sold the Golf, コーヒーをやめて."""
        patterns = _ENDED_JA if self.japanese else _ENDED
        return [found for pattern in patterns for found in pattern.findall(self.lower)]


@dataclass(frozen=True, eq=False)
class _Pair:
    """A state and the text that may replace it."""

    old: Statement
    new: Statement

    @cached_property
    def about(self) -> tuple[Word, ...]:
        """The words of the new text, without relatives that the old one does not mention."""
        others = self.new.kin - self.old.kin
        return tuple(word for word in self.new.words if word.lemma not in others) if others else self.new.words

    @cached_property
    def forms(self) -> set[str]:
        """These words as written and in their dictionary forms."""
        return self.new.forms if self.about is self.new.words else _forms(self.about)

    @cached_property
    def ends(self) -> bool:
        """Whether the new text says that what the old one states has ended: sold the Golf, コーヒーをやめて."""
        if self.new.change < PLAIN_CHANGE:
            return False
        old, new = self.old, self.new
        words = [word for word in old.words if word.text in self.forms and _is_among(word.text, new.ended)]
        return bool(words) and (bool(old.questions & new.questions) or any(word in old.rest for word in words))


@lru_cache(maxsize=_MOST_CACHED)
def speaks_of_change(text: str) -> float:
    """How plainly a text says that something changed, from 0 to 1."""
    never, plain, perhaps = _changes()
    lower = never.sub(" ", text.casefold())
    if plain.search(lower):
        return PLAIN_CHANGE
    return min(len(set(perhaps.findall(lower))) * UNCLEAR_CHANGE, ALMOST_PLAIN_CHANGE)


def _possessing(text: str) -> frozenset[str]:
    """Names recognised by what they own or by what only people do: Bea's office, Rosa wants."""
    own = {name.lower() for name in re.findall(rf"\b({_CAPITALISED})['’]s\b", text)}
    doing = {name.lower() for names in _DOING.findall(text) for name in names if name}
    return frozenset(doing | {name for name in own if not known(lemma(name))})


@lru_cache(maxsize=_MOST_CACHED)
def statement(text: str, tokens: TokenVectors) -> Statement:
    """A text, analysed."""
    parts = Text(text, tokens, names_in(text) | _possessing(text))
    words = tuple(
        word for word in parts.words if word.text not in _EMPTY and (len(word.text) > 1 or not word.text.isascii())
    )
    subject = _subject(parts, words)
    return Statement(
        subject,
        tuple(word for word in words if word not in subject),
        _asked(parts),
        tuple((f"{each.kind} {each.unit}".rstrip(), each.value) for each in parts.quantities if each.text != "one"),
        _relatives(parts, words),
        bool(_OURS.search(" ".join(parts.lower.split()[:SUBJECT_WORDS]))),
        speaks_of_change(text),
        parts.negations,
        parts.plain.casefold(),
        parts.is_japanese,
    )


def may_replace(old: str, new: str, tokens: TokenVectors, least: float = WORTH_TELLING) -> float:
    """How likely `new` replaces what `old` states, from 0 to 1; from WORTH_TELLING on, the user is told.

    0 as soon as it is clear that `least` cannot be reached.
    """
    if not may_be_replaced(old) or not changes_something(new):
        return 0.0
    if _under_other_labels(old, new):
        return 0.0
    lines = is_line(old) and is_line(new)
    old, new = stated(old), stated(new)
    changed_before = not reads_as_state(old)
    if old == new or (changed_before and speaks_of_change(old) < PLAIN_CHANGE):
        return 0.0
    one, two = statement(old, tokens), statement(new, tokens)
    if one.japanese != two.japanese:
        return 0.0
    if changed_before and not _moved_again(one, two):
        return 0.0  # for other changes, nothing is known
    pair = _Pair(one, two)
    if not pair.ends and _says_again(one, two):
        return 0.0
    change = _change(one, two)
    if change < PLAIN_CHANGE and (lines or (_of_oneself(one) and _of_oneself(two))):
        return 0.0  # a talk, and who speaks of themselves, tells much that is new and changes nothing
    if change < least or (likely := change * _same_subject(pair, tokens)) < least:
        return 0.0  # no answer to the question can raise it again
    return likely * _same_question(pair, tokens)


def _of_oneself(of: Statement) -> bool:
    """Whether who speaks is in an English text: I, we."""
    return bool(_SPEAKER.search(of.lower))


def _under_other_labels(old: str, new: str) -> bool:
    """Whether both texts have a label, but not the same: two speakers, tickets, meetings."""
    one, other = labelled(old)[0], labelled(new)[0]
    return bool(one and other) and one != other


def may_be_replaced(text: str) -> bool:
    """A quick test whether a text is a state, or a change that led to one."""
    return reads_as_state(text) or changes_something(text)


def _moved_again(old: Statement, new: Statement) -> bool:
    """Whether both say that the same thing changed to another day, hour or amount, as "moved to Thursday" does."""
    return bool(old.subject_forms & new.subject_forms) and _other_quantity(old, new, ("relative", "number", "date"))


def _change(old: Statement, new: Statement) -> float:
    """How plainly the new text says that something in the old one changed: a new wing is not a new hospital."""

    def is_news(match: re.Match[str]) -> str:
        noun = lemma(match[1])
        known_before = noun in old.forms or _questions_of_text(noun) & old.questions
        return match[0] if known_before else match[1]

    return speaks_of_change(_NEW.sub(is_news, new.lower)) if "new " in new.lower else new.change


@lru_cache(maxsize=_MOST_CACHED)
def stated(text: str) -> str:
    """What a text states after its label: all of a short text, else its first sentence, or nothing if that is long too.

    Also nothing for Chinese, which the word lists would treat as Japanese.
    """
    if JAPANESE.search(text) and not _KANA_OF_ANY_KIND.search(text):
        return ""
    if len(text) > MAX_PAGE_COLUMNS or _width(text) > MAX_PAGE_COLUMNS:
        return ""
    text = labelled(text)[1]
    if len(text) <= MAX_COLUMNS and _width(text) <= MAX_COLUMNS:
        return text
    first = sentences(text.strip())[0].strip()
    return first if len(first) <= MAX_COLUMNS and _width(first) <= MAX_COLUMNS else ""


def _width(text: str) -> int:
    return len(text) + len(_WIDE.findall(text))


def _says_again(old: Statement, new: Statement) -> bool:
    """Whether nothing changed: nearly all words in common, with the same quantities and negations."""
    if old.negations != new.negations or _other_quantity(old, new):
        return False
    left, right = ({word.lemma for word in each.words} for each in (old, new))
    return len(left & right) >= SAID_AGAIN_SHARE * max(len(left), len(right), 1)


@lru_cache(maxsize=_MOST_CACHED)
def changes_something(text: str) -> bool:
    """A quick test whether a text states a change."""
    text = stated(text)
    return bool(text) and speaks_of_change(text) > 0 and not is_talk(text) and not _LONG_AGO.search(text)


@lru_cache(maxsize=_MOST_CACHED)
def reads_as_state(text: str) -> bool:
    """A quick test whether a text is a state, and not an event or something said to somebody."""
    if is_entry(text):
        return False
    text = stated(text)
    lower = text.casefold()
    happened = _PAST_JA.search(lower) if JAPANESE.search(lower) else _happened(lower)
    return bool(text) and not happened and not is_talk(text)


def _happened(lower: str) -> bool:
    """Whether an English text tells an event: it has a past tense, not just a participle."""
    words = [word for word in re.findall(r"\w+", lower) if not _ADVERB.fullmatch(word)]
    return bool(_PAST.search(lower)) or any(tells_past(before, word) for before, word in pairwise(("", *words)))


def _same_subject(pair: _Pair, tokens: TokenVectors) -> float:
    """Whether the new text is about what the old one is about."""
    old, new, about, forms = pair.old, pair.new, pair.about, pair.forms
    own, others = old.somebody, new.somebody
    elsewhere = bool(own) and not own & forms and (bool(others) or new.group)
    if old.subject_forms & forms and not elsewhere:
        if _about_something_owned(old, new):
            return 0.0
        if _another_of_its_kind(old, new, forms):
            return SUBJECT_SAME_KIND
        return SUBJECT_OWNER if _only_owns(old, new) else 1.0
    if pair.ends and not (own and others):
        return 1.0
    if not own and not others and (_is_user(old, new) or _is_user(new, old)):
        return SUBJECT_IN_ROLE
    shared = [word for word in old.rest if _is_in(word, forms) and word.text not in VERBS]
    # In "Karin is the treasurer of the club" and "we host the website", the club and the website count as subjects.
    duty = "duty" in old.questions
    if (len(shared) > 1 and (duty or not (own and others))) or (
        shared and (duty or (old.group and not own and not others))
    ):
        return SUBJECT_IN_ROLE
    if own:
        return 0.0  # another person does not match
    if others and not any("duty" in _questions_of(word) for word in old.subject):
        return 0.0
    if not others and not _speaks_for(old, new, tokens):
        return 0.0
    asked = {question for word in old.subject for question in _questions_of(word)} & new.questions - {"duty"}
    if _other_quantity(old, new):  # when it asks for a day, the activity is the subject
        if _nearest(old.rest, about, tokens) > SAME_MEANING_COSINE:
            return SUBJECT_IN_ROLE
        asked |= old.questions & new.questions
    each_nearest = sum(_nearest((word,), about, tokens) for word in old.subject) / max(len(old.subject), 1)
    return max(
        _clipped(each_nearest, 0.3, 0.7),
        SUBJECT_GROUP if old.group and new.group and all(word.text in _GROUPS for word in old.subject) else 0.0,
        SUBJECT_ASKED if asked else 0.0,
    )


def _another_of_its_kind(old: Statement, new: Statement, forms: set[str]) -> bool:
    """Whether both name a thing of one kind, each with its own words: the rehearsal room, the meeting room."""
    left, right = old.subject_forms, new.subject_forms
    ours = [word for word in old.subject if not _is_in(word, forms)]
    whole = old.forms
    theirs = [word for word in new.subject if not _is_in(word, whole)]
    return bool(ours and theirs and left & right) and not old.somebody & forms


def _only_owns(old: Statement, new: Statement) -> bool:
    """Whether the new text is about something that belongs to the old text's subject: Gustav's hospital."""
    owners = {owner for owner, thing in _OWNS.findall(new.lower) if thing in _forms(old.rest)}
    return bool(owners & old.somebody)


def _about_something_owned(old: Statement, new: Statement) -> bool:
    """Whether the new text names the old subject only as the owner of a thing that is not in question there.

    "Leo's piano lesson moved to Tuesday" changes nothing of "Leo is in second grade".
    """
    things = {owner: what.split() for owner, what in _OWNS_WHAT.findall(new.lower)}
    for somebody in old.subject_forms & {*things}:
        forms = {form for word in things[somebody] for form in (word, lemma(word))}
        asked = {question for form in forms for question in _questions_of_text(form)}
        named = len(re.findall(rf"\b{re.escape(somebody)}\b", new.lower))
        if named == 1 and not forms & old.forms and not asked & old.questions:
            return bool(asked)
    return False


def _is_user(one: Statement, other: Statement) -> bool:
    """Whether one text is about the user, and the other is too because it says "me" or names nobody."""
    named = bool(one.subject) and all(word.lemma in _USER for word in one.subject)
    return named and (other.group or (other.japanese and not other.subject))


def _speaks_for(old: Statement, new: Statement, tokens: TokenVectors) -> bool:
    """Whether the new text's own subject, if it has one, is close to something in the old text."""
    if new.group or not new.subject or any(_questions_of(word) & old.questions for word in new.subject):
        return True
    return _nearest(new.subject, old.words, tokens) > RELATED_SUBJECT_COSINE


def _same_question(pair: _Pair, tokens: TokenVectors) -> float:
    """How likely the new text answers the same question as the old one; the signs add up."""
    old, new = pair.old, pair.new
    others = tuple(word for word in pair.about if not _is_in(word, old.forms))
    subject = old.subject_forms & pair.forms
    shared = _asked_beside(old, subject) & _asked_beside(new, subject)
    names = _forms(tuple(word for word in old.rest if word.name)) if new.change == PLAIN_CHANGE else set()
    signs = (
        1.0 if pair.ends else 0.0,
        QUESTION_SHARED if shared else 0.0,
        QUESTION_SHARED if len(shared) > 1 else 0.0,
        QUESTION_QUANTITY if _other_quantity(old, new) else 0.0,
        QUESTION_KINDRED_WORD * _clipped(_nearest(old.rest, others, tokens), 0.3, 0.6),
        QUESTION_OTHER_NAME if old.names and new.names - old.names else 0.0,
        QUESTION_VALUE_AGAIN if names & pair.forms else 0.0,
        QUESTION_SAME_THING if _same_thing(pair) else 0.0,
        QUESTION_CHANGED_TO if subject and not old.somebody and _CHANGED_TO.search(new.lower) else 0.0,
        QUESTION_CONTRARY if subject and _contrary(old, new) else 0.0,
    )
    return 1 - math.prod(1 - sign for sign in signs)


def _contrary(old: Statement, new: Statement) -> bool:
    """Whether the new text has the opposite of a word in the old one: private and public, off and on."""
    small = old.directions, new.directions
    return any(opposed(one, other) for one in old.rest for other in new.rest) or any(
        opposite(one, other) for one in small[0] - small[1] for other in small[1] - small[0]
    )


def _asked_beside(of: Statement, subject: set[str]) -> frozenset[str]:
    """The questions that a text answers with words other than the common subject."""
    common = {question for word in of.words if _is_in(word, subject) for question in _questions_of(word)}
    others = {question for word in of.words if not _is_in(word, subject) for question in _questions_of(word)}
    return of.questions - (common - others)


def _is_somebody(word: Word) -> bool:
    """Whether a word is the name of a person or a relative; not names that answer a question, such as Python."""
    if word.text in KIN:
        return True
    unknown = bool(_KANJI.fullmatch(word.text)) and not known(word.text)  # 隼人, 智子
    return (word.name or unknown) and not _questions_of(word)


def _same_thing(pair: _Pair) -> bool:
    """Whether both are about the same thing. Things have few states, unlike persons."""
    subject = pair.old.subject
    return not all(map(_is_somebody, subject)) and all(_is_in(word, pair.forms) for word in subject)


def _other_quantity(old: Statement, new: Statement, but: Collection[str] = ("relative",)) -> bool:
    """Whether a day, time or number differs between the texts, `but` for some kinds."""
    kinds = {kind for kind, _ in old.quantities}.intersection(kind for kind, _ in new.quantities).difference(but)
    return any(_values(old, kind).isdisjoint(_values(new, kind)) for kind in kinds)


def _is_among(word: str, ended: list[str]) -> bool:
    """Whether a word is in what has ended. A single Japanese character must be a word of its own."""
    if word in VERBS:
        return False
    if len(word) > 1:
        return any(word in each for each in ended)
    return any(re.search(rf"(?<![一-鿿]){word}$", each) for each in ended)


def _clipped(value: float, low: float, high: float) -> float:
    return min(max((value - low) / (high - low), 0.0), 1.0)


def _nearest(left: tuple[Word, ...], right: tuple[Word, ...], tokens: TokenVectors) -> float:
    """The cosine of the two words that are nearest to each other."""
    if not left or not right:
        return 0.0
    one, two = (np.array([direction(word.text, tokens) for word in words]) for words in (left, right))
    return max(float((one @ two.T).max()), 0.0)


@lru_cache(maxsize=20_000)
def direction(word: str, tokens: TokenVectors) -> Vectors:
    """The vector of a word, cached."""
    return tokens.word(word)[0]


def _values(of: Statement, kind: str) -> set[object]:
    return {value for each, value in of.quantities if each == kind}


def _forms(words: tuple[Word, ...]) -> set[str]:
    return {form for word in words for form in (word.text, word.lemma)}


def _is_in(word: Word, forms: set[str]) -> bool:
    return word.text in forms or word.lemma in forms


def _subject(parts: Text, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The subject of a state: the words before its verb, or before は."""
    if parts.is_japanese:
        marked = [word for role in ("は", "が") for word in words if word.role == role]
        if not marked:  # as in 客間は, whose last character is not a word of its own
            topic = _TOPIC.match(parts.rest)
            return tuple(word for word in words if topic and word.text in topic[1].replace("-", ""))
        last = next(word for word in marked if word.role == marked[0].role and not word.compound)
        before = parts.rest[: parts.rest.find(last.text) + len(last.text)]
        return tuple(word for word in words if word.text in before.rpartition("、")[2])
    all_words = WORD.findall(parts.rest)
    if all_words and all_words[0] in ("i", "we"):
        return ()  # who speaks; a word after it is no subject
    for number, (before, word) in enumerate(pairwise(all_words), 1):
        if word in VERBS or tells_past(before, word):
            return tuple(each for each in words if each.number < number)
    return words[:1]


def _relatives(parts: Text, words: tuple[Word, ...]) -> frozenset[str]:
    """People who are only named to say whose brother or colleague somebody is."""
    if parts.is_japanese:
        owners = {one.lemma for one, other in pairwise(words) if one.role == "の" and other.text in KIN}
        return frozenset(owners | {word.lemma for word in words if word.text in ("隣", "隣人")})
    found = re.findall(r"\b(\w+)['’]s? (\w+)(?: (\w+))?", parts.plain.casefold())
    return frozenset(
        owner for owner, *whom in found if any(each in KIN or each.removesuffix("s") in KIN for each in whom)
    )


def is_talk(text: str) -> bool:
    """Whether a text is said to somebody: conversation is an event, whatever it is about."""
    lower = text.casefold()
    return is_english_question(lower) or is_japanese_question(lower) or bool(_TALK.search(lower))


@cache
def _changes() -> tuple[re.Pattern[str], ...]:
    return _phrases("never"), _phrases("plain"), _phrases("perhaps")


def _phrases(level: str) -> re.Pattern[str]:
    """The phrases of a level, as one pattern."""
    phrases = [each for found, line in read_phrases("changes.txt") if found == level for each in line.split("|")]
    english = [
        phrase.replace("*", r"\w*").replace("_", r"[\w-]+(?: [\w-]+){0,2}") for phrase in phrases if phrase.isascii()
    ]
    japanese = [phrase.replace("_", "[^。]*") for phrase in phrases if not phrase.isascii()]
    return re.compile(rf"\b(?:{'|'.join(english)})\b|{'|'.join(japanese)}")


@cache
def _questions() -> tuple[dict[str, frozenset[str]], list[tuple[str, str]]]:
    """The questions that each English word and each piece of a Japanese word answers."""
    english: dict[str, set[str]] = {}
    japanese: list[tuple[str, str]] = []
    for question, *words in read_rows("questions.txt"):
        for word in words:
            if word.isascii():
                english.setdefault(word, set()).add(question)
            else:
                japanese.append((word, question))
    return {word: frozenset(found) for word, found in english.items()}, japanese


@lru_cache(maxsize=20_000)
def _questions_of_text(text: str) -> frozenset[str]:
    english, japanese = _questions()
    if text.isascii():
        return english.get(text, frozenset()) | english.get(text.removesuffix("s"), frozenset())
    return frozenset(question for piece, question in japanese if _has(text, piece))


def _has(word: str, piece: str) -> bool:
    """Whether a Japanese word contains a piece: a single character only at its end, or before kana."""
    if len(piece) > 1:
        return piece in word
    return word.endswith(piece) or (word.startswith(piece) and KANA.fullmatch(word, 1) is not None)


def _asked(parts: Text) -> frozenset[str]:
    """The questions that a text answers with any of its words."""
    found = [form for word in parts.words for form in (word.text, word.lemma)]
    for word in WORD.findall(parts.lower):
        found += [word, lemma(word)]
    return frozenset(question for form in found for question in _questions_of_text(form))


def _questions_of(word: Word) -> frozenset[str]:
    return _questions_of_text(word.text) | _questions_of_text(word.lemma)
