"""People and tags that a query names, by any name they go by."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath

from vault_mem.index.catalogue import Catalogue
from vault_mem.index.passages import WHOLE_LENGTH
from vault_mem.index.terms import STOP, normalised, terms, unspaced
from vault_mem.ranking.sounds import in_kana, likely_names, sounds

# "Caroline: I went …": whoever speaks in a saved conversation is named in front.
_SPEAKER = re.compile(r"\s*([^\W\d_][\w'’.-]*(?: [^\W\d_][\w'’.-]*){0,2})\s?(?::\s|：)")
_WORD = re.compile(r"[^\W_]+")
_HONORIFIC = re.compile(r"(?<=.)(?:さん|ちゃん|くん|君|様|さま|先生|氏|殿)$")
# Who speaks like this is not whom memories are about.
_ROLES = frozenset(
    ("user", "assistant", "system", "human", "ai", "agent", "bot", "question", "answer", "note", "reminder")
)
_LONGEST_NAME = 4  # words
_LONGEST_UNSPACED = 12  # characters


class Directory:
    """Every person and tag of the vault: which places belong to whom, and which names mean the same."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._places: dict[str, set[int]] = {}  # by name
        self._tagged: dict[str, set[int]] = {}
        self._short: dict[str, set[str]] = {}  # names by their shorter forms
        self._sounding: dict[str, set[str]] = {}  # names by how they sound
        self._same: dict[str, Counter[str]] = {}  # by aliases, with how many notes say so
        self._aliases: dict[str, Counter[str]] = {}
        self._written: dict[str, set[str]] = {}
        self.learn(catalogue, catalogue.alive.nonzero()[0].tolist())

    def learn(self, catalogue: Catalogue, places: list[int]) -> None:
        """Take in the people and tags of these rows."""
        for place in places:
            if catalogue.n[place]:
                continue
            for person in catalogue.people[place]:
                self._written.setdefault(_key(person), set()).add(person)
            for person in _people(catalogue, place):
                self._add(person, place)
            for tag in catalogue.tags[place]:
                self._tagged.setdefault(_key(tag), set()).add(place)
            self._join(catalogue, place, 1)

    def forget(self, catalogue: Catalogue, places: list[int]) -> None:
        """Let go of what these rows hold, and of names that meant the same by their word alone."""
        for place in places:
            if catalogue.n[place]:
                continue
            for person in _people(catalogue, place):
                self._places.get(_key(person), set()).discard(place)
            for tag in catalogue.tags[place]:
                self._tagged.get(_key(tag), set()).discard(place)
            self._join(catalogue, place, -1)

    def _add(self, person: str, place: int) -> None:
        key = _key(person)
        if not key:
            return
        if key not in self._places:
            for form in (key, *_shorter(key)):
                for sound in sounds(form):
                    self._sounding.setdefault(sound, set()).add(key)
            for short in _shorter(key):
                self._short.setdefault(short, set()).add(key)
        self._places.setdefault(key, set()).add(place)

    def _join(self, catalogue: Catalogue, place: int, by: int) -> None:
        """Names of one note mean the same person, and so do their shorter forms; `by` -1 takes that back."""
        aliases = catalogue.aliases.get(place)
        if not aliases:
            return
        names = [str(catalogue.record(place).get("title", "")), PurePosixPath(catalogue.files[place]).stem, *aliases]
        keys = {key for name in names if (key := _key(name))}
        for key in keys:
            known = [self._aliases.setdefault(key, Counter())]
            known += [self._same.setdefault(form, Counter()) for form in (key, *_shorter(key))]
            for others in known:
                others.update(dict.fromkeys(keys, by))

    def same(self, name: str) -> set[str]:
        """All names that may mean the person of this name, as they compare."""
        found, waiting = set[str](), [_key(name)]
        while waiting and len(found) < 1000:
            key = waiting.pop()
            if key not in found:
                found.add(key)
                waiting += _known(self._same, key)
                waiting += [name for name in self._short.get(key, ()) if self._places[name]]
        return found

    def written(self, name: str) -> set[str]:
        """How memories write the person that a filter names: in any case and width, by any alias, but no guesses."""
        key = _key(name)
        return {form for each in {key, *_known(self._aliases, key)} for form in self._written.get(each, ())}

    def named(self, query: str, catalogue: Catalogue) -> Named:
        """Who and what a query names."""
        people: dict[str, set[int]] = {}
        tags: set[int] = set()
        for written in _spelled(query):
            key = _key(written)
            places = {place for name in self.same(key) for place in self._places.get(name, ())}
            if places:
                people[key] = places
            tags.update(self._tagged.get(key, ()))
        for written in likely_names(query):
            key = _key(written)
            if key not in people and (places := self._sounding_like(key)):
                people[key] = places
        return Named(people or _speaking(query, catalogue), tags)

    def _sounding_like(self, key: str) -> set[int]:
        """The places of whoever has a name of this sound in the other script."""
        names = {
            name for sound in sounds(key) for name in self._sounding.get(sound, ()) if in_kana(name) != in_kana(key)
        }
        return {place for name in names for place in self._places.get(name, ())}


class Named:
    """The names found in a query, with the places that belong to each."""

    def __init__(self, people: dict[str, set[int]], tags: set[int]) -> None:
        self.words = {part for name in people for part in _WORD.findall(name)} | set(people)
        self.people = {place for places in people.values() for place in places}
        self.tags = tags - self.people


NOBODY = Named({}, set())


def directory(catalogue: Catalogue) -> Directory:
    """The people and tags of all memories at hand."""
    return catalogue.derived("directory", lambda: Directory(catalogue))


def _speaking(query: str, catalogue: Catalogue) -> dict[str, set[int]]:
    """Whoever says a query that is itself a line of a talk ("Lisa: …"), with the memories that mention the name."""
    speaker = _SPEAKER.match(query[:80])
    key = _key(speaker[1]) if speaker else ""
    words = [word for word in terms(key) if word not in STOP]
    if not words or key in _ROLES:
        return {}
    held = [set(catalogue.owner[catalogue.lexicon.postings(word)[0]].tolist()) for word in words]
    places = set.intersection(*held)
    return {key: places} if places else {}


def _known(names: Mapping[str, Counter[str]], key: str) -> list[str]:
    return [name for name, notes in names.get(key, Counter()).items() if notes > 0]


def _people(catalogue: Catalogue, place: int) -> set[str]:
    """Whom a memory is about, and who speaks in it. In a long one many speak, and the first is not whose it is."""
    text = catalogue.texts[place]
    speaker = _SPEAKER.match(text[:80]) if len(text) <= WHOLE_LENGTH else None
    return {*catalogue.people[place], *([speaker[1]] if speaker else [])}


@functools.lru_cache(maxsize=4096)
def _key(name: str) -> str:
    return " ".join(normalised(name).replace("_", " ").strip("#@[] ").split())


def _shorter(key: str) -> set[str]:
    """A first name for a full one, a name without its honorific."""
    found = {_HONORIFIC.sub("", key)} if unspaced(key[-1:]) else set()
    words = key.split()
    if len(words) > 1:
        found |= {word for word in words if len(word) > 2}
    return {name for name in found if name and name != key}


def _spelled(query: str) -> set[str]:
    """Everything in a query that could be a name: up to four words on end, or some characters where no spaces are."""
    text = normalised(query).replace("'s ", " ").replace("’s ", " ")
    words = re.findall(r"[^\s,;:!?。、！？「」()（）\"]+", text)[:400]
    words = [re.sub(r"(?:'s|’s|[.'’])+$", "", word) for word in words]
    found: set[str] = set()
    for start in range(len(words)):
        for end in range(start + 1, min(start + _LONGEST_NAME, len(words)) + 1):
            if end - start > 1 or words[start] not in STOP:
                found.add(" ".join(words[start:end]))
    for run in re.findall(r"[々〆ぁ-ゖァ-ヺー㐀-䶿一-鿿豈-﫿가-힣]+", text)[:50]:
        run = run[:80]
        for start in range(len(run)):
            for end in range(start + 1, min(start + _LONGEST_UNSPACED, len(run)) + 1):
                # One character is a name only where it stands alone: 母 in 母国 is not the mother.
                if end - start > 1 or len(run) == 1 or re.match(r"[はがのにとをもへ]", run[end : end + 1]):
                    found.add(run[start:end])
    return found
