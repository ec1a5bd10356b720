"""Cutting long notes into passages at paragraph and sentence ends."""

from __future__ import annotations

import re

from vault_mem.notes.sentences import sentences

# A passage is about as long as a model's 512 tokens, and readable at a glance.
PASSAGE_LENGTH = 800
# Up to this length a memory is one passage: cutting it would only scatter its words.
WHOLE_LENGTH = 1200
# Nobody searches in more than half a million characters of a log.
MAX_PASSAGES = 600

_PARAGRAPH = re.compile(r"\n\s*\n")
# Up to a passage's length, cut between two words or clauses if there is a place for it.
_CHUNK = re.compile(
    rf".{{{PASSAGE_LENGTH // 2},{PASSAGE_LENGTH}}}(?:(?<=[\s、，；：」』）])|$)|.{{1,{PASSAGE_LENGTH}}}", re.DOTALL
)


def passages(text: str) -> list[str]:
    """The passages of a text; a short text is its own only passage."""
    if len(text) <= WHOLE_LENGTH:
        return [text]
    found: list[str] = []
    current = ""
    for piece in _pieces(text):
        if current and len(current) + len(piece) > PASSAGE_LENGTH:
            found.append(current.strip())
            current = ""
            if len(found) == MAX_PASSAGES:
                break
        current += piece
    if current.strip() and len(found) < MAX_PASSAGES:
        found.append(current.strip())
    return [passage for passage in found if passage]


def _pieces(text: str) -> list[str]:
    """Paragraphs; those too long, by sentence; those too long, by length."""
    pieces: list[str] = []
    for paragraph in _PARAGRAPH.split(text[: MAX_PASSAGES * PASSAGE_LENGTH * 2]):
        if len(paragraph) <= PASSAGE_LENGTH:
            pieces.append(paragraph + "\n\n")
            continue
        for sentence in sentences(paragraph):
            pieces += _CHUNK.findall(sentence)
        pieces[-1] += "\n\n"
    return pieces
