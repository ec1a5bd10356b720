"""Whether a text says that a task is done (SPEC T-7): it mentions the same things, and something completed."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from unicodedata import normalize

import numpy as np

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge.english import lemma
from vault_mem.judge.japanese import JAPANESE
from vault_mem.judge.replaces import direction, statement
from vault_mem.judge.words import Word, read_words, synonyms

# The share of a task's content words that the text must repeat.
REPEATED_SHARE = 0.7
# From this cosine on, one word can stand for another: passport and ID card, 旅券 and パスポート.
KINDRED_COSINE = 0.55
MAX_LENGTH = 400

_PLANNING = read_words("planning.txt")
_COMPLETED = re.compile(
    r"\b(?:done|finished|completed|complete|over|settled|sorted|taken care of|through|ready)\b|"
    r"済み|済んだ|済ませ|完了|終わっ|終わり|終え|終了|片付"
)
_PAST_JA = re.compile(r"(?:た|ました|だ)(?:。|$|よ|ので|ところ)")
_NOT_COMPLETED = re.compile(
    r"\b(?:not|n't|never|still|yet|will|'ll|going to|want to|wants to|must|should|need to|needs to|have to|has to|"
    r"plan to|planning|tomorrow|almost|half|forgot|failed|without|if|tried)\b|n't\b|[?？]|"
    r"ない|なかった|ません|まだ|つもり|予定|したい|途中|忘れ|かも|だろう|そびれ|始め"
)


def says_done(task: str, text: str, tokens: TokenVectors) -> bool:
    """Whether a text says that a task is done."""
    if max(len(task), len(text)) > MAX_LENGTH or not may_say_done(text):
        return False
    if _is_japanese(task) != _is_japanese(text):
        return False
    lower, one = text.casefold(), statement(task, tokens)
    wanted = [word for word in one.words if word.lemma not in _PLANNING and word.text not in _PLANNING]
    if not wanted:
        return False
    if not _COMPLETED.search(lower) and not (_PAST_JA.search(lower) if one.japanese else _past_of(wanted, lower)):
        return False
    two = statement(text, tokens)  # last: taking a text apart takes long
    said = {form for word in two.words for form in (word.text, word.lemma)} | _forms(lower)
    missing = [word for word in wanted if word.text not in said and word.lemma not in said]
    needed = len(missing) - len(wanted) + math.ceil(REPEATED_SHARE * len(wanted))
    return needed <= 0 or _enough_expressed(missing, two.words, needed, tokens)


def _is_japanese(text: str) -> bool:
    return not text.isascii() and bool(JAPANESE.search(normalize("NFKC", text)))


@lru_cache(maxsize=2_000)
def may_say_done(text: str) -> bool:
    """A quick test whether a text mentions anything completed."""
    lower = text.casefold()
    if _NOT_COMPLETED.search(lower):
        return False
    past = any(_is_past(word) for word in re.findall(r"[a-z]+", lower))
    return past or bool(_COMPLETED.search(lower) or _PAST_JA.search(lower))


def _is_past(word: str) -> bool:
    return lemma(word) != word and not re.search(r"(?:s|ing)$", word)


def _past_of(wanted: list[Word], lower: str) -> bool:
    """Whether a text has the past form of one of the task's words or of a synonym."""
    return any(
        (form := lemma(word)) == each.lemma or synonyms(form, each.lemma)
        for word in re.findall(r"[a-z]+", lower)
        if _is_past(word)
        for each in wanted
    )


def _forms(lower: str) -> set[str]:
    return {form for word in re.findall(r"[a-z]+", lower) for form in (word, lemma(word))}


def _enough_expressed(missing: list[Word], others: tuple[Word, ...], needed: int, tokens: TokenVectors) -> bool:
    """Whether at least `needed` of the missing words are expressed by other words."""
    if not others:
        return False
    one, two = (np.array([direction(word.text, tokens) for word in words]) for words in (missing, others))
    kindred = (one @ two.T).max(axis=1) >= KINDRED_COSINE
    needed -= int(kindred.sum())
    rest = [word for word, found in zip(missing, kindred, strict=True) if not found]
    return needed <= 0 or (
        needed <= len(rest)
        and sum(any(synonyms(word.lemma, other.lemma) for other in others) for word in rest) >= needed
    )
