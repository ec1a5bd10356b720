"""Excerpts: as much of each result as a budget of tokens allows, in whole sentences, the best passage first."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from vault_mem.index.terms import STOP, stem, terms
from vault_mem.notes.tokens import count_tokens
from vault_mem.operations.results import Found

_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?](?=\s|$)|[。！？]|\n|[.!?](?!\s)|$)[」』”\")]*\s*")

Cost = Callable[[Found], int]


def fit(results: Sequence[Found], query: str, budget: int, cost: Cost | None = None) -> tuple[list[Found], list[Found]]:
    """The results that fit, each with its excerpt, and those that do not. `cost` is what showing one takes."""
    cost = cost or (lambda found: count_tokens(found.excerpt))
    wanted = {stem(term) for term in terms(query) if term not in STOP}
    shown: list[Found] = []
    dropped: list[Found] = []
    for found in results:
        best = _fitting(found, wanted, budget, cost)
        if best is None:
            dropped.append(found)
        else:
            shown.append(best)
            budget -= cost(best)
    return shown, dropped


def _fitting(found: Found, wanted: set[str], budget: int, cost: Cost) -> Found | None:
    for text in (found.memory.content, found.passage):
        whole = replace(found, excerpt=text.strip())
        if whole.excerpt and cost(whole) <= budget:
            return whole
    parts = sentences(found.passage or found.memory.content)
    if not parts:
        return None
    first = max(range(len(parts)), key=lambda at: (_hits(parts[at], wanted), -at))
    start, end = first, first + 1
    held = replace(found, excerpt=parts[first].strip())
    if cost(held) > budget:
        return None
    while end < len(parts) or start > 0:
        for wider in ((start, end + 1), (start - 1, end)):
            if wider[0] < 0 or wider[1] > len(parts):
                continue
            longer = replace(found, excerpt="".join(parts[wider[0] : wider[1]]).strip())
            if cost(longer) <= budget:
                held, (start, end) = longer, wider
                break
        else:
            break
    return held


def _hits(sentence: str, wanted: set[str]) -> int:
    return len({stem(term) for term in terms(sentence)} & wanted)


def sentences(text: str) -> list[str]:
    """The sentences of a text, with what stands between them, so that they can be joined again."""
    return [part for part in _SENTENCE.findall(text) if part.strip()]
