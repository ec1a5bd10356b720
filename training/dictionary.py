"""The Japanese dictionaries of EDRDG in jamdict-data: JMdict (words), KANJIDIC (kanji) and JMnedict (names)."""

from __future__ import annotations

import math
import re
import sqlite3
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

MOST_SENSES, MOST_GLOSSES = 3, 4  # how many of an entry, and of a sense, count; later ones are rare uses
READING_OF_KANJI = 0.15  # weight of a kana spelling whose word is usually written in kanji
NAMED = ("surname", "given", "masc", "fem", "place", "person", "station", "company", "organization", "unclass")

# the last kana of a godan verb, and what replaces it before an ending
GODAN = {
    "う": "わいえおっ", "く": "かきけこい", "ぐ": "がぎげごい", "す": "さしせそ", "つ": "たちてとっ",
    "ぬ": "なにねのん", "ぶ": "ばびべぼん", "む": "まみめもん", "る": "らりれろっ",
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One meaning of a spelling: how likely it is, and its senses with the weight of each."""

    weight: float
    senses: tuple[tuple[float, str], ...]
    parts_of_speech: frozenset[str]


@dataclass(frozen=True)
class Meaning:
    """What a token means: weighted English glosses, and the dictionary form it is an inflection of, if any."""

    glosses: tuple[tuple[float, str], ...]
    lemma: str | None


class Dictionary:
    """Looks up spellings, their inflected forms, names and single kanji."""

    def __init__(self, database: Path, frequencies: dict[str, float]) -> None:
        self._frequencies = frequencies
        connection = sqlite3.connect(database)
        self.entries = _entries(connection)
        self.kanji = _kanji(connection)
        self._names = _names(connection, frequencies)
        self._inflected = self._inflections()

    def meaning(self, word: str, english: dict[str, float]) -> Meaning | None:
        """Return what `word` means, or None; of several readings of a name, the most frequent in `english` counts."""
        entries = sorted(self.entries.get(word, ()), key=lambda entry: -entry.weight)[:3]
        forms = sorted(self._inflected.get(word, ()), key=lambda form: -form[1])[:2]
        glosses = _shared([(entry.weight, entry) for entry in entries])
        written_in_kana = all(character < "\u3400" for character in word)
        if forms and (not entries or entries[0].weight < 1.5 or written_in_kana):
            glosses += _shared([(weight, entry) for _, weight, entry in forms])
        if not glosses and word in self._names:
            best = max(self._names[word], key=lambda name: (english.get(name.split()[0], 0.0), name))
            glosses = [(1.0, best)]
        return Meaning(tuple(glosses), forms[0][0] if forms else None) if glosses else None

    def phrases(self, longest: int) -> list[tuple[str, str]]:
        """Return every headword of up to `longest` characters with its first sense: short texts that mean the same."""
        seen: dict[str, tuple[float, str]] = {}
        for word, entries in self.entries.items():
            best = max(entries, key=lambda entry: entry.weight)
            if len(word) <= longest and best.weight >= 0.5:
                seen[word] = (best.weight, best.senses[0][1])
        return [(word, gloss) for word, (_, gloss) in sorted(seen.items())]

    def _inflections(self) -> dict[str, list[tuple[str, float, Entry]]]:
        inflected: dict[str, list[tuple[str, float, Entry]]] = defaultdict(list)
        for word, entries in self.entries.items():
            if word not in self._frequencies and len(word) > 6:
                continue
            commonness = math.sqrt(self._frequencies.get(word, 1e-8))
            for entry in entries:
                for form in _forms(word, entry.parts_of_speech):
                    inflected[form].append((word, entry.weight * commonness, entry))
        return inflected


def normalise(text: str) -> str:
    """Return the spelling the tokenizer will see."""
    return unicodedata.normalize("NFKC", text).lower()


def _shared(entries: list[tuple[float, Entry]]) -> list[tuple[float, str]]:
    total = sum(weight for weight, _ in entries)
    return [(weight / total * share, gloss) for weight, entry in entries for share, gloss in entry.senses]


def _forms(word: str, parts_of_speech: frozenset[str]) -> list[str]:
    kinds = " ".join(parts_of_speech)
    forms: list[str] = []
    stem, last = word[:-1], word[-1]
    if "Ichidan verb" in kinds and last == "る":
        forms += [stem, stem + "れ", stem + "ろ", stem + "よ"]
    if "Godan verb" in kinds and last in GODAN:
        forms += [stem + kana for kana in GODAN[last]]
        forms.append(stem + GODAN[last][2] + "る")
    if "adjective (keiyoushi)" in kinds and last == "い":
        forms += [stem, *(stem + ending for ending in ("く", "かっ", "けれ", "さ"))]
    return [form for form in forms if form and form != word]


def _entries(connection: sqlite3.Connection) -> dict[str, list[Entry]]:
    query = connection.execute
    kanji: dict[int, list[str]] = defaultdict(list)
    kana: dict[int, list[str]] = defaultdict(list)
    glosses: dict[int, list[str]] = defaultdict(list)
    senses: dict[int, list[int]] = defaultdict(list)
    kinds: dict[int, set[str]] = defaultdict(set)
    for entry, text in query("SELECT idseq, text FROM Kanji ORDER BY ID"):
        kanji[entry].append(text)
    for entry, text in query("SELECT idseq, text FROM Kana ORDER BY ID"):
        kana[entry].append(text)
    for sense, text in query(
        "SELECT sid, text FROM SenseGloss WHERE lang IN ('eng', '') OR lang IS NULL ORDER BY sid, rowid"
    ):
        glosses[sense].append(text)
    for sense, entry in query("SELECT ID, idseq FROM Sense ORDER BY ID"):
        senses[entry].append(sense)
    for entry, text in query("SELECT s.idseq, p.text FROM pos p JOIN Sense s ON s.ID = p.sid"):
        kinds[entry].add(text)
    kana_alone = {sense for (sense,) in query("SELECT sid FROM misc WHERE text LIKE '%kana alone%'")}
    priority = Counter(entry for (entry,) in query("SELECT k.idseq FROM KNP p JOIN Kana k ON k.ID = p.kid"))

    found: dict[str, list[Entry]] = defaultdict(list)
    for entry, own in senses.items():
        meanings = _senses([glosses[sense] for sense in own[:MOST_SENSES]])
        if not meanings:
            continue
        parts_of_speech = frozenset(kinds[entry])
        weight = 1.0 + priority[entry]
        as_kana = weight if not kanji[entry] or own[0] in kana_alone else weight * READING_OF_KANJI
        for spellings, base in ((kanji[entry], weight), (kana[entry], as_kana)):
            for place, spelling in enumerate(spellings):
                found[normalise(spelling)].append(Entry(base / (1 + place / 2), meanings, parts_of_speech))
    return found


def _senses(glosses: list[list[str]]) -> tuple[tuple[float, str], ...]:
    meanings = []
    for place, texts in enumerate(glosses):
        bare = [re.sub(r"\([^)]*\)", "", text).strip() for text in texts[:MOST_GLOSSES]]
        joined = ", ".join(text for text in bare if text)
        if joined:
            meanings.append((1 / (place + 1), joined))
    return tuple(meanings)


def _kanji(connection: sqlite3.Connection) -> dict[str, str]:
    meanings: dict[str, list[str]] = defaultdict(list)
    for literal, meaning in connection.execute(
        "SELECT c.literal, m.value FROM character c JOIN rm_group g ON g.cid = c.ID JOIN meaning m ON m.gid = g.ID "
        "WHERE m.m_lang IN ('', 'en') OR m.m_lang IS NULL ORDER BY c.ID, m.rowid"
    ):
        meanings[literal].append(meaning)
    return {literal: ", ".join(texts[:MOST_GLOSSES]) for literal, texts in meanings.items()}


def _names(connection: sqlite3.Connection, wanted: dict[str, float]) -> dict[str, list[str]]:
    kinds = " OR ".join("y.text LIKE ?" for _ in NAMED)
    names: dict[str, list[str]] = defaultdict(list)
    for spelling_table in ("NEKanji", "NEKana"):
        for spelling, name in connection.execute(
            f"SELECT s.text, g.text FROM {spelling_table} s JOIN NETranslation t ON t.idseq = s.idseq "
            f"JOIN NETransGloss g ON g.tid = t.ID JOIN NETransType y ON y.tid = t.ID WHERE {kinds} ORDER BY t.ID",
            [f"{kind}%" for kind in NAMED],
        ):
            word = normalise(spelling)
            if word in wanted:
                names[word].append(re.sub(r"\([^)]*\)", "", name).strip().lower())
    return names
