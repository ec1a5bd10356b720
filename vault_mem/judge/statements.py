"""What a note states in its own words: without quotes, callouts, headings and lists of links."""

from __future__ import annotations

import re

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


def parts(text: str) -> list[str]:
    """The parts of a note that can be repeated: all it states and, in a short note, each paragraph."""
    own = statements(text)
    paragraphs = (
        [each.strip() for each in re.split(r"\n\s*\n", own) if each.strip()] if len(own) <= LONGEST_NOTE else []
    )
    return list(dict.fromkeys([own, *paragraphs]))
