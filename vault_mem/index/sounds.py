"""How a name sounds, in Latin letters or in Japanese ones: Marcus is マーカス, and さくら is Sakura.

A name is reduced to its consonants, as far as Japanese distinguishes them; a short one keeps its first vowel too.
Where letters are ambiguous there are several forms. A name in Chinese characters does not tell how it sounds.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import product

_KANA = re.compile(r"[ぁ-ゖァ-ヺー]{2,}")
# Likely names in a query: katakana words and capitalised words.
_LIKELY = re.compile(r"[ァ-ヺー]{2,}|\b[A-ZÀ-Þ][^\W\d_]+")
# Names with at most this many consonants sound alike too often: their first vowel counts as well.
FEW_CONSONANTS = 2

_KANA_ROWS = {
    "": "アイウエオ", "k": "カキクケコ", "g": "ガギグゲゴ", "s": "サシスセソ", "z": "ザジズゼゾ", "t": "タチツテト",
    "d": "ダヂヅデド", "n": "ナニヌネノ", "h": "ハヒフヘホ", "b": "バビブベボ", "p": "パピプペポ", "m": "マミムメモ",
    "r": "ラリルレロ",
}  # fmt: skip
_SYLLABLES = {kana: row + vowel for row, line in _KANA_ROWS.items() for kana, vowel in zip(line, "aiueo", strict=True)}
_SYLLABLES |= {"ヤ": "ya", "ユ": "yu", "ヨ": "yo", "ワ": "a", "ヲ": "o", "ン": "n", "ヴ": "bu", "ヂ": "zi"}
_SMALL_KANA = dict(zip("ァィゥェォャュョヮ", "aiueoauoa", strict=True))
# Sounds of Latin letters, longest spelling first; the first match wins.
_LATIN: list[tuple[str, tuple[str, ...]]] = [
    ("sch", ("s",)), ("tch", ("t",)), ("th", ("t", "s", "z")), ("ph", ("h",)), ("sh", ("s",)), ("ch", ("t", "k", "s")),
    ("ck", ("k",)), ("gh", ("g", "")), ("ts", ("t",)), ("qu", ("k",)), ("ce", ("se",)), ("ci", ("si",)),
    ("cy", ("si",)), ("ge", ("ze", "ge")), ("gi", ("zi", "gi")), ("gy", ("zi",)), ("c", ("k",)), ("q", ("k",)),
    ("x", ("ks", "s")), ("f", ("h",)), ("v", ("b",)), ("w", ("", "b")), ("j", ("z", "y")), ("l", ("r",)),
]  # fmt: skip


@lru_cache(maxsize=4096)
def sounds(name: str) -> frozenset[str]:
    """The reduced forms of a name's possible sounds; none if its spelling does not tell."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    if in_kana(plain):
        return frozenset({_consonant_form(_spoken(plain))})
    letters = "".join(each for each in unicodedata.normalize("NFD", plain) if not unicodedata.combining(each))
    if not re.fullmatch(r"[a-z]{2,16}", letters):
        return frozenset()
    spoken = _read(letters)
    # An r at the end of a syllable may become a long vowel: Oscar is オスカー, but Viktor is ヴィクトル.
    return frozenset(
        _consonant_form(form) for each in spoken for form in (each, re.sub(r"(?<=[aiueo])r(?![aiueoy])", "", each))
    )


def in_kana(name: str) -> bool:
    """Whether a name is written in Japanese letters that stand for sounds."""
    return bool(_KANA.fullmatch(name))


def likely_names(query: str) -> list[str]:
    """The words of a query that may be names written in the other script."""
    return _LIKELY.findall(unicodedata.normalize("NFKC", query))


def _spoken(kana: str) -> str:
    found = ""
    for letter in (chr(ord(each) + 0x60) if "ぁ" <= each <= "ゖ" else each for each in kana):
        if letter in _SMALL_KANA:
            found = re.sub(r"[aiueo]$", "", found) + _SMALL_KANA[letter]
        else:
            found += _SYLLABLES.get(letter, "")
    return found


def _read(letters: str) -> list[str]:
    pieces: list[tuple[str, ...]] = []
    while letters:
        written, read = next((each for each in _LATIN if letters.startswith(each[0])), (letters[0], (letters[0],)))
        pieces.append(read)
        letters = letters[len(written) :]
    return ["".join(each) for each in list(product(*pieces))[:16]]


def _consonant_form(spoken: str) -> str:
    """The consonants without doubles; before them the first vowel if there are few, or an "a" for any initial vowel."""
    spoken = re.sub(r"y(?![aiueo])", "i", re.sub(r"h(?![aiueoy])", "", spoken))
    spoken = re.sub(r"(.)\1+", r"\1", re.sub(r"m(?=[bp])", "n", spoken))
    consonants = re.sub(r"[aiueo]", "", spoken)
    vowels = re.sub(r"[^aiueo]", "", spoken)
    return (vowels[:1] if len(consonants) <= FEW_CONSONANTS else "a" if spoken[0] in "aiueo" else "") + consonants
