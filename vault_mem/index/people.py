"""Who and what memories are about: people and tags by any name they go by, gathered row by row.

A row gives a handful of facts about names, and each fact is counted. So they can be subtracted when the row goes,
whether the counts are in memory or beside the table.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from vault_mem.index.passages import WHOLE_LENGTH
from vault_mem.index.sounds import sounds
from vault_mem.index.terms import normalised, unspaced

if TYPE_CHECKING:
    from vault_mem.index.catalogue import Catalogue

# Kinds of facts: a person, a tag, a shorter form of a name, its sound, another name for the same person (from shorter
# forms too, or from whole names only), and how memories spell it.
PERSON, TAG, SHORTER_FORM, SOUND, SAME_PERSON, ALIAS, SPELLING = (
    "person",
    "tag",
    "short",
    "sound",
    "same",
    "alias",
    "written",
)

# "Caroline: I went …": a saved conversation starts each turn with the speaker. A name of several words does not end in
# a lower-case word: "Mount Aso hike: 1,592 metres" starts with a label.
SPEAKER_LABEL = re.compile(
    r"\s*([^\W\d_][\w'’.-]*(?:(?: [^\W\d_][\w'’.-]*)? (?![a-zà-ÿ])[^\W\d_][\w'’.-]*)?)\s?(?::\s|：)"
)
_HONORIFIC = re.compile(r"(?<=.)(?:さん|ちゃん|くん|君|様|さま|先生|氏|殿)$")


class NameFact(NamedTuple):
    """One thing that a memory says about a name (`key`), and the other name it leads to, if any (`value`)."""

    kind: str
    key: str
    value: str = ""


def name_facts(
    people: Collection[str], tags: Collection[str], text: str, file: str, title: str, aliases: Collection[str]
) -> Iterator[NameFact]:
    """All that one whole memory says about names."""
    for person in people:
        yield NameFact(SPELLING, name_key(person), person)
    for person in {name_key(each) for each in about(people, text)} - {""}:
        yield NameFact(PERSON, person)
        shorter = _shorter(person)
        yield from (NameFact(SHORTER_FORM, short, person) for short in shorter)
        yield from {NameFact(SOUND, sound, person) for form in (person, *shorter) for sound in sounds(form)}
    yield from {NameFact(TAG, name_key(tag)) for tag in tags}
    if aliases:
        keys = {name_key(name) for name in (title, PurePosixPath(file).stem, *aliases)} - {""}
        yield from {NameFact(ALIAS, key, other) for key in keys for other in keys}
        yield from (
            NameFact(SAME_PERSON, form, other) for key in keys for form in (key, *_shorter(key)) for other in keys
        )


def about(people: Collection[str], text: str) -> set[str]:
    """The people a memory is about, and who speaks in it. In a long one many speak, so the first says nothing."""
    speaker = SPEAKER_LABEL.match(text[:80]) if len(text) <= WHOLE_LENGTH else None
    return {*people, *([speaker[1]] if speaker else [])}


@functools.lru_cache(maxsize=4096)
def name_key(name: str) -> str:
    """A name in the form in which names are compared."""
    return " ".join(normalised(name).replace("_", " ").strip("#@[] ").split())


def _shorter(key: str) -> set[str]:
    """Shorter forms: each part of a full name, a name without its honorific."""
    found = {_HONORIFIC.sub("", key)} if unspaced(key[-1:]) else set()
    words = key.split()
    if len(words) > 1:
        found |= {word for word in words if len(word) > 2}
    return {name for name in found if name and name != key}


def facts_at(catalogue: Catalogue, place: int) -> Iterator[NameFact]:
    """All that the memory at a place says about names."""
    aliases = catalogue.aliases.get(place, ())
    title = str(catalogue.record(place).get("title", "")) if aliases else ""
    row = (catalogue.people[place], catalogue.tags[place], catalogue.texts[place], catalogue.files[place])
    return name_facts(*row, title, aliases)


class NamesAtHand:
    """The facts of the memories at hand, and which memories are about whom; updated as the rows change."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._facts: dict[str, dict[str, Counter[str]]] = {}
        self._places: dict[tuple[str, str], set[int]] = {}
        self.learn(catalogue, catalogue.alive.nonzero()[0].tolist())

    def learn(self, catalogue: Catalogue, places: list[int]) -> None:
        """These rows have come."""
        for place in places:
            for kind, key, value in () if catalogue.n[place] else facts_at(catalogue, place):
                self._facts.setdefault(kind, {}).setdefault(key, Counter())[value] += 1
                if kind in (PERSON, TAG):
                    self._places.setdefault((kind, key), set()).add(place)

    def forget(self, catalogue: Catalogue, places: list[int]) -> None:
        """These rows are about to go."""
        for place in places:
            for kind, key, value in () if catalogue.n[place] else facts_at(catalogue, place):
                counted = self._facts[kind][key]
                counted[value] -= 1
                if counted[value] <= 0:
                    del counted[value]
                if kind in (PERSON, TAG):
                    self._places[kind, key].discard(place)

    def known(self, keys: Collection[str]) -> set[str]:
        """The keys that any fact is about."""
        return {key for key in keys if any(key in facts for facts in self._facts.values())}

    def values(self, kind: str, key: str) -> list[str]:
        """The values of all facts of a kind about a key."""
        return list(self._facts.get(kind, {}).get(key, ()))

    def count(self, kind: str, key: str) -> int:
        """How many memories state a fact of a kind about a key."""
        return self._facts.get(kind, {}).get(key, Counter()).total()

    def places(self, kind: str, keys: Collection[str]) -> set[int]:
        """The memories that are about one of these people, or have one of these tags."""
        return {place for key in keys for place in self._places.get((kind, key), ())}


def places_about(catalogue: Catalogue, kind: str, keys: Collection[str]) -> set[int]:
    """The memories at hand that are about one of these people, or have one of these tags."""
    if not keys:
        return set()
    if catalogue.complete:
        return names_at_hand(catalogue).places(kind, keys)
    return {place for key in keys for place in catalogue.places_named(kind, key).tolist()}


def names_at_hand(catalogue: Catalogue) -> NamesAtHand:
    """The names in the memories at hand."""
    return catalogue.derived("names", lambda: NamesAtHand(catalogue))
