"""What a note states in its own words: without quotes, callouts, headings and lists of links."""

from __future__ import annotations

import re

# Longer notes are documents: a sentence out of one is not that note again.
LONGEST_NOTE = 1200
_QUOTE = re.compile(r"\s{0,3}>")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_LINK = r"!?\[\[[^\]\n]+\]\]|!?\[[^\]\n]*\]\([^)\n]*\)|<?https?://\S+>?"
_LINKS_ONLY = re.compile(rf"\s*(?:[-*+]|\d+[.)])\s+(?:(?:{_LINK})[\s,;·|]*)+")
_WIKILINK = re.compile(r"!?\[\[(?:[^\]|\n]*\|)?([^\]\n]+)\]\]")


def statements(text: str) -> str:
    """The text without what a person puts around a memory; the text itself where nothing else is in it."""
    kept = [line for line in text.split("\n") if not _QUOTE.match(line) and not _aside(line)]
    own = _WIKILINK.sub(r"\1", "\n".join(kept)).strip()
    return own or text


def _aside(line: str) -> bool:
    return bool(_HEADING.match(line) or _LINKS_ONLY.fullmatch(line))


def parts(text: str) -> list[str]:
    """A note as it may be repeated: what it states as a whole, and, where it is short, each of its paragraphs."""
    own = statements(text)
    paragraphs = (
        [each.strip() for each in re.split(r"\n\s*\n", own) if each.strip()] if len(own) <= LONGEST_NOTE else []
    )
    return list(dict.fromkeys([own, *paragraphs]))
