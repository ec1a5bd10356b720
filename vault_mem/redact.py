"""The one redactor: everything that is logged, at any level, and every error that is shown goes through it (SPEC P-4).

Get loggers from `logger`, so that records are clean before any handler sees them. Code that attaches a handler of its
own (a log file) adds a `Redactor` to it as well, to clean what other libraries log.
"""

from __future__ import annotations

import json
import logging
import re
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TextIO

from vault_mem.errors import VaultMemError
from vault_mem.model import DEFAULT_EMOTION, KINDS
from vault_mem.notes.secrets import masked
from vault_mem.visible import visible

PRIVATE = "[REDACTED_PRIVATE_MEMORY]"
WITHHELD = "(its message is withheld: it may quote a private memory)"

# Fields of a private memory that may be logged: they reveal nothing of what it is about.
_HARMLESS = ("category", "importance")
# Arguments like these are logged as they are. Any other text may be about a private memory: only its length is.
_ID = re.compile(r"(?:mem|ep)_[0-9a-f]{1,12}|-")
_SHORT_ID = re.compile(r"[0-9a-f]{1,12}")
_IDS = ("id", "ids", "update_id", "keep", "remove", "memories", "members", "supersedes")
_PLAIN_NAMES = ("file", "folder", "kind", "type", "since", "until", "as_of", "valid_from", "valid_to", "op")
# Shorter texts occur in any sentence and reveal nothing.
_SHORTEST = 3
_BEGINNINGS = (24, 40, 60)
_SEALED: ContextVar[frozenset[str]] = ContextVar("sealed", default=frozenset())
_SHOWN_TO: ContextVar[object] = ContextVar("shown_to", default=None)


def sanitised(command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a command as they may be logged."""
    given = {name: value for name, value in arguments.items() if value not in (None, False, "", [], ())}
    content = given.get("content", given.get("text", ""))
    if command == "remember" and given.get("private"):
        length = {} if content == "-" else {"content_length": len(str(content))}  # standard input has not been read yet
        kept = {name: given[name] for name in _HARMLESS if name in given}
        return {"content": PRIVATE, **length, "private": True, **kept}
    if command == "remember" and not given.get("update_id") and not given.get("last_blocked"):
        return given
    if command.startswith("config"):
        return given
    return {name: _length_only(name, value) for name, value in given.items()}


def _length_only(name: str, value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_length_only(name, each) for each in value]
    name = name.strip("_")
    plain = not isinstance(value, str) or name in _PLAIN_NAMES or _ID.fullmatch(value)
    if plain or (name in _IDS and _SHORT_ID.fullmatch(value)):
        return value
    return f"({len(value)} characters)"


@contextmanager
def sealing(texts: Iterable[str] = ()) -> Iterator[None]:
    """The scope of one command: texts sealed in it are forgotten when it ends."""
    token = _SEALED.set(frozenset())
    try:
        seal({"arguments": list(texts)})
        yield
    finally:
        _SEALED.reset(token)


def seal(fields: Mapping[str, Any]) -> None:
    """From here on, cover these texts of a private memory in everything that this command logs and in its errors."""
    forms: set[str] = set()
    for name, value in fields.items():
        if name in (*_HARMLESS, "private", "supersedes"):
            continue
        texts = value if isinstance(value, list | tuple) else value.values() if isinstance(value, Mapping) else [value]
        for text in texts:
            if isinstance(text, str) and text not in (*KINDS, DEFAULT_EMOTION) and not _ID.fullmatch(text):
                forms.update(_forms(text))
    _SEALED.set(_SEALED.get() | forms)


def _forms(text: str) -> Iterator[str]:
    """A text as it may be quoted: whole, line by line, cut short, escaped."""
    for line in {text, *text.splitlines()}:
        line = line.strip()
        for part in (line, *(line[:length].rstrip() for length in _BEGINNINGS if len(line) > length)):
            for form in (part, repr(part)[1:-1], json.dumps(part)[1:-1], json.dumps(part, ensure_ascii=False)[1:-1]):
                if len(form) >= _SHORTEST and not form.isdigit():
                    yield form


def clean(text: str) -> str:
    """A text without what is sealed, and without anything that looks like a credential."""
    for form in sorted(_SEALED.get(), key=len, reverse=True):
        text = text.replace(form, PRIVATE)
    return masked(text)


def trace(error: BaseException) -> str:
    """Where an error came from. Only our own messages and the system's are included: others may quote a note."""
    lines: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        stack = "".join(traceback.format_tb(current.__traceback__))
        said = clean(str(current)) if isinstance(current, VaultMemError | OSError) else WITHHELD
        lines.insert(0, f"Traceback (most recent call last):\n{stack}{type(current).__name__}: {said}")
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return "\n\n".join(lines)


class Redactor(logging.Filter):
    """Cleans a record, its arguments and its exception. Safe to apply more than once."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Clean the record; every record passes."""
        if not getattr(record, "redacted", False):
            try:
                message = record.getMessage()
            except (TypeError, ValueError):
                message = str(record.msg)
            message = message.encode(errors="backslashreplace").decode()  # arguments need not be valid text
            record.msg, record.args = visible(clean(message)), ()
            error = record.exc_info[1] if record.exc_info else None
            if error is not None:
                record.exc_text = trace(error)
            elif record.exc_text:
                record.exc_text = WITHHELD
            record.exc_info, record.stack_info = None, None
            record.redacted = True
        return True


def logger(name: str) -> logging.Logger:
    """The logger of one module."""
    found = logging.getLogger(name)
    if not any(isinstance(each, Redactor) for each in found.filters):
        found.addFilter(Redactor())
    return found


_PACKAGE = logger("vault_mem")
_PACKAGE.addHandler(logging.NullHandler())


def step() -> int:
    """The level for messages with public text: DEBUG in a host program's log, INFO if a command shows them (-v)."""
    return logging.DEBUG if _SHOWN_TO.get() is None else logging.INFO


@contextmanager
def shown(stream: TextIO, verbosity: int) -> Iterator[None]:
    """Show what this command logs: its steps with 1, everything with 2."""
    if not verbosity:
        yield
        return
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    handler.setLevel(logging.INFO if verbosity == 1 else logging.DEBUG)
    handler.addFilter(Redactor())
    handler.addFilter(lambda record: _SHOWN_TO.get() is handler)  # other commands may run in this process
    token = _SHOWN_TO.set(handler)
    _PACKAGE.addHandler(handler)
    level = _PACKAGE.level
    _PACKAGE.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        _PACKAGE.removeHandler(handler)
        _SHOWN_TO.reset(token)
        if not any(type(each) is logging.StreamHandler for each in _PACKAGE.handlers):
            _PACKAGE.setLevel(level)
