"""What a list gained or lost: allergic to penicillin, allergic to penicillin and latex."""

from __future__ import annotations

import re

from vault_mem.judge.align import Alignment
from vault_mem.judge.text import LIGHT, Text, positions_of
from vault_mem.judge.words import Difference, Word, read_pairs

# Pairs that say one thing together: "neat and tidy" is no list.
_DOUBLETS = {frozenset(pair) for pair in read_pairs("doublets.txt")}
_IN_DOUBLETS = frozenset().union(*_DOUBLETS)
_JOINS = (
    r"\b(?:and|or|nor|plus|also|as well as|along with|together with|in addition to)\b|[&+](?=\s)|[/・|]"
    r"|および|及び|ならびに|並びに|または|又は|それに|さらに"
)
_NEW_LINE = r"(?:^|\n)[ \t]*(?:[-*+•・]|\d+[.)])\s(?:\[.\]\s)?|\n"
_SMALL = r"(?:(?:an?|the|to|for|from|of|in|on|at|with|by|my|his|her|our|their|your|its)\s+)*"
# Small words and, before one of them, what the items have in common: allergic to penicillin and allergic to latex.
_LEADING = rf"(?:(?:[\w'-]+\s+){{1,2}}(?:to|for|from|of)\s+(?:(?:the|an?)\s+)?|{_SMALL})"
_BEFORE_ITEM = re.compile(rf"(?:(?:{_JOINS}|{_NEW_LINE})[,、]?\s*{_LEADING}|[とやかも、])$")
# After an item comes "and", unless that begins another clause, or a comma with the next item, itself short.
_AFTER_ITEM = re.compile(
    r",?\s*(?:\b(?:and|or|plus|too|as well)\b(?! (?:is|are|was|were|has|have)\b)|[&+](?=\s)|[/・]|および|及び)"
    r"|[とや](?![いうきくさしすっては言思話考])|[,;]\s(?:[\w-]+\s){0,2}[\w-]+(?:[,;)]|\s(?:and|or)\b)|、[^、。\s]{1,8}[、とや]"
)
# With only a comma before it, an item must be short: "nausea, dizziness", but not "he sang, leaving us speechless".
_COMMA_BEFORE = re.compile(rf"[,;]\s*{_SMALL}$")
_END_NEAR = re.compile(r"(?:\s[\w-]+)?\s*(?:[,.;)\n]|\b(?:and|or)\b|&|$)")
_JAPANESE_VERB = re.compile(r"[一-鿿].*[うくぐすつぬぶむるい]")  # as in と思う
_COURTESY = frozenset(("thanks", "thank", "please", "cheers", "bye"))
_LETTER = re.compile(r"[a-z]")
_LOOK_BACK = 80  # characters, which is enough for four words


def list_changes(one: Text, two: Text, alignment: Alignment) -> list[Difference]:
    """The item that only one text lists. If both have words of their own, they are no repetition anyway."""
    if alignment.left and alignment.right:
        return []
    text, alone = (one, alignment.left) if alignment.left else (two, alignment.right)
    words = [word for word in alone if not re.fullmatch(_JOINS, word.text)]
    if not any(_is_item(word, text) for word in words):
        return []
    said = " ".join(word.text for word in words)
    return [Difference("item", *((said, "") if text is one else ("", said)))]


def _is_item(word: Word, text: Text) -> bool:
    """Whether a word is joined to others as an item of a list; another name is a difference anyway."""
    adds_little = word.lemma in LIGHT and not word.text.isascii()
    if word.name or adds_little or word.lemma in _COURTESY or _JAPANESE_VERB.fullmatch(word.lemma):
        return False
    if word.lemma in _IN_DOUBLETS and any({word.lemma, other.lemma} in _DOUBLETS for other in text.words):
        return False
    for start in positions_of(word.text, text.rest, _LETTER):
        before, end = text.rest[max(0, start - _LOOK_BACK) : start], start + len(word.text)
        if _BEFORE_ITEM.search(before) or _AFTER_ITEM.match(text.rest, end):
            return True
        if _COMMA_BEFORE.search(before) and _END_NEAR.match(text.rest, end):
            return True
    return False
