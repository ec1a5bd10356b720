"""Converse verbs: Alice lends Bob the drill, Bob borrows it from Alice. One event, told from both sides."""

from __future__ import annotations

import re

from vault_mem.judge import english
from vault_mem.judge.align import Alignment
from vault_mem.judge.text import Text
from vault_mem.judge.words import PERSONS, SMALL_LETTERS, Word, read_pairs

_CONVERSES = frozenset(read_pairs("converses.txt"))
_SUBJECTS = ("が", "は", "も")


def settle_converses(one: Text, two: Text, alignment: Alignment) -> bool:
    """Pair a verb with its converse if giver and receiver are the same. Returns whether it did."""
    for giver, getter in ((one, two), (two, one)):
        named = _japanese_giver_and_receiver(giver, gives=True), _japanese_giver_and_receiver(getter, gives=False)
        if _gives(giver) and receives(getter) and _same_people(*named):
            alignment.left, alignment.right = (
                [word for word in words if word.lemma not in _HANDED] for words in (alignment.left, alignment.right)
            )
            return True
    if _turned_comparison(one, two, alignment):
        alignment.left, alignment.right, alignment.opposites = [], [], []
        return True
    beside = [(before, after) for before in alignment.left for after in alignment.right]
    for before, after in [*((before, after) for before, after, _ in alignment.pairs), *beside]:
        if (before.lemma, after.lemma) in _CONVERSES:
            same = _same_people(
                _giver_and_receiver(one, before, gives=True), _giver_and_receiver(two, after, gives=False)
            )
        elif (after.lemma, before.lemma) in _CONVERSES:
            same = _same_people(
                _giver_and_receiver(two, after, gives=True), _giver_and_receiver(one, before, gives=False)
            )
        else:
            continue
        if same:
            alignment.left = [word for word in alignment.left if word is not before]
            alignment.right = [word for word in alignment.right if word is not after]
            alignment.opposites = [pair for pair in alignment.opposites if before not in pair and after not in pair]
            return True
    return False


def _turned_comparison(one: Text, two: Text, alignment: Alignment) -> bool:
    """Ben is older than Ann, Ann is younger than Ben."""
    alone = [*alignment.left, *alignment.right]
    if len(alignment.opposites) != 1 or any(word not in alignment.opposites[0] for word in alone):
        return False
    for sign in (" than ", " of "):  # left of the church
        sides = [
            [{word.lemma for word in english.words(part, text.names)} for part in text.rest.split(sign)]
            for text in (one, two)
        ]
        if len(sides[0]) == len(sides[1]) == 2:
            (a, b), (c, d) = sides
            return bool(b and d) and b <= c and d <= a
    return False


_GIVING = re.compile(r"(もら|あげ|くれ)(?=[いっえたるま])")
_HANDED = frozenset(("贈る", "渡す", "譲る", "プレゼント"))


def _gives(text: Text) -> bool:
    found = _GIVING.findall(text.rest)
    return "もら" not in found and (bool(found) or any(word.lemma in _HANDED for word in text.words))


def receives(text: Text) -> bool:
    """Whether somebody is given something, or has something done for them: もらう."""
    return set(_GIVING.findall(text.rest)) == {"もら"}


def _same_people(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether both name the same giver, and no different receiver."""
    return bool(one[0]) and one[0] == other[0] and (one[1] == other[1] or not one[1] or not other[1])


def _giver_and_receiver(text: Text, verb: Word, gives: bool) -> tuple[str, str]:
    """Giver and receiver, if the text names them."""
    return (
        _japanese_giver_and_receiver(text, gives)
        if text.is_japanese
        else _english_giver_and_receiver(text, verb, gives)
    )


def _english_giver_and_receiver(text: Text, verb: Word, gives: bool) -> tuple[str, str]:
    clause = next((each for each in re.split(r"[.;!?\n]", text.rest) if re.search(rf"\b{verb.text}\b", each)), "")
    before, _, after = clause.partition(verb.text)
    subject = next(reversed(_actors(before, text)), "")
    source, goal = (_actors(" ".join(re.findall(rf"\b{word}\b(.*)", after)), text) for word in ("from", "to"))
    if gives:
        return subject, next(iter(goal or _actors(after, text)), "")
    return next(iter(source or sorted(text.possessors)), ""), subject


def _actors(part: str, text: Text) -> list[str]:
    found = []
    for match in re.finditer(rf"[{SMALL_LETTERS}]+", part):
        word = match.group()
        person = english.person_of(word, part[match.end() :])
        if person or word in text.names or english.lemma(word) in PERSONS:
            found.append(person or word)
    # "Aunt Rosa" is one person: keep the name.
    return [each for number, each in enumerate(found) if not _names_next(each, found[number + 1 :], part, text)]


def _names_next(word: str, following: list[str], part: str, text: Text) -> bool:
    """Whether a word such as "aunt" is followed by the name of that person."""
    return (
        bool(following) and following[0] in text.names and word not in text.names and f"{word} {following[0]}" in part
    )


def _japanese_giver_and_receiver(text: Text, gives: bool) -> tuple[str, str]:
    subject = next((word.lemma for word in text.words if word.role in _SUBJECTS), "")
    goal = next((word.lemma for word in text.words if word.role in ("に", "へ")), "")
    source = next((word.lemma for word in text.words if word.role == "から"), "")
    return (subject, goal) if gives else (source or goal, subject)
