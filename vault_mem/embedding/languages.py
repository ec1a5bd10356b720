"""Word-by-word English for texts in languages that the built-in model cannot read.

The model knows English and Japanese. A German, Chinese or Korean text is read word by word with the tables beside the
model (`training/languages.py` makes them); each word becomes one or two English ones, whatever the context.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from vault_mem.embedding.sorted_lines import look_up

LETTERS = re.compile(r"[^\W\d_]+")
ENGLISH = ("en",)
# In a text of this many words or fewer, a single word may tell its language, if the model knows hardly any of them.
FEW_WORDS = 6
# A text's language is told from this many characters at its beginning.
BEGINNING_CHARACTERS = 200
# The parts of a compound have at least this many letters; a joining sound (`_JOINED`) may come between them.
SHORTEST_PART = 4
# A longer run of letters is not a word, and looking up all its parts would take long.
LONGEST_WORD = 40
_JOINED = re.compile(r"(?:e[ns]|[sne])$")
_COMPOUNDING = ("de", "nl", "sv")
_KANA = re.compile(r"[ぁ-ゖァ-ヺｦ-ﾝ]")
_HAN = re.compile(r"[㐀-䶿一-鿿豈-﫿]+")
_ONLY_CHINESE = re.compile("[你她們這很嗎呢吧麼沒]")
_HANGUL = re.compile(r"[가-힣]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")


Words = dict[tuple[int, int], str]  # by start and end


class Translated(NamedTuple):
    """A word's position in a text, and its English; empty if it only serves grammar."""

    start: int
    end: int
    english: str


class Languages:
    """The tables in a folder: one file for each language, and the small words that tell one from another."""

    def __init__(self, folder: Path, known: Callable[[str], bool]) -> None:
        """`known` tells whether the model has a word in its own vocabulary."""
        self._folder, self._known = folder, known
        self._files: dict[str, bytes] = {}
        self._meaning = lru_cache(maxsize=20_000)(self._looked_up)
        self._table = cache(self._whole_table)

    def in_english(self, text: str) -> str:
        """A text as the model can read it."""
        return with_english(text, self.translations(text))

    def translations(self, text: str) -> list[Translated]:
        """The foreign words of a text with their English, in order; none if the model can read it."""
        if text.isascii():
            return self._in_letters(text)
        if _KANA.search(text):
            return []
        if _HANGUL.search(text):
            return list(self._korean(text))
        if _HAN.search(text) and _is_chinese(text):
            return list(self._chinese(text))
        return self._in_letters(text)

    def _in_letters(self, text: str) -> list[Translated]:
        small, begins = self._small, text[:BEGINNING_CHARACTERS].lower()
        words = begins.split()
        few = len(words) <= FEW_WORDS
        votes = [small[word] for word in (LETTERS.findall(begins) if few else words) if word in small]
        own = votes.count(ENGLISH)
        if own == len(votes) and not few:  # true of nearly every text
            return []
        others = Counter(each for vote in votes if vote != ENGLISH for each in vote)
        count = max(others.values(), default=0)
        if count <= max(own, 1) and not (few and own < 2 and self._strange(begins)):
            return []
        if count <= own:
            return self._all(self._languages, self._doubtful(text))
        return self._all([name for name in others if others[name] == count], _words_of(text))

    def _strange(self, text: str) -> bool:
        """Whether at least half of the longer words are unknown to the model."""
        words = [plain(word) for word in LETTERS.findall(text) if len(word) >= SHORTEST_PART]
        return 2 * sum(not self._known(word) for word in words) >= len(words) > 0

    def _doubtful(self, text: str) -> Words:
        """The words that the model does not know."""
        words = _words_of(text).items()
        return {span: word for span, word in words if len(word) >= SHORTEST_PART and not self._known(word)}

    def _all(self, languages: Iterable[str], words: Words) -> list[Translated]:
        """The words that are found in one of the languages: the one that has most of them."""

        def in_(language: str) -> list[Translated]:
            meant = ((span, self._meaning(language, word)) for span, word in words.items())
            return [Translated(*span, english) for span, english in meant if english is not None]

        return max(map(in_, languages), key=len, default=[])

    def _looked_up(self, language: str, word: str) -> str | None:
        """What a word means. In languages such as German, a compound is looked up by its two parts."""
        found = self._entry(language, word)
        if found is not None or language not in _COMPOUNDING or len(word) > LONGEST_WORD:
            return found
        for cut in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1):
            if tail := self._entry(language, word[cut:]):
                head = word[:cut]
                if first := self._entry(language, head) or self._entry(language, _JOINED.sub("", head)):
                    return f"{first} {tail}"
        return None

    def _entry(self, language: str, word: str) -> str | None:
        if language not in self._files:
            self._files[language] = (self._folder / f"{language}.txt").read_bytes()
        found = look_up(self._files[language], word)
        return None if found is None else found[0]

    def _chinese(self, text: str) -> Iterator[Translated]:
        """The longest words that the table has, one after the other."""
        table, longest = self._table("zh"), self._longest
        for run in _HAN.finditer(text):
            at, end = run.span()
            while at < end:
                word = next((text[at:to] for to in range(min(at + longest, end), at, -1) if text[at:to] in table), "")
                if word and (len(word) > 1 or not self._known(word)):
                    yield Translated(at, at + len(word), table[word])
                at += len(word) or 1

    def _korean(self, text: str) -> Iterator[Translated]:
        """The beginnings of words that the table has, since particles and endings follow without a space."""
        table = self._table("ko")
        for run in _HANGUL.finditer(text):
            word = run.group()
            sizes = range(min(len(word), LONGEST_WORD), 0, -1)
            begins = next((word[:size] for size in sizes if word[:size] in table), "")
            if len(begins) > 1 or begins == word:
                yield Translated(*run.span(), table[begins])

    def _whole_table(self, language: str) -> dict[str, str]:
        """The table as a dictionary, for scripts whose words are searched for at every character."""
        lines = (self._folder / f"{language}.txt").read_text(encoding="utf-8").splitlines()
        return dict(line.split("\t") for line in lines)

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._table("zh")))

    @cached_property
    def _small(self) -> dict[str, tuple[str, ...]]:
        """The languages that have each small word."""
        small_words = json.loads((self._folder / "small_words.json").read_bytes())
        found: dict[str, tuple[str, ...]] = {}
        for language, words in small_words.items():
            for word in words.split():
                found[word] = (*found.get(word, ()), language)
        return found

    @cached_property
    def _languages(self) -> list[str]:
        """All but English that are told by small words: those written in letters."""
        return sorted({language for each in self._small.values() for language in each} - {*ENGLISH})


def with_english(text: str, words: Iterable[Translated]) -> str:
    """A text with some of its words in English."""
    parts, end = [], 0
    for word in words:
        parts += [text[end : word.start], word.english]
        end = word.end
    return " ".join([*parts, text[end:]]) if parts else text


def _words_of(text: str) -> Words:
    return {match.span(): plain(match.group().lower()) for match in LETTERS.finditer(text)}


def _is_chinese(text: str) -> bool:
    """Whether a text without kana is Chinese: it has characters that Japanese does not use."""
    if _ONLY_CHINESE.search(text):
        return True
    try:
        "".join(_HAN.findall(text)).encode("shift_jis")
    except UnicodeEncodeError:
        return True
    return False


def plain(word: str) -> str:
    """A word in small letters without its accents, as the tables have it."""
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", word)))
