"""Where, from where and to where: small words before a noun in English, particles after it in Japanese."""

from __future__ import annotations

import re

from vault_mem.judge import english
from vault_mem.judge.align import EXACT, Alignment
from vault_mem.judge.difference import Difference
from vault_mem.judge.particles import role_class
from vault_mem.judge.quantities import mark
from vault_mem.judge.text import Text
from vault_mem.judge.words import read_rows

# Each preposition with its dimension and its sense; within one dimension two senses exclude each other.
_PREPOSITIONS = {
    written.replace("-", " "): (dimension, sense)
    for dimension, sense, *all_written in read_rows("prepositions.txt")
    for written in all_written
}
_PREPOSITION = re.compile(rf"\b({'|'.join(sorted(_PREPOSITIONS, key=len, reverse=True))})\b")
# Where somebody is: on leave, back from leave; in Kyoto, from Kyoto. Work done at home is done from home, too.
_BEING = re.compile(
    r"\b(?:is|are|am|was|were|be)(?: (?:now|back|still|currently|just))* (?:(in|on|at)|from|out of|off)\b"
)
_TOKEN = re.compile(r"[a-zà-öø-ÿ'-]+|[^\w\s]|[^\x00-\x7f]")
# 部屋から電話した, 部屋に電話した. は may stand for any of them, and が and を for each other.
_PARTICLE_CLASHES = frozenset(
    frozenset(pair)
    for pair in (
        ("から", "に"),
        ("から", "へ"),
        ("から", "まで"),
        ("が", "に"),
        ("が", "から"),
        ("を", "から"),
        ("より", "に"),
    )
)
# With these, who it comes from may be marked either way: 先生に教わった, 先生から教わった.
_EITHER_WAY = re.compile(r"もら|借り|教わ|習|聞|聴|学|受け|預か|[かがさたなばまらわ]れ(?:る|た|て|ま)|られ")


def place_changes(one: Text, two: Text, alignment: Alignment) -> list[Difference]:
    """Another place or direction of the same thing: to Kubernetes, from Kubernetes; 部屋から, 部屋に."""
    return _by_preposition(one, two) or _by_particle(one, two, alignment)


def _by_preposition(one: Text, two: Text) -> list[Difference]:
    before, after = _placed(one), _placed(two)
    for (dimension, thing), (sense, written) in before.items():
        other = after.get((dimension, thing))
        if other and other[0] != sense:
            return [Difference("place", f"{written} {thing}".strip(), f"{other[1]} {thing}".strip())]
    return []


def _placed(text: Text) -> dict[tuple[str, str], tuple[str, str]]:
    """Of each thing that stands after a preposition its sense, per dimension; nothing where it stands after two."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    twice = set()
    values = {mark(number): each.text for number, each in enumerate(text.quantities)}
    placings = [(match, match[1], *_PREPOSITIONS[match[1]]) for match in _PREPOSITION.finditer(text.rest)]
    placings += [(match, match[0], "being", "there" if match[1] else "gone") for match in _BEING.finditer(text.rest)]
    for match, written, dimension, sense in placings:
        for thing in _object(text.rest[match.end() :], values, text.names):
            key = dimension, thing
            if found.setdefault(key, (sense, written))[0] != sense:
                twice.add(key)
    return {key: sense for key, sense in found.items() if key not in twice}


def _object(rest: str, values: dict[str, str], names: frozenset[str]) -> list[str]:
    """The words of the noun that a preposition stands before."""
    found: list[str] = []
    for token in _TOKEN.findall(rest):
        if token in values:
            return [*found, values[token]]
        words = english.words(token, names)
        if words:
            found += [word.lemma for word in words]
        elif found or token not in (
            "a",
            "an",
            "the",
            "my",
            "your",
            "his",
            "her",
            "its",
            "our",
            "their",
            "this",
            "that",
        ):
            break
    return found


def _by_particle(one: Text, two: Text, alignment: Alignment) -> list[Difference]:
    if not one.is_japanese or not two.is_japanese or one.passives != two.passives:
        return []
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
