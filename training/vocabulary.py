"""What the model has tokens for: words, pieces of words, numbers, emoji, kanji, and a way to spell anything else."""

from __future__ import annotations

import json
import math
import re
import string
import unicodedata
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
import wordfreq
from numpy.typing import NDArray

from training.dictionary import normalise

JAPANESE = re.compile(r"[\u3005-\u3007\u3041-\u3096\u309d-\u30fa\u30fc-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
POLITE_NEGATION = {"ません": 1e-3}  # the frequency list splits it, and its second half, ん, means many things
CONTRACTIONS = ("s", "re", "ve", "ll", "d", "m")
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~、。「」『』・…—–“”‘’•★☆→←¥€£°\ufffd"
OTHER_ALPHABETS = (
    (0x3B1, 0x3C9), (0x430, 0x45F), (0x5D0, 0x5EA), (0x621, 0x64A), (0xE01, 0xE3A), (0xE40, 0xE4E),
    (0x905, 0x939), (0x93E, 0x94D),
)  # fmt: skip
EMOJI = ((0x2600, 0x27BF), (0x1F300, 0x1F64F), (0x1F680, 0x1F6FF), (0x1F900, 0x1F9FF), (0x1FA70, 0x1FAFF))


class Kind(Enum):
    """How the vector of a token is made."""

    SPECIAL = "special"
    ENGLISH = "English word"
    PIECE = "piece of an English word"
    NUMBER = "number"
    PUNCTUATION = "punctuation"
    EMOJI = "emoji"
    JAPANESE = "Japanese word"
    KANJI = "single kanji"
    KANA = "single kana"
    CHARACTER = "letter of another alphabet"
    BYTE = "byte"


@dataclass(frozen=True)
class Vocabulary:
    """Tokens in the order of their ids, with the tokenizer's score, the kind and the frequency of each."""

    tokens: list[str]
    scores: list[float]
    kinds: NDArray[np.object_]
    frequencies: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.tokens)

    def of(self, *kinds: Kind) -> NDArray[np.intp]:
        """Return the ids of the tokens of these kinds."""
        return np.flatnonzero([kind in kinds for kind in self.kinds])


class _Builder:
    def __init__(self) -> None:
        self.rows: dict[str, tuple[float, Kind, float]] = {}

    def add(self, token: str, score: float, kind: Kind, frequency: float = 1e-7) -> None:
        self.rows.setdefault(token, (score, kind, frequency))

    def finished(self) -> Vocabulary:
        scores, kinds, frequencies = zip(*self.rows.values(), strict=True)
        return Vocabulary(
            list(self.rows), [round(score, 2) for score in scores],
            np.array(kinds, dtype=object), np.array(frequencies, dtype=np.float32),
        )  # fmt: skip


def english_words(count: int) -> dict[str, float]:
    """Return the most frequent English words of plain letters, with their frequencies."""
    words: dict[str, float] = {}
    for word, frequency in wordfreq.get_frequency_dict("en", "large").items():
        if re.fullmatch(r"[a-z]{1,18}", word):
            words[word] = frequency
        if len(words) == count:
            break
    return words


def japanese_words(count: int) -> dict[str, float]:
    """Return the most frequent Japanese words, with their frequencies."""
    words = dict(POLITE_NEGATION)
    for word, frequency in wordfreq.get_frequency_dict("ja", "large").items():
        spelling = normalise(word)
        if len(spelling) <= 10 and JAPANESE.fullmatch(spelling):
            words.setdefault(spelling, frequency)
        if len(words) == count:
            break
    return words


def english_pieces(teacher: Path) -> list[str]:
    """Return the word pieces of the teacher's own tokenizer, for words that have no token."""
    vocabulary = json.loads((teacher / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    pieces = {token[2:] for token in vocabulary if re.fullmatch(r"##[a-z]+", token)}
    return sorted(pieces | set(string.ascii_lowercase))


def build(
    english: dict[str, float], pieces: list[str], japanese: dict[str, float], kanji: dict[str, str]
) -> Vocabulary:
    """Put the tokens together.

    Scores are what the Viterbi search of the Unigram tokenizer adds up. Latin words and numbers stand alone between
    spaces, so theirs only have to make the fewest tokens win (all between -10 and -13: two tokens always lose to one).
    Japanese is written without spaces, so its scores are log frequencies.
    """
    rows = _Builder()
    rows.add("[PAD]", 0.0, Kind.SPECIAL)
    rows.add("[UNK]", 0.0, Kind.SPECIAL)
    for word, frequency in english.items():
        rows.add(word, -10.0 + math.log10(frequency) / 8, Kind.ENGLISH, frequency)
    for piece in pieces:
        rows.add(piece, -11.5 if len(piece) > 1 else -12.5, Kind.PIECE)
    for letter in "ßàæðøþđħıłŋœŧ":
        rows.add(letter, -12.5, Kind.PIECE)
    for number in [*map(str, range(1000)), *(f"{n:02d}" for n in range(100)), *map(str, range(1900, 2100)), "000"]:
        rows.add(number, -10.0 - len(number) / 10, Kind.NUMBER)
    for sign in PUNCTUATION:
        rows.add(unicodedata.normalize("NFKC", sign)[0], -9.0, Kind.PUNCTUATION)
    for ending in CONTRACTIONS:
        rows.add("'" + ending, -9.0, Kind.PUNCTUATION)
        rows.add("’" + ending, -9.0, Kind.PUNCTUATION)
    for first, last in EMOJI:
        for code in range(first, last + 1):
            if unicodedata.name(chr(code), ""):
                rows.add(chr(code), -9.0, Kind.EMOJI)
    for word, frequency in japanese.items():
        floor = -15.0 if len(word) > 1 else -14.0
        rows.add(word, max(math.log(frequency), floor), Kind.JAPANESE, frequency)
    for character in kanji:
        if JAPANESE.fullmatch(character) and _in_common_use(character):
            rows.add(character, -14.5, Kind.KANJI)
    for code in (*range(0x3041, 0x3097), *range(0x30A1, 0x30FB), *map(ord, "ー々〆〇ゝゞヽヾ")):
        rows.add(chr(code), -13.0, Kind.KANA)
    for first, last in OTHER_ALPHABETS:
        for code in range(first, last + 1):
            rows.add(chr(code), -14.0, Kind.CHARACTER)
    for syllable in _hangul():
        rows.add(syllable, -14.0, Kind.CHARACTER)
    for byte in range(256):
        rows.add(f"<0x{byte:02X}>", -20.0, Kind.BYTE)
    return rows.finished()


def _in_common_use(character: str) -> bool:
    """Tell whether JIS X 0208 has the kanji; rarer ones are spelled in bytes."""
    try:
        return len(character.encode("euc_jp")) == 2
    except UnicodeEncodeError:
        return False


def _hangul() -> list[str]:
    """Return the 2,350 syllables of KS X 1001."""
    return [bytes([high, low]).decode("euc_kr") for high in range(0xB0, 0xC9) for low in range(0xA1, 0xFF)]
