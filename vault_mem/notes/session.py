"""A session as a file: what was said between a person and an agent, readable, and only ever added to.

---
session: "claude-code:0b5c…"
agent: "claude-code"
started: 2026-11-17T06:12:00
read: 34567
---

## 2026-11-17 06:12 user

Where did we leave the parser?
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo

from vault_mem.notes.text import split

USER, ASSISTANT = "user", "assistant"
_HEADING = re.compile(r"## (\d{4}-\d{2}-\d{2} \d{2}:\d{2}) (user|assistant)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_TIMES = ("started", "ended")
_NUMBERS = ("turns", "read")
# Longer than anything a person says at once, or reads again; a pasted log is cut here.
LONGEST_TURN = 8000


@dataclass(frozen=True)
class Turn:
    """What one side said. `tools` are the names of the tools used meanwhile; their output is not kept.

    `private` are private texts that our tools were given or returned.
    """

    role: str
    text: str
    at: datetime | None = None
    tools: tuple[str, ...] = ()
    private: tuple[str, ...] = ()


@dataclass
class Session:
    """The head of a session's file. `read` is how far its transcript has been read, in the reader's own unit."""

    session: str
    agent: str
    project: str = ""
    branch: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    turns: int = 0
    read: int = 0
    full: bool = False  # the file has reached its limit, and the rest of the session is left out
    private: bool = False  # it touched a private memory


@dataclass(frozen=True)
class Said:
    """A turn in a file, with the number of its first line."""

    line: int
    at: str
    role: str
    text: str


@dataclass
class _Parts:
    head: Session
    body: str = ""
    lines_before: int = 0


def parse(raw: bytes, zone: tzinfo) -> _Parts | None:
    """The head and the body of a session's file; None if it is not a session."""
    note = split(raw)
    values: dict[str, object] = {}
    for line in (note.front or "").splitlines():
        key, _, value = line.partition(":")
        values[key.strip()] = _value(value.strip())
    if not isinstance(values.get("session"), str) or not isinstance(values.get("agent"), str):
        return None
    known = {name: values[name] for name in Session.__dataclass_fields__ if name in values}
    for name in _TIMES:
        known[name] = _time(known.get(name), zone)
    for name in _NUMBERS:
        known[name] = known[name] if isinstance(known.get(name), int) else 0
    before = (note.opening + (note.front or "") + note.closing).count("\n")
    return _Parts(Session(**known), note.body, before)  # type: ignore[arg-type]


def dump(head: Session, body: str, zone: tzinfo) -> bytes:
    """A session's file."""
    lines = []
    for name in Session.__dataclass_fields__:
        value = getattr(head, name)
        if isinstance(value, datetime):
            lines.append(f"{name}: {value.astimezone(zone):%Y-%m-%dT%H:%M:%S}\n")
        elif value not in ("", None, False):
            lines.append(f"{name}: {json.dumps(value, ensure_ascii=False)}\n")
    return f"---\n{''.join(lines)}---\n{body}".encode()


def turn_text(turn: Turn, zone: tzinfo) -> str:
    """A turn as it is appended to a file."""
    when = f"{turn.at.astimezone(zone):%Y-%m-%d %H:%M}" if turn.at else "0000-00-00 00:00"
    text = _CONTROL.sub("", turn.text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if len(text) > LONGEST_TURN:
        text = f"{text[:LONGEST_TURN]}\n(… {len(text) - LONGEST_TURN} more characters)"
    # a line that looks like one of our headings would start a turn that was never said
    text = "\n".join(f"\\{line}" if _HEADING.fullmatch(line) else line for line in text.split("\n"))
    counts = {name: turn.tools.count(name) for name in turn.tools}
    used = ", ".join(name if count == 1 else f"{name} {count}" for name, count in counts.items())
    parts = [text] if text else []
    parts += [f"(tools: {_CONTROL.sub('', used)})"] if used else []
    return f"\n## {when} {turn.role}\n\n" + "\n\n".join(parts) + "\n"


def turns(raw: bytes, zone: tzinfo) -> Iterator[Said]:
    """The turns of a file, in order."""
    parts = parse(raw, zone)
    if parts is None:
        return
    started: tuple[int, str, str] | None = None
    gathered: list[str] = []
    for number, line in enumerate(parts.body.split("\n"), start=parts.lines_before + 1):
        heading = _HEADING.fullmatch(line)
        if heading is None:
            gathered.append(line)
            continue
        if started is not None:
            yield Said(*started, "\n".join(gathered).strip())
        started, gathered = (number, heading[1], heading[2]), []
    if started is not None:
        yield Said(*started, "\n".join(gathered).strip())


def without_segments(text: str, hidden: frozenset[str], mark: str) -> str:
    """The text with hidden sentences, and hidden parts between colons or quotes, replaced by `mark`."""
    return _SEGMENT.sub(lambda found: mark if segment_key(found[0]) in hidden else found[0], text) if hidden else text


_SEGMENT = re.compile(r"[^\n.!?。！？:：\"“”「」『』()（）]+")
_LEAST_SEGMENT = 8


def segments(texts: Iterable[str]) -> frozenset[str]:
    """The sentences of texts, in the form in which they are compared; short ones say nothing and are left out."""
    keys = (segment_key(found) for text in texts for found in _SEGMENT.findall(text))
    return frozenset(key for key in keys if len(key) >= _LEAST_SEGMENT)


def segment_key(text: str) -> str:
    """The form in which sentences are compared: without regard to case, spaces and Markdown."""
    return " ".join(text.casefold().replace("*", "").replace("_", "").strip(" -#>").split())


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _time(value: object, zone: tzinfo) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=zone)


@dataclass(frozen=True)
class Opening:
    """What a transcript says about its session; unknown fields are empty."""

    id: str = ""
    project: str = ""
    branch: str = ""
    at: datetime | None = None
