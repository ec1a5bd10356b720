"""Common ground: whether two texts that are near each other are about the same thing, or only of one tone."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge.judge import MAX_LENGTH
from vault_mem.judge.text import LIGHT, Text, names_in, texts
from vault_mem.judge.words import Word, read_words

_TONE = read_words("tone.txt") | LIGHT
# What words weigh in the model: "good" 0.4, "job" 0.8, "store" 1.0, "guitar" 1.4. Up to this, they name no thing.
SMALL_TALK = 0.7
# Loan words in Japanese weigh up to 1.9, and say no more for it.
MAX_WEIGHT = 1.4
# What a word weighs at least that the model must put together from pieces: it knows the common ones whole.
UNCOMMON = 1.2
# Different words count from this cosine on: clothing and clothes, 手術 and surgery.
KINDRED = 0.5
# A word in fewer than one of this many memories is rare.
RARE = 20
# With this many memories, half is known of which words are common in the vault.
FEW = 10
# The weight that two texts must share in a large vault: one telling and rare word, or a few that are less so. It must
# be this share of what the shorter says at all, for long texts have some words in common by chance.
NEEDED, SHARE = 0.55, 0.15
# A text that says little needs less in common: at least this weight, if it is this share of the text.
SHORT_NEEDED, SHORT_SHARE = 0.2, 0.7
# An identifier that both texts have weighs as much as a telling word.
IDENTIFIER = 0.5
# Letters of which no words are made here.
_UNREAD = re.compile(r"[^\W\d_A-Za-zÀ-ÖØ-öø-ÿぁ-ヺー一-鿿々〆]")


class Usage:
    """How common words are in a vault, by a sample of its texts: the more there are, the more they say."""

    def __init__(self, sample: Sequence[str]) -> None:
        self._texts = [text.casefold() for text in sample]
        self._rarities: dict[str, float] = {}
        self.trust = len(sample) / (len(sample) + FEW)

    def rarity(self, word: Word) -> float:
        """1 for a rare word, near 0 for one that stands in most memories."""
        rarity = self._rarity(word.text)
        return rarity if word.lemma == word.text else min(rarity, self._rarity(word.lemma))

    def _rarity(self, word: str) -> float:
        if word not in self._rarities:
            having = sum(word in text for text in self._texts)
            among = len(self._texts) + FEW
            self._rarities[word] = min(math.log(among / max(having, 1)) / math.log(RARE), 1.0)
        return self._rarities[word]


def common_ground(before: str, after: str, tokens: TokenVectors, usage: Usage) -> bool:
    """Whether two texts have something to say to each other: words that name things, the rarer the better.

    True where nothing can be said against it: equal texts, documents, and languages without word lists.
    """
    if before == after or max(len(before), len(after)) > MAX_LENGTH or _unread(before) or _unread(after):
        return True
    one, two = texts(*_without_formulas(before, after), tokens)
    left, right = _telling(one, tokens), _telling(two, tokens)
    shared = IDENTIFIER * len(_identifiers(one) & _identifiers(two))
    for a, b, cosine in _kindred(left, right, tokens):
        shared += cosine * min(_tells(a, tokens, usage), _tells(b, tokens, usage))
    if not shared or shared < SHORT_NEEDED * usage.trust:
        return False
    if shared >= NEEDED * usage.trust:
        return shared >= SHARE * min(
            sum(_weight(word.text, tokens) - SMALL_TALK for word in words) for words in (left, right)
        )
    return shared >= SHORT_SHARE * min(sum(_tells(word, tokens, usage) for word in words) for words in (left, right))


# How a letter or a talk begins and ends.
_OPENING = re.compile(
    r"\s*(?:\w{1,20}: )?(?:(?:hello|hi|hey|dear|greetings|good (?:morning|afternoon|evening|night|day))\b"
    r"(?:,? ?[\w' ]{1,30}?)?[,.!:]+"
    r"(?:\s*long time no \w+[.!,]*)?"
    r"|(?:こんにちは|こんばんは|おはよう(?:ございます)?|お疲れ(?:様|さま)(?:です|でした)?|(?:いつも)?お世話になって(?:おり|い)ます)[、。!！\s]*"
    r"(?:[^。、!！\n]{1,15}(?:さん|様|くん|ちゃん|友達|相棒|へ)[。、!！])?)\s*",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\s*(?:(?:best|kind|warm)(?:est)? (?:regards|wishes)|yours sincerely|sincerely|cheers|see you)\b"
    r"[^.!?\n]{0,40}[.!]?\s*$"
    r"|\s*(?:どうぞ)?(?:よろしく|宜しく)お願い[^。\n]{0,10}。?\s*$",
    re.IGNORECASE,
)
_FIRST_SENTENCE = re.compile(r"[^.!?。！？\n]{1,60}[.!?。！？]\s*(?=\S)")


def _without_formulas(before: str, after: str) -> tuple[str, str]:
    """Both texts without greetings, and without a first sentence that both have and that names nothing."""
    one, two = (
        _CLOSING.sub("", text[m.end() :] if (m := _OPENING.match(text)) else text) or text for text in (before, after)
    )
    first = _FIRST_SENTENCE.match(one)
    if first and two.startswith(first.group()) and one != two and not names_in(first.group()):
        return one[first.end() :], two[first.end() :] or two
    return one, two


def _telling(text: Text, tokens: TokenVectors) -> list[Word]:
    """The words that name things, each once."""
    found = {word.text: word for word in text.words if word.lemma not in _TONE and word.text not in _TONE}
    return [word for word in found.values() if _weight(word.text, tokens) > SMALL_TALK]


def _tells(word: Word, tokens: TokenVectors, usage: Usage) -> float:
    """How much a word says in this vault."""
    return (_weight(word.text, tokens) - SMALL_TALK) * usage.rarity(word)


@lru_cache(maxsize=20_000)
def _weight(word: str, tokens: TokenVectors) -> float:
    weight = min(tokens.word(word)[1], MAX_WEIGHT)
    return weight if len(tokens.tokens(word)) == 1 else max(weight, UNCOMMON)


def _kindred(left: list[Word], right: list[Word], tokens: TokenVectors) -> list[tuple[Word, Word, float]]:
    """The words of two texts that are each other's nearest, with their cosine."""
    if not left or not right:
        return []
    one, two = (np.array([tokens.word(word.text)[0] for word in words]) for words in (left, right))
    cosines = one @ two.T
    theirs, ours = cosines.argmax(axis=1), cosines.argmax(axis=0)
    mutual = [(i, int(j)) for i, j in enumerate(theirs) if ours[j] == i and cosines[i, j] >= KINDRED]
    return [(left[i], right[j], float(cosines[i, j])) for i, j in mutual]


def _identifiers(text: Text) -> frozenset[object]:
    return frozenset(each.value for each in text.quantities if each.kind == "identifier" and len(each.text) > 2)


def _unread(text: str) -> bool:
    """Whether a text is mostly of another language than those that have word lists."""
    return 2 * len(_UNREAD.findall(text)) > sum(map(str.isalpha, text))
