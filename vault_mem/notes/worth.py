"""What looks worth keeping in what a person says to an agent: sentences, by rules for English and Japanese.

Precise rather than complete: a person reads what is proposed, and stops reading if it is junk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vault_mem.notes.sentences import sentences

# The surest first: if there are more than fit into a day, the first are proposed.
RULES = ("asked", "correction", "decision", "preference", "person", "date", "version", "statement")
_KINDS = {"decision": "event", "person": "fact", "date": "event"}

_FENCE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^\s*(?:[>|$#+]|at .+\(.*:\d+|File \"|\d+[:|]\s|[\w./-]+:\d+:|[{}\[\]();]+$).*$", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*•・]|\d+[.)])\s+")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_SHORTEST, _SHORTEST_JAPANESE, _LONGEST = 14, 8, 280
_LEAST_WORDS = 4
_LONGEST_STATEMENT = 140

# A question matters only in this session.
_QUESTION = re.compile(r"[?？]\s*$|(?:です|ます|でしょう)か。?$|(?:かな|だっけ)。?$")


def _expressions() -> dict[str, str]:
    """The expressions in worth.txt, by name."""
    found: dict[str, str] = {}
    name = ""
    for line in (Path(__file__).parent / "worth.txt").read_text(encoding="utf-8").splitlines():
        if heading := _HEADING.fullmatch(line):
            name = heading[1]
        elif line.startswith(" "):
            found[name] += line.strip()
        elif line and not line.startswith("#"):
            found[name] = f"{found[name]}|{line}" if name in found else line
    for name in found:  # an expression may name only those above it
        found[name] = _NAMED.sub(lambda match: f"(?:{found[match[1]]})", found[name])
    return found


_HEADING, _NAMED = re.compile(r"\[([a-z ]+)\]"), re.compile(r"\{([a-z ]+)\}")
_EXPRESSIONS = _expressions()


def _named(name: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(_EXPRESSIONS[name], flags)


_TO_DO, _TO_DO_JA = _named("to do", re.IGNORECASE), _named("to do ja")
_DANGLING, _DANGLING_JA = _named("dangling", re.IGNORECASE), _named("dangling ja")
_TOPIC_JA = _named("topic ja")
_ASKED, _ASKED_AFTER = (_named(name, re.IGNORECASE | re.DOTALL) for name in ("asked", "asked after"))
_ASKED_JA, _NOTED_JA = _named("asked ja"), _named("noted ja", re.DOTALL)
_STATEMENT, _STATEMENT_JA = _named("statement"), _named("statement ja")
_PASSING, _PASSING_JA = _named("passing", re.IGNORECASE), _named("passing ja")
_MOMENT, _MOMENT_JA = _named("moment", re.IGNORECASE), _named("moment ja")
_ENGLISH = {
    rule: _named(rule, 0 if rule == "person" else re.IGNORECASE)  # a name is recognised by its capital
    for rule in ("correction", "decision", "preference", "person", "date", "version")
}
_IN_JAPANESE = {rule: _named(f"{rule} ja") for rule in _ENGLISH}
# Of wishes to the agent, only these are worth keeping; others are just the work at hand.
_MAY_BE_WISHES = ("preference", "decision")


@dataclass(frozen=True)
class WorthKeeping:
    """A sentence that looks worth keeping, and the rule that says so."""

    text: str
    rule: str

    @property
    def kind(self) -> str:
        """The kind of memory it would be."""
        return _KINDS.get(self.rule, "fact")


def worth_keeping(text: str, *, at_work: bool = False) -> Iterator[WorthKeeping]:
    """The sentences of what a person said that look worth keeping, in order.

    `at_work`: the agent is working on something with its tools. Then plain statements are mostly about that; in small
    talk they are mostly opinions.
    """
    for sentence in _own_sentences(text):
        found = _judged(sentence, at_work)
        if found is not None:
            yield found


def _own_sentences(text: str) -> Iterator[str]:
    """The sentences that a person wrote: no code, no output, no quotes."""
    for each in sentences(_CODE.sub("", _FENCE.sub("\n", text))):
        plain = _BULLET.sub("", each.strip()).strip()
        if plain:
            yield plain


def _judged(sentence: str, at_work: bool) -> WorthKeeping | None:
    japanese = bool(_JAPANESE.search(sentence))
    asked = _ASKED_JA.match(sentence) or _NOTED_JA.match(sentence) if japanese else _ASKED.search(sentence)
    if not japanese:
        asked = _ASKED_AFTER.match(sentence) or asked
    if asked and not _QUESTION.search(sentence):
        said = asked["said"].strip(" ,、:：")
        return (
            WorthKeeping(said[:1].upper() + said[1:], "asked") if _SHORTEST_JAPANESE <= len(said) <= _LONGEST else None
        )
    if not _long_enough(sentence, japanese) or _QUESTION.search(sentence):
        return None
    if (_MOMENT_JA if japanese else _MOMENT).search(sentence):
        return None
    if (_DANGLING_JA if japanese else _DANGLING).match(sentence):
        return None
    wish = bool(_TO_DO_JA.search(sentence)) if japanese else bool(_TO_DO.match(sentence))
    rules = _IN_JAPANESE if japanese else _ENGLISH
    if japanese and not _TOPIC_JA.search(sentence):
        return None
    for rule, pattern in rules.items():
        if pattern.search(sentence) and not (wish and rule not in _MAY_BE_WISHES):
            return WorthKeeping(sentence, rule)
    states = at_work and not wish and _is_statement(sentence, japanese)
    return WorthKeeping(sentence, "statement") if states else None


def _is_statement(sentence: str, japanese: bool) -> bool:
    if len(sentence) > _LONGEST_STATEMENT:
        return False
    if japanese:
        return bool(_STATEMENT_JA.search(sentence)) and not _PASSING_JA.search(sentence)
    return bool(_STATEMENT.search(sentence)) and not _PASSING.search(sentence)


def _long_enough(text: str, japanese: bool) -> bool:
    least = _SHORTEST_JAPANESE if japanese else _SHORTEST
    return least <= len(text) <= _LONGEST and (japanese or len(text.split()) >= _LEAST_WORDS)
