"""What is to be remembered, checked before anything is done with it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from vault_mem import redact
from vault_mem.errors import InvalidInput, SecretFound
from vault_mem.model import (
    DEFAULT_CATEGORY,
    DEFAULT_EMOTION,
    DEFAULT_IMPORTANCE,
    DEFAULT_KIND,
    KIND_ALIASES,
    KINDS,
    MetaValue,
)
from vault_mem.notes.parse import read_bool, read_time
from vault_mem.notes.secrets import find_secret
from vault_mem.operations.memory.results import writable

META_NAME = re.compile(r"\w[\w-]{0,59}")
SCOPE = re.compile(r"(?:tag|person|project):\S.*|month:\d{4}-\d{2}")
# A memory is something to be recalled and read; what is longer is a document to be filed and referred to.
MAX_CONTENT_BYTES = 1_000_000


@dataclass(frozen=True)
class Draft:
    """What is to be remembered."""

    content: str
    private: bool = False
    importance: int = DEFAULT_IMPORTANCE
    category: str = DEFAULT_CATEGORY
    kind: str = DEFAULT_KIND
    tags: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    emotion: str = DEFAULT_EMOTION
    secondary: list[str] = field(default_factory=list)
    intensity: float | None = None
    valence: float | None = None
    arousal: float | None = None
    body_state: str | None = None
    about_time: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    status: str | None = None
    confidence: float | None = None
    salience: float | None = None
    source: str | None = None
    scope: str | None = None
    sources: list[str] = field(default_factory=list)
    supersedes: list[str] = field(default_factory=list)
    created: datetime | None = None
    metadata: Mapping[str, MetaValue] = field(default_factory=dict)


def checked(draft: Draft, zone: tzinfo) -> Draft:
    """The draft with its text trimmed and its times in a zone; raises InvalidInput where something makes no sense."""
    _check_types(draft)
    content = re.sub(r"\r\n?", "\n", draft.content).strip()
    if not content:
        raise InvalidInput("nothing to remember: the text is empty", 'try: vault-mem remember "..."')
    if "\0" in content:
        raise InvalidInput(
            "the text has NUL bytes: it is not text", "remember takes text; keep files elsewhere and refer to them"
        )
    size = len(content.encode())
    if size > MAX_CONTENT_BYTES:
        raise InvalidInput(
            f"the text is too long: {size / 1e6:.1f} MB, at most {MAX_CONTENT_BYTES // 1_000_000} MB",
            "a memory is something to recall: save what matters of it, and where the rest is",
        )
    kind = KIND_ALIASES.get(draft.kind, draft.kind)
    if kind not in KINDS:
        raise InvalidInput(f"unknown kind {draft.kind!r}", f"a kind is one of {', '.join(KINDS)}")
    if isinstance(draft.importance, bool) or draft.importance not in range(1, 6):
        raise InvalidInput(f"importance is from 1 to 5, not {draft.importance}")
    for name, low in (("intensity", 0), ("valence", -1), ("arousal", -1), ("confidence", 0), ("salience", 0)):
        value = getattr(draft, name)
        if value is not None and not low <= value <= 1:
            raise InvalidInput(f"{name} is from {low} to 1, not {value}")
    if draft.scope is not None and (kind != "summary" or not SCOPE.fullmatch(draft.scope)):
        raise InvalidInput("a scope is tag:…, person:…, project:… or month:2026-11", "only a summary has one")
    times = _times(draft, zone)
    if "valid_from" in times and "valid_to" in times and times["valid_to"] < times["valid_from"]:
        raise InvalidInput("valid_to is before valid_from")
    for name in ("category", "emotion", "body_state", "about_time", "status", "source", "scope"):
        value = getattr(draft, name)
        if value is not None and ("\n" in value or not value.strip()):
            raise InvalidInput(f"{name} is one line of text")
    private = read_bool(draft.private)
    if private is None:
        raise InvalidInput(f"private is true or false, not {draft.private!r}")
    return Draft(**{**vars(draft), **times, "content": content, "kind": kind, "private": private})


def _times(draft: Draft, zone: tzinfo) -> dict[str, datetime]:
    """The times of a draft in the vault's zone, which one without a zone is in."""
    times = {}
    for name in ("valid_from", "valid_to", "created"):
        value = getattr(draft, name)
        if value is None:
            continue
        moment = read_time(value, zone)
        if moment is None:
            raise InvalidInput(f"{name} is a time that can be shown in any zone, not {value!r}")
        times[name] = moment
    return times


def refuse_secrets(fields: Mapping[str, object]) -> None:
    """Stop where a public text, or one of its fields, looks like a credential; what was found is never quoted."""
    for name, value in fields.items():
        texts = value if isinstance(value, list | tuple) else value.values() if isinstance(value, Mapping) else [value]
        for text in texts:
            kind = find_secret(text) if isinstance(text, str) else None
            if kind is not None:
                where = "the text" if name == "content" else name
                raise SecretFound(
                    f"{where} looks as if it holds {kind}",
                    "nothing was saved or kept; leave it out, or use --private, or --allow-secret if it is none",
                )


def check_words(private: bool, said: Mapping[str, object], *, allow_secret: bool = False) -> None:
    """Words that are about to be written: a private memory's are sealed, a credential in a public one is refused."""
    if private:
        redact.seal(said)
    elif not allow_secret:
        refuse_secrets(said)


def _check_metadata(metadata: object) -> None:
    """Each key a word that front matter can have, each value one that it keeps as it is."""
    if not isinstance(metadata, Mapping):
        raise InvalidInput(f"metadata is a mapping of names to values, not {metadata!r}")
    for name, value in metadata.items():
        if not (isinstance(name, str) and META_NAME.fullmatch(name)):
            raise InvalidInput(f"{name!r} cannot be a name in metadata", "use up to 60 letters, digits, _ and -")
        finite = not isinstance(value, float) or math.isfinite(value)
        if not isinstance(value, str | int | float | bool) or not finite or "\n" in str(value):
            raise InvalidInput(f"metadata {name!r} is one line of text, a number or True or False, not {value!r}")
        writable(str(value), f"metadata {name!r}")


def _check_types(draft: Draft) -> None:
    """Values of the types the note format has, in text that can be written."""
    for name, value in vars(draft).items():
        items = value if isinstance(value, list) else [value]
        if name in ("tags", "people", "secondary", "supersedes", "sources") and not (
            isinstance(value, list) and all(isinstance(item, str) for item in items)
        ):
            raise InvalidInput(f"{name} is a list of texts, not {value!r}")
        if name in ("intensity", "valence", "arousal", "confidence", "salience") and (
            not isinstance(value, int | float | None) or isinstance(value, bool)
        ):
            raise InvalidInput(f"{name} is a number, not {value!r}")
        if name == "metadata":
            _check_metadata(value)
        if name in ("valid_from", "valid_to", "created") and not isinstance(value, datetime | None):
            raise InvalidInput(f"{name} is a time, not {value!r}")
        for item in items:
            if isinstance(item, str):
                writable(item, name)
            elif name in ("content", "category", "kind", "emotion"):
                raise InvalidInput(f"{name} is text, not {value!r}")
