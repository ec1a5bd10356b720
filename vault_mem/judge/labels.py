"""What stands before a text and is no part of its sentence: a place, a tag, a date, who speaks, a ticket's number."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from vault_mem.judge.english import tells_past
from vault_mem.judge.words import read_words
from vault_mem.notes.days import WEEKDAYS

VERBS = read_words("verbs.txt")
_CLOCK = r"\d\d?:\d\d(?::\d\d)?"
_DATE = re.compile(
    rf"\s*(?:[\[(]?\d{{4}}[-/.]\d\d?[-/.]\d\d?(?:[T ]{_CLOCK})?[\])]?:?|{_CLOCK}|(?:{'|'.join(WEEKDAYS)}):)\s+",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r"\s*(?:\(([^()\n]{1,60})\)|\[([^\[\]\n]{1,60})\](?!\()|[@#]([\w-]+)\b)\s*")
_BEFORE_COLON = re.compile(r"\s*([^\s:：.。!！?？\n][^:：.。!！?？\n]{0,40}?) ?(?::(?=\s)|：)\s*")
_MOST_WORDS = 5
_PRONOUNS = frozenset(("i", "we", "you", "he", "she", "they", "it"))
# So much of a text shows whether it is a sentence.
_READ = 140
# Labels that say what kind of note it is, and not what it is about.
_KINDS = frozenset(
    ("update", "updated", "change", "correction", "edit", "fact", "note", "news", "decision", "preference", "now")
)


@lru_cache(maxsize=5_000)
def labelled(text: str) -> tuple[str, str]:
    """The label before a text, if any, and the text; a label that the text needs as its subject stays there too.

    In "Kate: I study law" she is the speaker; in "Rent: 900 euros" the rent is the subject.
    """
    text = text[dated.end() :] if (dated := _DATE.match(text)) else text
    if match := _IN_BRACKETS.match(text):
        return "".join(filter(None, match.groups())).casefold(), text[match.end() :]
    match = _BEFORE_COLON.match(text)
    if not match or not _names_only(match[1]):
        return "", text
    label, rest = match[1].casefold(), text[match.end() :]
    if label in _KINDS:
        return "", rest
    return label, rest if has_subject(rest) else text


def _names_only(label: str) -> bool:
    """Whether a label is no sentence: "I have changed dentists: …" is one."""
    words = re.findall(r"\w+", label)
    return len(words) <= _MOST_WORDS and not has_subject(label)


def is_entry(text: str) -> bool:
    """Whether a text is a line of a log: a date or time, and no sentence after it."""
    dated = _DATE.match(text)
    return dated is not None and not has_subject(text[dated.end() :])


def is_line(text: str) -> bool:
    """Whether a text has a label that is not its subject: a line of a talk or of a diary."""
    label, rest = labelled(text)
    return bool(label) and not rest.lstrip().casefold().startswith(label)


def has_subject(rest: str) -> bool:
    """Whether a text has a subject of its own: a verb with a word before it, or は or が."""
    words = re.findall(r"[a-z]+", rest[:_READ].casefold())
    verb = any(word in VERBS or tells_past(before, word) for before, word in pairwise(words))
    return verb or not _PRONOUNS.isdisjoint(words[:1]) or bool(re.search("[はが]", rest[:_READ]))
