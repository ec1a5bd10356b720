"""Attending something and doing it are two facts: a wedding guest does not marry."""

from __future__ import annotations

import re

from vault_mem.judge import english
from vault_mem.judge.align import Alignment
from vault_mem.judge.text import Text
from vault_mem.judge.words import Difference, Word

_GOES = re.compile(
    r"\b(?:go|goes|went|gone|going|come|comes|came|coming|been|was|were|is|are) (?:to|at) (?:[\w'-]+ ){0,3}?$"
)
_HOLDS = re.compile(
    r"\b(?:have|has|had|having|hold|holds|held|give|gives|gave|host|hosts|hosted|throw|throws|threw|run|runs|ran)"
    r"(?: (?:a|an|the|my|his|her|its|our|their|\w+ed))*$"
)
_GOES_JA = re.compile(r"(?:に|へ)(?:行|い[きくっ]|出|参加|来|招)")
_HOLDS_JA = re.compile(r"を(?:し|す[るれ]|やっ|やり|やる|挙げ|開|催|行)")


def attending(one: Text, two: Text, alignment: Alignment) -> list[Difference]:
    """Cases where somebody attends in one text what they do in the other: went to the race, raced."""
    for before, after, _ in alignment.pairs:
        parts = _part_taken(one, before), _part_taken(two, after)
        if set(parts) == {"at", "does"}:
            return [Difference("role", *(_described(*each) for each in zip(parts, (before, after), strict=True)))]
    return []


def _described(part: str, word: Word) -> str:
    return f"at {word.text}" if part == "at" else word.text


def _part_taken(text: Text, word: Word) -> str:
    """Whether somebody is "at" the thing or "does" it; empty if it could be either."""
    if not word.text.isascii():
        rest = text.rest.partition(word.text)[2]
        return "at" if _GOES_JA.match(rest) else "does" if _HOLDS_JA.match(rest) else ""
    before = text.before(word.text)
    if any(_GOES.search(f"{each} ") for each in before):
        return "at"
    done = english.is_past(word.text) and not word.name
    return "does" if before and (done or any(_HOLDS.search(each) for each in before)) else ""
