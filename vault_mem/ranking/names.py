"""People and tags that a query names, by any name they go by."""

from __future__ import annotations

import re

from vault_mem.index.catalogue import Catalogue
from vault_mem.index.corpus import Corpus
from vault_mem.index.people import (
    ALIAS,
    PERSON,
    SAME_PERSON,
    SHORTER_FORM,
    SOUND,
    SPEAKER_LABEL,
    SPELLING,
    TAG,
    name_key,
    places_about,
)
from vault_mem.index.sounds import in_kana, likely_names, sounds
from vault_mem.index.terms import STOP, normalised, terms

_WORD = re.compile(r"[^\W_]+")
# Speakers that are roles and not people: no memory is about them.
_ROLES = frozenset(
    ("user", "assistant", "system", "human", "ai", "agent", "bot", "question", "answer", "note", "reminder")
)
# In a line of a talk people say I, we or you; in Japanese and Chinese they need not, so any such text counts.
_TALKS = re.compile(r"\b(?:i|my|me|we|our|you|your|ich|wir|du|je|nous|tu|io|yo)\b|[ぁ-ヺ㐀-鿿]")
_LONGEST_NAME = 4  # words
_LONGEST_UNSPACED = 12  # characters


class Directory:
    """Every person and tag of the vault, and which names mean the same."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus, self._facts = corpus, corpus.names

    def same(self, name: str) -> set[str]:
        """All names, normalised, that may mean the same person as this one."""
        found, waiting = set[str](), [name_key(name)]
        while waiting and len(found) < 1000:
            key = waiting.pop()
            if key not in found:
                found.add(key)
                waiting += self._facts.values(SAME_PERSON, key) + self._facts.values(SHORTER_FORM, key)
        return found

    def written(self, name: str) -> set[str]:
        """How memories write the person that a filter names: in any case or width, by any alias, but no guessing."""
        key = name_key(name)
        keys = {key, *self._facts.values(ALIAS, key)}
        return {form for each in keys for form in self._facts.values(SPELLING, each)}

    def named(self, query: str) -> Named:
        """The people and tags that a query names."""
        people: dict[str, set[str]] = {}
        tags: set[str] = set()
        for key in self._facts.known({name_key(written) for written in _spelled(query)}):
            names = {name for name in self.same(key) if self._facts.count(PERSON, name)}
            if any(self._facts.values(SPELLING, name) for name in names) or (names and _as_a_name(key, query)):
                people[key] = names
            if self._facts.count(TAG, key):
                tags.add(key)
        for written in likely_names(query):
            key = name_key(written)
            if key not in people and (names := self._sounding_like(key)):
                people[key] = names
        speaker = "" if people else _speaking(query)
        words = _words(speaker)
        said = words if words and self._corpus.mentioned(words) else []
        return Named(people, tags, {speaker: said} if said else {})

    def _sounding_like(self, key: str) -> set[str]:
        """People whose name sounds like this in the other script."""
        names = {name for sound in sounds(key) for name in self._facts.values(SOUND, sound)}
        return {name for name in names if in_kana(name) != in_kana(key)}


class Named:
    """The names found in a query, and which memories they mean: those about a person, or with a speaker's name."""

    def __init__(self, people: dict[str, set[str]], tags: set[str], speaking: dict[str, list[str]]) -> None:
        found = {*people, *speaking}
        self.words = {part for name in found for part in _WORD.findall(name)} | found
        self.anybody = bool(found)
        self.names = {name for names in people.values() for name in names}
        self.tags = tags
        self.speaker_words = [word for words in speaking.values() for word in words]

    def people(self, catalogue: Catalogue) -> set[int]:
        """The memories at hand that are about somebody who is named."""
        if self.speaker_words:
            return catalogue.with_all(self.speaker_words)
        return places_about(catalogue, PERSON, self.names)

    def tagged(self, catalogue: Catalogue) -> set[int]:
        """The memories at hand with a named tag, except those about a person who is named."""
        return places_about(catalogue, TAG, self.tags) - self.people(catalogue)

    def count(self, corpus: Corpus) -> int:
        """How many memories are about somebody who is named."""
        return corpus.mentioned(self.speaker_words) if self.speaker_words else corpus.about(self.names)


NOBODY = Named({}, set(), {})


def _speaking(query: str) -> str:
    """The speaker, if the query is itself a line of a talk ("Lisa: …"); it then means memories with that name."""
    speaker = SPEAKER_LABEL.match(query[:80]) if _TALKS.search(normalised(query)) else None
    key = name_key(speaker[1]) if speaker else ""
    return "" if key in _ROLES else key


def _as_a_name(key: str, query: str) -> bool:
    """Whether a word is meant as a name: not "backups" in "How are backups made?", though a line begins "Backups:"."""
    return key not in query or not key.islower() or query.islower()


def _words(name: str) -> list[str]:
    return [word for word in terms(name) if word not in STOP]


def _spelled(query: str) -> set[str]:
    """Everything in a query that could be a name: up to four words, or characters if there are no spaces."""
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
