"""Where, from where and to where: small words before a noun in English, particles after it in Japanese."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from vault_mem.judge import english
from vault_mem.judge.align import EXACT, Alignment
from vault_mem.judge.quantities import placeholder
from vault_mem.judge.text import Text
from vault_mem.judge.words import SMALL_LETTERS, Difference, read_rows, read_words, role_class

# Each preposition with its dimension and its sense. Two senses of one dimension exclude each other.
_PREPOSITIONS = {
    written.replace("-", " "): (dimension, sense)
    for dimension, sense, *all_written in read_rows("prepositions.txt")
    for written in all_written
}
_PREPOSITION = re.compile(rf"\b({'|'.join(sorted(_PREPOSITIONS, key=len, reverse=True))})\b")
# Where somebody is: on leave or back from leave, in Kyoto or from Kyoto; not "works from home", which is at home.
_BEING = re.compile(
    r"\b(?:is|are|am|was|were|be)(?: (?:now|back|still|currently|just))* (?:(in|on|at)|from|out of|off)\b"
)
_EDGES = re.compile(r"\W+$|^\W+")
_SMALL_WORDS = english.STOP | set(
    "after before above below next last again first take put bring back forward ahead away".split()
)
_TOKEN = re.compile(rf"[{SMALL_LETTERS}'-]+|[^\w\s]|[^\x00-\x7f]")
# 部屋から電話した, 部屋に電話した. は can replace any of them, and が and を each other.
_PARTICLE_CLASHES = frozenset(
    frozenset(pair)
    for pair in (
        *(("から", each) for each in ("に", "へ", "まで", "が", "を")),
        *(("に", each) for each in ("が", "より")),
    )
)
# With these verbs, に and から both mark the source: 先生に教わった, 先生から教わった.
_EITHER_WAY = re.compile(r"もら|借り|教わ|習|聞|聴|学|受け|預か|[かがさたなばまらわ]れ(?:る|た|て|ま)|られ")


def place_changes(one: Text, two: Text, alignment: Alignment) -> list[Difference]:
    """Another place or direction of the same thing: to Kubernetes, from Kubernetes; 部屋から, 部屋に."""
    return _by_preposition(one, two) or _by_slot(one, two) or _by_particle(one, two, alignment)


def _by_preposition(one: Text, two: Text) -> list[Difference]:
    before, after = _placed(one), _placed(two)
    for (dimension, thing), (sense, written) in before.items():
        other = after.get((dimension, thing))
        if other and other[0] != sense:
            return [Difference("place", f"{written} {thing}".strip(), f"{other[1]} {thing}".strip())]
    return []


_NEUTRAL = read_words("neutral.txt")
_INTERCHANGEABLE = [frozenset(group) for group in read_rows("interchangeable.txt")]


def _by_slot(one: Text, two: Text) -> list[Difference]:
    """Small words that were replaced in an otherwise equal context: paid by Lea, paid for Lea."""
    if one.is_japanese or two.is_japanese:
        return []
    before, after = (
        [english.lemma(word) for each in text.rest.split() if (word := _EDGES.sub("", each)) and word not in _NEUTRAL]
        for text in (one, two)
    )
    gone, come = ({*before} - {*after}) & _SMALL_WORDS, ({*after} - {*before}) & _SMALL_WORDS
    if not gone or not come:
        return []
    for kind, start, end, then, until in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "replace" or not _SMALL_WORDS.issuperset((*before[start:end], *after[then:until])):
            continue
        old = [word for word in before[start:end] if word in gone]  # the others only moved
        new = [word for word in after[then:until] if word in come]
        if not old or not new:
            continue
        if len(old) == len(new) == 1 and any({*old, *new} <= each for each in _INTERCHANGEABLE):
            continue
        return [Difference("place", " ".join(old), " ".join(new))]
    return []


def _placed(text: Text) -> dict[tuple[str, str], tuple[str, str]]:
    """The sense of the preposition before each thing, by dimension; without things that have two senses."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    twice = set()
    values = {placeholder(number): each.text for number, each in enumerate(text.quantities)}
    placings = [(match, match[1], *_PREPOSITIONS[match[1]]) for match in _PREPOSITION.finditer(text.rest)]
    placings += [(match, match[0], "being", "there" if match[1] else "gone") for match in _BEING.finditer(text.rest)]
    for match, written, dimension, sense in placings:
        for thing in _object(text.rest[match.end() :], values, text.names):
            key = dimension, thing
            if found.setdefault(key, (sense, written))[0] != sense:
                twice.add(key)
    return {key: sense for key, sense in found.items() if key not in twice}


def _object(rest: str, values: dict[str, str], names: frozenset[str]) -> list[str]:
    """The words of the noun after a preposition."""
    found: list[str] = []
    for token in _TOKEN.findall(rest):
        if token in values:
            return [*found, values[token]]
        words = english.words(token, names)
        if words:
            found += [word.lemma for word in words]
        elif found or token not in _DETERMINERS:
            break
    return found


_DETERMINERS = frozenset("a an the my your his her its our their this that".split())
_WAY = re.compile("から|まで|へ")


def _by_particle(one: Text, two: Text, alignment: Alignment) -> list[Difference]:
    if not one.is_japanese or not two.is_japanese or one.passives != two.passives:
        return []
    if _WAY.split(one.rest) == _WAY.split(two.rest):  # ここまで, ここから: the same but for these
        for was, now in zip(_WAY.findall(one.rest), _WAY.findall(two.rest), strict=True):
            if frozenset((was, now)) in _PARTICLE_CLASHES:
                return [Difference("place", was, now)]
    either_way = bool(_EITHER_WAY.search(one.rest) or _EITHER_WAY.search(two.rest))
    for a, b, strength in alignment.pairs:
        roles = frozenset((a.role, b.role))
        if (
            strength < EXACT
            or a.compound
            or b.compound
            or roles not in _PARTICLE_CLASHES
            or (either_way and "subject" not in map(role_class, roles))
        ):
            continue
        return [Difference("role", f"{a.text}{a.role}", f"{b.text}{b.role}")]
    return []
