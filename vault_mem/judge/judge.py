"""The judge: whether a new text repeats an existing one, and what differs if not."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge.align import Alignment, compared
from vault_mem.judge.features import features
from vault_mem.judge.rules import differences, quantity_changes
from vault_mem.judge.text import LIGHT, quantities_in, texts
from vault_mem.judge.words import DATA, Difference

# The probability needed if one text has words that the other lacks (measured in docs/guard.md): high enough that an
# added fact ("and to latex") is not swallowed, low enough that a stray word does not hide a repetition.
SURE = 0.72
# The probability needed if every word has a counterpart.
LIKELY = 0.5
# A longer text is a document, and comparing it word by word takes too long.
MAX_LENGTH = 8000


@dataclass(frozen=True)
class Judgement:
    """`differs` lists the facts that differ in the new text.

    `same_words` means that every content word has a counterpart. If something differs nevertheless, the new text
    changes what the old one says.
    """

    repetition: bool
    same_words: bool
    probability: float
    differs: list[Difference] = field(default_factory=list)

    @property
    def aligned(self) -> bool:
        """Whether the new text is a repetition in which every word has a counterpart."""
        return self.same_words and self.repetition


def judge(before: str, after: str, tokens: TokenVectors) -> Judgement:
    """Judge a new text against an existing one."""
    if before == after:
        return Judgement(repetition=True, same_words=True, probability=1.0)
    if max(len(before), len(after)) > MAX_LENGTH:
        return Judgement(
            repetition=False, same_words=False, probability=0.0, differs=[Difference("text", "", "long text")]
        )
    one, two = texts(before, after, tokens)
    alignment = compared(one, two)
    found = differences(one, two, alignment, tokens)
    left, right = ([word for word in words if word.lemma not in LIGHT] for words in (alignment.left, alignment.right))
    probability = _probability(features(one, two, alignment, found, tokens), one.is_japanese or two.is_japanese)
    same_words = not left and not right
    one_sided = not left or not right
    needed = LIKELY if same_words else SURE
    # "Will do!" and "I did!" have no content words, and are not alike for that.
    says_something = (
        bool(one.quantities)
        or len(alignment.pairs) > 1
        or all(any(not word.name for word in text.words) for text in (one, two))
    )
    repetition = (
        not found and one_sided and probability >= needed and (says_something or _bare(one.rest) == _bare(two.rest))
    )
    return Judgement(repetition, same_words, probability, found or _words(alignment))


def _bare(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def plainly_differs(before: str, after: str) -> bool:
    """Whether numbers, times and dates alone show that a new text is no repetition."""
    if before == after:
        return False
    if max(len(before), len(after)) > MAX_LENGTH:
        return True
    return bool(quantity_changes(quantities_in(before), quantities_in(after)))


def _words(alignment: Alignment) -> list[Difference]:
    """Content words without a counterpart, for when no rule found a difference."""
    weighty = [[word for word in words if word.lemma not in LIGHT] for words in (alignment.left, alignment.right)]
    left, right = weighty if any(weighty) else (alignment.left, alignment.right)
    said = [" ".join(word.text for word in words) for words in (left, right)]
    return [Difference("words", *said)] if any(said) else []


def _probability(seen: dict[str, float], japanese: bool) -> float:
    """How likely the pair is a repetition, by the fitted weights."""
    model = _weights()["ja" if japanese else "en"]
    total: float = model["intercept"] + sum(weight * seen[name] for name, weight in model["weights"].items())
    return 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))


@cache
def _weights() -> dict[str, Any]:
    return json.loads((DATA / "weights.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]
