"""The judge: whether a new text repeats an existing one, and what differs if not."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from vault_mem.embedding.tokens import TokenVectors
from vault_mem.judge.align import Alignment, compared
from vault_mem.judge.quantities import unmatched
from vault_mem.judge.rules import differences, quantity_changes
from vault_mem.judge.text import LIGHT, Text, quantities_in, texts
from vault_mem.judge.words import DATA, Difference, Word

# The probability needed if one text has words that the other lacks (measured in docs/guard.md): high enough that an
# added fact ("and to latex") is not swallowed, low enough that a stray word does not hide a repetition.
NEEDED_WITH_WORDS_LEFT = 0.72
# The probability needed if every word has a counterpart.
NEEDED_IF_ALL_PAIRED = 0.5
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
    needed = NEEDED_IF_ALL_PAIRED if same_words else NEEDED_WITH_WORDS_LEFT
    # "Will do!" and "I did!" have no content words, but that does not make them the same.
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
    """Whether numbers, times and dates alone show that a new text is not a repetition."""
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


def features(
    one: Text, two: Text, alignment: Alignment, found: list[Difference], tokens: TokenVectors
) -> dict[str, float]:
    """The features by name; words without a counterpart are "alone"."""
    alone = [*alignment.left, *alignment.right]
    weights = [tokens.word(word.text)[1] for word in alone]
    nearest = _nearest(alignment.left, two.words, tokens) + _nearest(alignment.right, one.words, tokens)
    missing = [weight * (1 - near) for weight, near in zip(weights, nearest, strict=True)]
    total = sum(tokens.word(word.text)[1] for word in [*one.words, *two.words])
    grams_one, grams_two = _bigrams(one.lower), _bigrams(two.lower)
    left, right = unmatched(one.quantities, two.quantities)
    kinds = {difference.kind for difference in found}
    light = sum(word.lemma in LIGHT for word in alone)
    return {
        "alone_after": float(sum(word.lemma not in LIGHT for word in alignment.right)),
        "alone_light": float(light),
        "alone_weighty": float(len(alone) - light),
        "alone_both_sides": float(bool(alignment.left) and bool(alignment.right)),
        "heaviest_alone": max(weights, default=0.0),
        "most_missing": max(missing, default=0.0),
        "missing_share": sum(missing) / max(total, 0.1),
        "farthest_alone": min(nearest, default=1.0),
        "synonyms": float(sum(strength < 1 for _, _, strength in alignment.pairs)),
        "words": float(len(one.words) + len(two.words)),
        "length_ratio": min(len(one.lower), len(two.lower)) / max(len(one.lower), len(two.lower), 1),
        "shared_bigrams": len(grams_one & grams_two) / max(len(grams_one | grams_two), 1),
        "quantities_changed": float(min(len(left), len(right))),
        "quantities_added": float(abs(len(left) - len(right))),
        "opposite": float("opposite" in kinds),
        "negation": float("negation" in kinds),
        "speech": float("question" in kinds or "person" in kinds),
        "role": float("role" in kinds),
        "turned_passive": float(one.passives != two.passives),
    }


def _nearest(words: list[Word], others: list[Word], tokens: TokenVectors) -> list[float]:
    """For each word, the cosine of the nearest word in the other text."""
    if not words or not others:
        return [0.0] * len(words)
    left, right = (np.array([tokens.word(word.text)[0] for word in each]) for each in (words, others))
    return (left @ right.T).max(axis=1).tolist()  # type: ignore[no-any-return]


def _bigrams(text: str) -> set[str]:
    squeezed = re.sub(r"[\W_]+", "", text)
    return {squeezed[start : start + 2] for start in range(len(squeezed) - 1)}


# Longer notes are documents: repeating a sentence of one does not repeat the note.
LONGEST_NOTE = 1200
_ASIDE = re.compile(r"\s{0,3}(?:>|#{1,6}\s)")  # a quote or a heading
_LINK = r"!?\[\[[^\]\n]+\]\]|!?\[[^\]\n]*\]\([^)\n]*\)|<?https?://\S+>?"
_LINKS_ONLY = re.compile(rf"\s*(?:[-*+]|\d+[.)])\s+(?:(?:{_LINK})[\s,;·|]*)+")
_WIKILINK = re.compile(r"!?\[\[(?:[^\]|\n]*\|)?([^\]\n]+)\]\]")


def statements(text: str) -> str:
    """The text without quotes, headings and lists of links; the whole text if nothing else is left."""
    kept = [line for line in text.split("\n") if not (_ASIDE.match(line) or _LINKS_ONLY.fullmatch(line))]
    own = _WIKILINK.sub(r"\1", "\n".join(kept)).strip()
    return own or text


def repeatable_parts(text: str) -> list[str]:
    """The parts of a note that can be repeated: all it states and, in a short note, each paragraph."""
    own = statements(text)
    paragraphs = (
        [each.strip() for each in re.split(r"\n\s*\n", own) if each.strip()] if len(own) <= LONGEST_NOTE else []
    )
    return list(dict.fromkeys([own, *paragraphs]))
