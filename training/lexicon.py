"""What the guard's judge knows of words: which mean the same, which are opposites, and dictionary forms.

English comes from WordNet, Japanese from JMdict: two Japanese words mean the same where they share an English gloss.
A later sense of a Japanese word is marked `~`: a promise and a habit are both a convention, but neither first of all.
`=` marks how a word in kanji is read, so that it is the same word in kana.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
from collections import defaultdict
from pathlib import Path

from training.dictionary import Dictionary, normalise
from training.sources import locate
from training.vocabulary import english_words, japanese_words

SENSES_ENGLISH = 3  # later senses are rare: with them, nearly all words would be synonyms of each other
SENSES_JAPANESE = 2
GLOSSES_JAPANESE = 4
READINGS = 2
PARTICLES = frozenset(
    (
        *("up", "off", "out", "in", "down", "away", "back", "over", "on", "after", "for", "by", "through", "along"),
        *("into", "about"),
    )
)
GLOSS_WORDS = 3  # longer glosses explain rather than translate
ENGLISH_WORDS = 40_000
JAPANESE_WORDS = 60_000

_LOAN = re.compile(r"[ァ-ヺー]{3,12}")
_PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


def build(database: Path, wordnet: Path, out: Path) -> None:
    """Write the lexicon that ships with the package: a table of meanings, and a JSON file with the rest."""
    english = english_words(ENGLISH_WORDS)
    senses, antonyms, derived = _wordnet(wordnet, english)
    japanese, lemmas, opposites = _jmdict(database, japanese_words(JAPANESE_WORDS), derived)
    (out / "meanings.txt").write_bytes(table({**senses, **japanese}))
    lexicon = {"opposites": sorted(antonyms | opposites), "derived": sorted(derived), "lemmas": lemmas}
    text = json.dumps(lexicon, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    (out / "lexicon.json").write_text(text + "\n", encoding="utf-8")


def table(meanings: dict[str, list[str]]) -> bytes:
    """A line for every word, sorted by bytes: the word and its meanings."""
    lines = sorted("\t".join((word, *own)).encode() for word, own in meanings.items())
    return b"".join(line + b"\n" for line in lines)


Pairs = set[tuple[str, str]]


def _wordnet(folder: Path, wanted: dict[str, float]) -> tuple[dict[str, list[str]], Pairs, Pairs]:
    """For every wanted word the synsets of its main senses, by number; all opposites, and all words of one root."""
    senses: dict[str, list[str]] = defaultdict(list)
    words_at: dict[str, list[str]] = {}

    def known(word: str) -> bool:
        """Whether a word is wanted, or is a wanted verb with a particle: hand in, call off."""
        verb, _, small = word.partition("_")
        return word in wanted or (small in PARTICLES and verb in wanted)

    pointers: list[tuple[str, str, str]] = []
    for part, name in _PARTS.items():
        _read_synsets(folder / f"data.{name}", part, words_at, pointers)
    for part, name in _PARTS.items():
        for line in _lines(folder / f"index.{name}"):
            fields = line.split()
            word, count = fields[0], int(fields[2])
            if known(word):
                offsets = fields[len(fields) - count :][:SENSES_ENGLISH]
                own = [part + offset for offset in offsets]
                senses[word] += [sense for sense in own if sum(map(known, words_at[sense])) > 1]
    shared = {sense for own in senses.values() for sense in own}
    numbers = {sense: number for number, sense in enumerate(sorted(shared))}
    found = {
        word: [f"#{number}" for number in sorted({numbers[sense] for sense in own})]
        for word, own in sorted(senses.items())
    }
    antonyms, derived = (
        {
            (min(one, other), max(one, other))
            for sign, one, place in pointers
            if sign in signs and (other := _word_at(words_at, place)) in wanted and one in wanted and one != other
        }
        for signs in ("!", "+\\")
    )
    return found, antonyms, derived


def _word_at(words_at: dict[str, list[str]], place: str) -> str:
    sense, _, number = place.partition(" ")
    return words_at[sense][int(number) - 1] if int(number) else ""


def _read_synsets(path: Path, part: str, words_at: dict[str, list[str]], pointers: list[tuple[str, str, str]]) -> None:
    """Collect the words of every synset, and every pointer from a word to a word."""
    for line in _lines(path):
        fields = line.split("|")[0].split()
        count = int(fields[3], 16)
        words = [re.sub(r"\(.*\)", "", fields[4 + 2 * place]).lower() for place in range(count)]
        words_at[part + fields[0]] = words
        start, number = 5 + 2 * count, int(fields[4 + 2 * count])
        rest = fields[start : start + 4 * number]
        for sign, offset, other, ends in zip(rest[0::4], rest[1::4], rest[2::4], rest[3::4], strict=True):
            source, target = int(ends[:2], 16), int(ends[2:], 16)
            if source and sign in "!+\\":
                pointers.append((sign, words[source - 1], f"{other.replace('s', 'a')}{offset} {target}"))


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("  ")]


def _jmdict(
    database: Path, wanted: dict[str, float], derived: Pairs
) -> tuple[dict[str, list[str]], dict[str, str], set[tuple[str, str]]]:
    """For every wanted word its glosses, the dictionary form of inflected ones, and all pairs of opposites."""
    dictionary = Dictionary(database, wanted)
    glosses: dict[str, list[str]] = {}
    lemmas: dict[str, str] = {}
    readings = _readings(database)
    roots: dict[str, list[str]] = defaultdict(list)
    for one, other in sorted(derived):
        roots[one].append(other)
        roots[other].append(one)

    def meanings(word: str, count: int) -> list[str]:
        entries = sorted(dictionary.entries.get(word, ()), key=lambda entry: -entry.weight)[:count]
        own: list[str] = []
        for place in range(SENSES_JAPANESE):
            joined = [gloss for entry in entries for _, gloss in entry.senses[place : place + 1]]
            told = [_bare(gloss) for each in joined for gloss in each.split(", ")[:GLOSSES_JAPANESE]]
            told = [gloss for gloss in told if gloss and len(gloss.split()) <= GLOSS_WORDS]
            # "deletion" and "delete" gloss the noun and the verb of one word: the root connects them
            told += [root for gloss in told for root in roots.get(gloss, ()) if root[:4] == gloss[:4]]
            own += [("~" if place else "") + gloss for gloss in dict.fromkeys(told) if gloss not in own]
        return [*own, *(f"={kana}" for kana in readings.get(word, ()))] if own else []

    loans = {word for word in dictionary.entries if _LOAN.fullmatch(word)}  # rare in print, common in an agent's notes
    for word in [*wanted, *sorted(loans - set(wanted))]:
        if own := meanings(word, 2):
            glosses[word] = own
        entries = sorted(dictionary.entries.get(word, ()), key=lambda entry: -entry.weight)
        forms = sorted(dictionary._inflected.get(word, ()), key=lambda form: -form[1])
        if forms and (not entries or entries[0].weight < forms[0][2].weight):
            lemmas[word] = forms[0][0]
    for lemma in sorted(set(lemmas.values())):
        glosses.setdefault(lemma, meanings(lemma, 1))
    return glosses, lemmas, _opposites(database, set(glosses))


def _readings(database: Path) -> dict[str, list[str]]:
    """The readings of every word written in kanji."""
    found: dict[str, list[str]] = defaultdict(list)
    for word, kana in sqlite3.connect(database).execute(
        "SELECT k.text, r.text FROM Kanji k JOIN Kana r ON r.idseq = k.idseq ORDER BY k.ID, r.ID"
    ):
        if len(kana) > 1 and len(own := found[normalise(word)]) < READINGS and kana not in own:
            own.append(kana)
    return found


def _bare(gloss: str) -> str:
    return re.sub(r"^(?:to be |to |the |an? )", "", gloss.strip().lower()).strip()


def _opposites(database: Path, wanted: set[str]) -> set[tuple[str, str]]:
    connection = sqlite3.connect(database)
    spellings: dict[int, list[str]] = defaultdict(list)
    for table in ("Kanji", "Kana"):
        for sense, text in connection.execute(f"SELECT s.ID, k.text FROM Sense s JOIN {table} k ON k.idseq = s.idseq"):
            spellings[sense].append(normalise(text))
    pairs: set[tuple[str, str]] = set()
    for sense, reference in connection.execute("SELECT sid, text FROM antonym"):
        other = normalise(reference.split("・")[0])
        for own in spellings[sense]:
            if own in wanted and other in wanted and own != other:
                pairs.add((min(own, other), max(own, other)))
    return pairs


def main() -> None:
    """Build the lexicon from a work folder into the package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    sources = locate(given.work)
    build(sources.dictionary, sources.wordnet, given.out)


if __name__ == "__main__":
    main()
