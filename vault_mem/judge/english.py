"""English words: dictionary forms, negation, modality, scope, and who does what."""

from __future__ import annotations

import re
from functools import lru_cache

from vault_mem.judge.words import (
    CAPITAL_LETTERS,
    KIN,
    PERSONS,
    SMALL_LETTERS,
    Word,
    known,
    read_pairs,
    read_phrases,
    read_rows,
    read_spellings,
    read_words,
    role_after,
    spelled,
)
from vault_mem.notes.stop_words import STOP_WORDS

STOP = STOP_WORDS | read_words("stop_words.txt")
_IRREGULAR = dict(read_pairs("irregular.txt"))
_NEGATIVES = dict(read_pairs("negatives.txt"))
_NEGATIONS = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|hardly|barely|scarcely|rarely|seldom|"
    r"fails? to|failed to|unless|(?:advis|vot|decid|argu|recommend|warn)\w* against)\b"
)
_NOT_NEGATIONS = re.compile(
    r"\b(?:not only|no doubt|no worries|no matter|can not wait|long time no|"
    r"no more than|not more than|no less than|why not|whether or not|no\.)\b|\bno longer waiting"
)
_MODALS = read_phrases("modals.txt")
_SCOPES = read_phrases("scopes.txt")
# Without un-, these are words too, but not their opposites.
_NOT_NEGATED = frozenset(("ited", "iform", "iverse", "ion", "ique", "its", "less", "like", "til", "derstand", "dergo"))
_NEGATED = re.compile(rf"\b(?:{'|'.join(_NEGATIVES)})\b")
# "The user said that …" adds nothing and is removed.
_TOLD = re.compile(
    r"^\s*(?:the )?user (?:has )?(?:mention|say|said|told|note|state|explain|report|wrote|share)\w*"
    r"(?: (?:me|us))?(?: that|:) (?P<who>(?:they|he|she) )?(?P<whose>(?:their|his|her) (?=\w))?"
)
# "The user asked the agent to …" is an order.
_ASKED = re.compile(
    r"^\s*(?:the )?user (?:has )?(?:(?:asked|told|instructed|requested)(?: (?:me|us))?"
    r"|(?:wants?|expects?|would like) (?:me|us)) (?P<not>not )?to (?!be\b)"
)
_SOMEBODY = PERSONS | KIN | {"user"}
_LIVES = re.compile(r"^(\W*(?:the|our|all) (?:[\w/.-]+ ){1,4}?)lives? (?=(?:in|at|on|under)\b)")


def _thing_lives(match: re.Match[str]) -> str:
    """Replace "lives" by "is" if a thing lives there: a database in Frankfurt, not a person, who may be elsewhere."""
    somebody = any(lemma(word) in _SOMEBODY for word in match[1].split())
    return match[0] if somebody else f"{match[1]}is "


_CONTRACTIONS, _SPELLINGS = read_spellings("contractions.txt"), read_spellings("spellings.txt")
_UN = re.compile(r"\bun(?=(\w{4,}))")
WORD = re.compile(rf"[{SMALL_LETTERS}]+(?:[-_][{SMALL_LETTERS}]+)*")
_NAME = re.compile(
    rf"(?<![{CAPITAL_LETTERS}{SMALL_LETTERS}0-9'])([{CAPITAL_LETTERS}][{SMALL_LETTERS}{CAPITAL_LETTERS}]*)(?![{SMALL_LETTERS}]|'(?!s\b))"
)
_POSSESSIVE = re.compile(r"'(?:s|d)\b|(?<=s)'(?=\s|$)")


def normal_text(text: str) -> str:
    """The text with contractions spelled out and common phrases in one form."""
    text = spelled(text, _CONTRACTIONS)
    if "user" in text:
        text = _TOLD.sub(lambda match: "user " if match["who"] or match["whose"] else "", text)
        text = _ASKED.sub(lambda match: "do not " if match["not"] else "please ", text)
    text = spelled(text, _SPELLINGS)
    if "live" in text:
        text = _LIVES.sub(_thing_lives, text)
    for number in sorted(
        {number for first in {*_FIRST_WORD.findall(text)} for number in _BY_FIRST_WORD.get(first, ())}
    ):
        word, phrase = _PHRASES[number]
        if phrase in text:
            text = re.sub(rf"\b{phrase}\b", word, text)
    if "un" in text:
        text = _UN.sub(_denied, text)
    text = _NEGATED.sub(lambda match: f"not {_NEGATIVES[match.group()]}", text)
    return _POSSESSIVE.sub("", text) if "'" in text else text


def _denied(match: re.Match[str]) -> str:
    return "not " if known(lemma(match.group(1))) and match.group(1) not in _NOT_NEGATED else "un"


def words(text: str, names: frozenset[str]) -> list[Word]:
    """The content words of a normalised text, quantities already taken out."""
    found: list[Word] = []
    for number, match in enumerate(WORD.finditer(text)):
        parts = _parts(match.group())
        for part in parts:
            compound = match.group() if len(parts) > 1 else ""
            form = part if part in names else lemma(part)
            if (part not in STOP and form not in STOP and len(part) > 1) or part in names:
                found.append(Word(part, form, number, role_after(text, match.end()), part in names, compound=compound))
    return found


def proper_names(original: str) -> frozenset[str]:
    """Words capitalised where a common word would not be: names of people, places and things."""
    found: set[str] = set()
    capitals = re.findall(r"\b[A-Z]\w+", original)
    headline = len(capitals) > 3 and len(capitals) > 0.6 * len(re.findall(r"\b[A-Za-z]\w+", original))
    for match in _NAME.finditer(original):
        word = match.group(1)
        if word in ("I", "OK"):
            continue
        before = original[: match.start()].rstrip(" \"'“‘(")
        starts = headline or not before or before[-1] in ".!?:;\n。"
        lower = word.lower()
        unusual = any(letter.isupper() for letter in word[1:]) or not (known(lemma(lower)) or lower in STOP)
        if unusual or not starts:
            found.add(lower)
    return frozenset(found)


def negations(text: str) -> int:
    """How many negations a normalised text has."""
    return len(_NEGATIONS.findall(_NOT_NEGATIONS.sub(" ", text)))


def _levels(phrases: list[tuple[str, str]], text: str) -> frozenset[str]:
    return frozenset(level for level, words_ in phrases if words_ in text and re.search(rf"\b{words_}\b", text))


def modality(text: str) -> frozenset[str]:
    """How certain or binding the text is."""
    return _levels(_MODALS, text)


def scope(text: str) -> frozenset[str]:
    """Which of all, some, most and only the text uses."""
    found = _levels(_SCOPES, text)
    bounds = {"most"} if "at-most" in found else {"least"} if "at-least" in found else set()
    return found - bounds


_DIRECTIONS = read_words("directions.txt")


def directions(text: str) -> frozenset[str]:
    """Small words that change a statement if replaced: up and down."""
    return frozenset(word for word in re.findall(r"[a-z]+", text) if word in _DIRECTIONS)


def is_question(text: str) -> bool:
    """Whether the text asks."""
    return "?" in text or bool(
        re.match(r"\s*(?:why|what|who|how|where|when|which) (?:is|are|did|do|does|was|were|can|should)\b", text)
    )


_PRONOUNS = {written: person for person, *all_written in read_rows("pronouns.txt") for written in all_written}


_ACTING = ("i", "me", "he", "him", "she", "they", "them", "we", "us", "you")
# After these, "her" is an object, not a possessive.
_NO_NOUN = re.compile(
    r"\s*(?:[^\w\s]|$|(?:about|to|that|the|a|an|his|how|what|when|why|if|and|on|in|for|from|with|of|at)\b)"
)


def person_of(word: str, after: str) -> str:
    """The person that a pronoun stands for, given the text after it; none for possessives."""
    if word == "her":
        return "she" if _NO_NOUN.match(after) else ""
    return _PRONOUNS.get(word, "") if word in _ACTING else ""


def persons(text: str) -> frozenset[str]:
    """The persons that the text mentions by pronoun."""
    return frozenset(_PRONOUNS[word] for word in re.findall(r"[a-z]+", text) if word in _PRONOUNS)


# Irregular forms that are not the past of a verb.
_NOT_PAST = read_words("not_past.txt")


def is_past(word: str) -> bool:
    """Whether a word can only be the past or participle of a verb."""
    if word in _IRREGULAR:
        return _IRREGULAR[word] != word and word not in _NOT_PAST and not word.endswith("s")
    return word.endswith("ed") and lemma(word) != word


_REGULAR_PAST = re.compile(r"(?!need|feed|seed|weed|speed|bed|red|shed|indeed|exceed|proceed)\w{2,}ed")
_BEFORE_PARTICIPLE = re.compile(
    "is|are|am|be|been|being|was|were|gets?|got|has|have|had|the|an?|his|her|its|my|our|their|very|not|so|by"
)


def tells_past(before: str, word: str) -> bool:
    """Whether a word after another is the past tense of a verb: "she wrote", not "it is written"."""
    past = _REGULAR_PAST.fullmatch(word) or (not word.endswith("ed") and is_past(word))
    return bool(past) and not _BEFORE_PARTICIPLE.fullmatch(before)


_PASTS = {base: [form for form, of in _IRREGULAR.items() if of == base] for base in set(_IRREGULAR.values())}


def _forms(verb: str) -> tuple[str, ...]:
    """The other forms of a verb: with -s, past, participle, with -ing."""
    stem = verb[:-1] if verb.endswith("e") else verb
    ends_in_y = bool(re.search(r"[^aeiou]y$", verb))
    if re.fullmatch(r"[^aeiou]*[aeiou][bdgmnpt]", verb):  # stop, put
        stem += verb[-1]
    third = verb[:-1] + "ies" if ends_in_y else verb + ("es" if re.search(r"(?:s|x|z|ch|sh|o)$", verb) else "s")
    regular = verb[:-1] + "ied" if ends_in_y else stem + "ed"
    pasts = [form for form in _PASTS.get(verb, ()) if not form.endswith(("s", "ing"))] or [regular]
    return third, pasts[0], pasts[-1], stem + "ing"


def _phrases() -> list[tuple[str, str]]:
    """The shipped phrases; a plus before a verb means all its forms."""
    found = []
    for word, phrase in read_phrases("phrases.txt"):
        verb = word.removeprefix("+")
        found.append((verb, phrase))
        if verb != word:
            first, _, rest = phrase.partition(" ")
            found += [(a, f"{b} {rest}") for a, b in zip(_forms(verb), _forms(first), strict=True)]
    return found


_PHRASES = _phrases()
_FIRST_WORD = re.compile(r"'?[a-z]+")
_BY_FIRST_WORD: dict[str, list[int]] = {}
for _place, (_, _phrase) in enumerate(_PHRASES):
    _BY_FIRST_WORD.setdefault(_FIRST_WORD.findall(_phrase)[0], []).append(_place)


def is_past_or_base(word: str) -> bool:
    """Whether a word may be a past form, including read, cut or put, which look like their base."""
    return is_past(word) or _IRREGULAR.get(word) == word


def passives(text: str) -> int:
    """How many passives with a named agent the text has."""
    return len(re.findall(r"\b(?:is|are|was|were|be|been|being|got)\b(?: \w+){0,6}? by\b|\b\w+(?:ed|en) by\b", text))


@lru_cache(maxsize=10_000)
def lemma(word: str) -> str:
    """The dictionary form of a word."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for form in _candidates(word):
        if known(form) and len(form) > 2:
            return form
    return _americanised(word)


def _candidates(word: str) -> list[str]:
    forms = [word, _americanised(word)] if not re.search(r"(?:ing|ed|(?<!s)s)$", word) else []
    for ending, replacements in (
        ("ies", ("y", "ie")), ("ves", ("f", "fe", "ve")), ("sses", ("ss",)), ("es", ("e", "")), ("s", ("",)),
        ("ied", ("y",)), ("ed", ("e", "")), ("ing", ("e", "")), ("ly", ("", "le")), ("iest", ("y",)),
        ("est", ("", "e")),
    ):  # fmt: skip
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            stem = word[: -len(ending)]
            if ending in ("ed", "ing") and len(stem) > 2 and stem[-1] == stem[-2]:
                forms += [stem, stem[:-1]] if stem[-1] in "sl" else [stem[:-1]]
            for replacement in replacements:
                forms += [stem + replacement, _americanised(stem + replacement)]
    return [*forms, word]


def _americanised(word: str) -> str:
    word = re.sub(r"(?<=[a-z]{2})our(?=s?$|ed$|ing$|ite|able)", "or", word)
    word = re.sub(r"(?<=[a-z]{2})is(?=e$|es$|ed$|ing$|ation$)", "iz", word)
    return re.sub(r"(?<=[a-z]{3})tre$", "ter", word)


def _parts(word: str) -> list[str]:
    if "-" not in word and "_" not in word:
        return [word]
    joined = re.sub(r"[-_]", "", word)
    if known(joined) or joined in _IRREGULAR or joined in ("wifi", "email"):
        return [joined]
    return re.split(r"[-_]", word)
