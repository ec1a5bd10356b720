"""Common ground: whether two similar texts are about the same thing, or only have the same tone."""

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
from vault_mem.notes.sentences import sentences

_TONE = read_words("tone.txt") | LIGHT
# Words up to this weight in the model name no thing: "good" has 0.4, "job" 0.8, "store" 1.0, "guitar" 1.4.
SMALL_TALK_WEIGHT = 0.7
# Japanese loan words weigh up to 1.9, without being more specific.
MAX_WEIGHT = 1.4
# The least weight of a word that the model has no token for: its vocabulary has the common ones.
UNCOMMON_WORD_WEIGHT = 1.2
# From this cosine on, different words count as shared: clothing and clothes, 手術 and surgery.
KINDRED_COSINE = 0.5
# A word is rare if fewer than one in this many memories has it.
RARE_ONE_IN = 20
# With this many memories, the vault's own word counts are trusted by half.
HALF_TRUSTED_MEMORIES = 10
# The weight that two texts must share in a large vault: one specific and rare word, or several less so. It must also be
# this share of the shorter text, since long texts have words in common by chance.
NEEDED_WEIGHT, NEEDED_SHARE = 0.55, 0.15
# Short texts need less: this weight is enough if it is this share of the text.
SHORT_NEEDED_WEIGHT, SHORT_NEEDED_SHARE = 0.2, 0.7
# The weight of an identifier that both texts have: that of a specific word.
IDENTIFIER_WEIGHT = 0.5
# A first sentence of more characters than this says more than a greeting.
SHORT_SENTENCE = 60
# Letters of languages that have no word lists here.
_UNREAD = re.compile(r"[^\W\d_A-Za-zÀ-ÖØ-öø-ÿぁ-ヺー一-鿿々〆]")


class Usage:
    """How common words are in a vault, estimated from a sample of its texts; `trust` grows with the sample."""

    def __init__(self, sample: Sequence[str]) -> None:
        self._texts = [text.casefold() for text in sample]
        self._rarities: dict[str, float] = {}
        self.trust = len(sample) / (len(sample) + HALF_TRUSTED_MEMORIES)

    def rarity(self, word: Word) -> float:
        """1 for a rare word, near 0 for one that most memories have."""
        rarity = self._rarity(word.text)
        return rarity if word.lemma == word.text else min(rarity, self._rarity(word.lemma))

    def _rarity(self, word: str) -> float:
        if word not in self._rarities:
            having = sum(word in text for text in self._texts)
            among = len(self._texts) + HALF_TRUSTED_MEMORIES
            self._rarities[word] = min(math.log(among / max(having, 1)) / math.log(RARE_ONE_IN), 1.0)
        return self._rarities[word]


def common_ground(before: str, after: str, tokens: TokenVectors, usage: Usage) -> bool:
    """Whether two texts share words that name things; rare words count more.

    Also true if that cannot be judged: equal texts, documents, and languages without word lists.
    """
    if before == after or max(len(before), len(after)) > MAX_LENGTH or _unread(before) or _unread(after):
        return True
    one, two = texts(*_without_formulas(before, after), tokens)
    left, right = _naming_words(one, tokens), _naming_words(two, tokens)
    shared = IDENTIFIER_WEIGHT * len(_identifiers(one) & _identifiers(two))
    for a, b, cosine in _kindred(left, right, tokens):
        shared += cosine * min(_specificity(a, tokens, usage), _specificity(b, tokens, usage))
    if not shared or shared < SHORT_NEEDED_WEIGHT * usage.trust:
        return False
    if shared >= NEEDED_WEIGHT * usage.trust:
        return shared >= NEEDED_SHARE * min(
            sum(_weight(word.text, tokens) - SMALL_TALK_WEIGHT for word in words) for words in (left, right)
        )
    return shared >= SHORT_NEEDED_SHARE * min(
        sum(_specificity(word, tokens, usage) for word in words) for words in (left, right)
    )


# The beginning and end of a letter or conversation.
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


def _without_formulas(before: str, after: str) -> tuple[str, str]:
    """Both texts without greetings, and without a common first sentence that names nothing."""
    one, two = (
        _CLOSING.sub("", text[m.end() :] if (m := _OPENING.match(text)) else text) or text for text in (before, after)
    )
    first, *rest = sentences(one) or [""]
    if rest and len(first) <= SHORT_SENTENCE and two.startswith(first) and one != two and not names_in(first):
        return "".join(rest), two.removeprefix(first) or two
    return one, two


def _naming_words(text: Text, tokens: TokenVectors) -> list[Word]:
    """The words that name things, each once."""
    found = {word.text: word for word in text.words if word.lemma not in _TONE and word.text not in _TONE}
    return [word for word in found.values() if _weight(word.text, tokens) > SMALL_TALK_WEIGHT]


def _specificity(word: Word, tokens: TokenVectors, usage: Usage) -> float:
    """How specific a word is in this vault."""
    return (_weight(word.text, tokens) - SMALL_TALK_WEIGHT) * usage.rarity(word)


@lru_cache(maxsize=20_000)
def _weight(word: str, tokens: TokenVectors) -> float:
    weight = min(tokens.word(word)[1], MAX_WEIGHT)
    return weight if len(tokens.tokens(word)) == 1 else max(weight, UNCOMMON_WORD_WEIGHT)


def _kindred(left: list[Word], right: list[Word], tokens: TokenVectors) -> list[tuple[Word, Word, float]]:
    """The pairs of words that are each other's nearest, with their cosine."""
    if not left or not right:
        return []
    one, two = (np.array([tokens.word(word.text)[0] for word in words]) for words in (left, right))
    cosines = one @ two.T
    theirs, ours = cosines.argmax(axis=1), cosines.argmax(axis=0)
    mutual = [(i, int(j)) for i, j in enumerate(theirs) if ours[j] == i and cosines[i, j] >= KINDRED_COSINE]
    return [(left[i], right[j], float(cosines[i, j])) for i, j in mutual]


def _identifiers(text: Text) -> frozenset[object]:
    return frozenset(each.value for each in text.quantities if each.kind == "identifier" and len(each.text) > 2)


def _unread(text: str) -> bool:
    """Whether most of a text is in a language without word lists."""
    return 2 * len(_UNREAD.findall(text)) > sum(map(str.isalpha, text))
