"""Words of other languages and what they mean in English: a text the model cannot read is read word by word.

German, French and Italian come from sentences that were translated from English: IBM's first model says which English
word each word stands for. Chinese comes from CC-CEDICT. Korean words that are written in Chinese characters, too, come
from the Japanese dictionary, read as Korean. Everyday words of more languages come from the names that Unicode gives to
emoji. `vault_mem/embedding/languages.py` reads the table.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sqlite3
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import snowballstemmer
import wordfreq

from training import sources
from vault_mem.embedding.languages import LETTERS, plain
from vault_mem.index.terms import STOP

STEMMED = {"de": "german", "es": "spanish", "fr": "french", "it": "italian", "nl": "dutch", "pt": "portuguese",
           "ru": "russian", "sv": "swedish"}  # fmt: skip
# Among this many common words, other forms of a known word get its meaning.
COMMON_WORDS, SHORTEST_FORM = 50_000, 4
# A word is learnt if it is in this many sentences; it means an English word that explains this share of them.
LEAST_SENTENCES, LEAST_EXPLAINED_SHARE = 2, 0.25
# Smoothing: an English word in few sentences explains little, as if this many more sentences had it.
SMOOTHING = 5.0
ALIGNMENT_ROUNDS = 8
WORDS_OF_GLOSS = 2
LONGEST_SENTENCE = 40  # words; in longer ones anything could explain anything
# Words this common in a language, but not in English, tell the language of a text.
SMALL_WORDS, COMMON_ENGLISH = 150, 1000
CHINESE_WORDS, LONGEST_CHINESE = 40_000, 6
# How Korean changes some syllables at the beginning of a word.
_FIRST_SOUNDS = (
    "랴야 려여 례예 료요 류유 리이 녀여 뇨요 뉴유 니이 라나 래내 로노 뢰뇌 루누 르느 락낙 란난 람남 랑낭 "
    "랭냉 량양 력역 련연 렬열 렴염 령영 록녹 론논 롱농 룡용 륙육 륜윤 률율 륭융 린인 림임 립입 년연 념염"
)
FIRST_SOUND = {pair[0]: pair[1] for pair in _FIRST_SOUNDS.split()}

DENYING = ("not", "no", "never", "without", "nothing", "nobody")

Meanings = dict[str, str]
Stem = Callable[[str], str]


def english_of(sentences: Path) -> dict[str, str]:
    """The English sentences by their hash, which translations use to name their original."""
    files = sorted(sentences.glob("doc-*.json"))
    texts = (text for file in files for text in json.loads(file.read_text(encoding="utf-8")))
    return {hashlib.md5(text.encode()).hexdigest(): text for text in texts}


def from_translations(translations: Path, english: dict[str, str], stem: Stem) -> Meanings:
    """What the words of translated sentences mean."""
    pairs = []
    for file in sorted(translations.glob("doc-*.json")):
        for text, digest in json.loads(file.read_text(encoding="utf-8")):
            if digest in english:
                pairs.append((_words(text), _words(english[digest])))
    return aligned(pairs, stem, LEAST_SENTENCES)


def from_emoji(language: Path, english: Path, stem: Stem) -> Meanings:
    """What the words mean that a language uses in the names of emoji."""
    own, theirs = (_annotations(folder) for folder in (language, english))
    pairs = [(own[sign], theirs[sign]) for sign in sorted(own.keys() & theirs.keys())]
    return aligned(pairs, stem, 1)


def _annotations(folder: Path) -> dict[str, list[str]]:
    found = json.loads((folder / "annotations.json").read_text(encoding="utf-8"))["annotations"]["annotations"]
    return {sign: _words(" ".join([*said.get("tts", ()), *said.get("default", ())])) for sign, said in found.items()}


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(plain(word) for word in LETTERS.findall(text.lower())))


def aligned(pairs: Iterable[tuple[list[str], list[str]]], stem: Stem, least_sentences: int) -> Meanings:
    """Which English words the words of translated texts stand for; all forms of a word are counted together."""
    pairs = [(own[:LONGEST_SENTENCE], english[:LONGEST_SENTENCE]) for own, english in pairs if own and english]
    forms, english_forms = (Counter(word for pair in pairs for word in pair[side]) for side in (0, 1))
    own_stems = Counter(stem(form) for form in forms.elements())
    stems = {
        each: number
        for number, each in enumerate(sorted(each for each in own_stems if own_stems[each] >= least_sentences))
    }
    usual = {_english_stem(form): form for form, _ in reversed(english_forms.most_common())}
    numbers = {each: number for number, each in enumerate(sorted(usual))}
    of_form = {form: stems.get(stem(form), -1) for form in forms}
    number_of = {form: numbers[_english_stem(form)] for form in english_forms}
    firsts, seconds, sizes = [], [], []
    for own, english in pairs:
        others = [number_of[word] for word in english]
        for word in {of_form[word] for word in own} - {-1}:
            firsts.append(word)
            sizes.append(len(others))
            seconds += others
    size = np.array(sizes)
    first, second = np.repeat(np.array(firsts), size), np.array(seconds)
    which, starts = np.repeat(np.arange(len(size)), size), np.cumsum(size) - size
    distinct, pair = np.unique(first * len(numbers) + second, return_inverse=True)
    own_of, english_of_ = distinct // len(numbers), distinct % len(numbers)
    chance = np.ones(len(distinct))
    for _ in range(ALIGNMENT_ROUNDS):
        likely = chance[pair]
        likely /= np.add.reduceat(likely, starts)[which]
        counts = np.bincount(pair, likely, len(distinct))
        chance = counts / (np.bincount(english_of_, counts, len(numbers)) + SMOOTHING)[english_of_]
    share = counts / np.bincount(own_of, counts, len(stems))[own_of]
    words = [usual[each] for each in numbers]
    found: dict[int, list[tuple[float, str]]] = defaultdict(list)
    for at in np.flatnonzero(share >= LEAST_EXPLAINED_SHARE).tolist():
        found[int(own_of[at])].append((float(share[at]), words[english_of_[at]]))
    meant = {of: [each for _, each in sorted(few, reverse=True)[:WORDS_OF_GLOSS]] for of, few in found.items()}
    return {form: content_words(meant[of]) for form, of in of_form.items() if of in meant and form not in meant[of]}


def content_words(words: Iterable[str]) -> str:
    """The words without stop words, but with "not" and the like."""
    return " ".join(word for word in words if word not in STOP or word in DENYING)


def chinese(entries: Path) -> Meanings:
    """What common Chinese words mean, in either form of the characters."""
    common = set(wordfreq.top_n_list("zh", CHINESE_WORDS))
    found: Meanings = {}
    for entry in json.loads(entries.read_text(encoding="utf-8")):
        gloss = _gloss(entry["english"])
        if gloss and entry["simplified"] in common and len(entry["simplified"]) <= LONGEST_CHINESE:
            for written in (entry["simplified"], entry["traditional"]):
                if not entry["pinyin"][:1].isupper() or written not in found:
                    found.setdefault(unicodedata.normalize("NFKC", written), gloss)
    return found


def _gloss(senses: Iterable[str]) -> str:
    """The first words of the first useful sense."""
    for sense in senses:
        bare = re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", sense)
        if re.search(r"\b(?:CL:|variant of|surname|see also|used in|abbr\. for|classifier|particle)", bare):
            continue
        words = [plain(word) for word in LETTERS.findall(bare.lower().split(";")[0])]
        gloss = content_words(word for word in words if word not in ("sth", "sb", "etc", "esp"))
        if gloss:
            return " ".join(gloss.split()[: WORDS_OF_GLOSS + 1])
    return ""


def korean(database: Path) -> Meanings:
    """What Korean words of Chinese origin mean: words in kanji from the Japanese dictionary, read as Korean."""
    connection = sqlite3.connect(database)
    sounds: dict[str, str] = {}
    for letter, sound in connection.execute(
        "SELECT c.literal, r.value FROM character c JOIN rm_group g ON g.cid = c.ID JOIN reading r ON r.gid = g.ID "
        "WHERE r.r_type = 'korean_h' ORDER BY c.ID, r.rowid"
    ):
        sounds.setdefault(letter, sound)
    known = set(wordfreq.top_n_list("ko", 50_000))
    glosses: dict[int, list[str]] = defaultdict(list)
    for entry, text in connection.execute(
        "SELECT s.idseq, g.text FROM SenseGloss g JOIN Sense s ON s.ID = g.sid ORDER BY s.ID, g.rowid"
    ):
        glosses[entry].append(text)
    common = "SELECT k.idseq FROM KJP p JOIN Kanji k ON k.ID = p.kid"
    priority = Counter(entry for (entry,) in connection.execute(common))
    best: dict[str, tuple[int, str]] = {}
    for entry, written in connection.execute("SELECT idseq, text FROM Kanji ORDER BY ID"):
        if 2 <= len(written) <= 4 and all(letter in sounds for letter in written):
            spoken = "".join(sounds[letter] for letter in written)
            spoken = FIRST_SOUND.get(spoken[0], spoken[0]) + spoken[1:]
            gloss = _gloss(glosses[entry])
            if spoken in known and gloss and priority[entry] > best.get(spoken, (-1, ""))[0]:
                best[spoken] = (priority[entry], gloss)
    return {word: gloss for word, (_, gloss) in best.items()}


def small_words(languages: Iterable[str]) -> dict[str, list[str]]:
    """The common words of each language, except those that are also English; and those of English."""
    english = set(wordfreq.top_n_list("en", COMMON_ENGLISH))
    found = {"en": wordfreq.top_n_list("en", SMALL_WORDS)}
    for language in sorted(languages):
        common = (
            plain(word) for word in wordfreq.top_n_list(language, SMALL_WORDS) if word.isalpha() and len(word) > 1
        )
        found[language] = [word for word in dict.fromkeys(common) if word not in english]
    return found


def with_forms(language: str, meant: Meanings, stem: Stem) -> Meanings:
    """The meanings, also for further common forms of the same words."""
    of_stem = {stem(word): gloss for word, gloss in meant.items()}
    forms = (plain(word) for word in wordfreq.top_n_list(language, COMMON_WORDS) if len(word) >= SHORTEST_FORM)
    return {form: of_stem[stem(form)] for form in forms if stem(form) in of_stem} | meant


def stemmer(name: str) -> Stem:
    """A cached stemmer."""
    return cache(snowballstemmer.stemmer(name).stemWord)


_english_stem = stemmer("english")


def tables(found: sources.Sources) -> Iterator[tuple[str, Meanings]]:
    """The table of each language."""
    english = english_of(found.english_text)
    yield "zh", chinese(found.chinese)
    yield "ko", from_emoji(found.emoji / "ko", found.emoji / "en", str) | korean(found.dictionary)
    for language, name in STEMMED.items():
        stem = stemmer(name)
        if language in found.translated:
            meant = from_translations(found.translated[language], english, stem)
        else:
            meant = from_emoji(found.emoji / language, found.emoji / "en", stem)
        yield language, with_forms(language, meant, stem)


def write(found: sources.Sources, out: Path) -> None:
    """Write the files that `vault_mem/embedding/languages.py` needs."""
    out.mkdir(exist_ok=True)
    for language, meant in tables(found):
        lines = [f"{word}\t{gloss}\n" for word, gloss in sorted(meant.items())]
        (out / f"{language}.txt").write_text("".join(lines), encoding="utf-8")
        print(f"{language}: {len(lines)} words")
    small = {name: " ".join(words) for name, words in small_words(STEMMED).items()}
    told = json.dumps(small, ensure_ascii=False, indent=1) + "\n"
    (out / "small_words.json").write_text(told, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("build/model"))
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    write(sources.locate(given.work), given.out)
