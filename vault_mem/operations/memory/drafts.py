"""What is to be remembered, checked before anything is done with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any

from vault_mem import redact
from vault_mem.errors import InvalidInput, SecretFound
from vault_mem.fields import FieldInfo, Form
from vault_mem.model import FIELDS, KIND_ALIASES, KINDS, TIME_KEYS, Fields
from vault_mem.notes.parse import read_bool, read_time
from vault_mem.notes.secrets import find_secret
from vault_mem.operations.memory.results import check_metadata, writable

SCOPE = re.compile(r"(?:tag|person|project):\S.*|month:\d{4}-\d{2}")
# A memory is something to recall and read. Anything longer is a document, to be kept elsewhere and referred to.
MAX_CONTENT_BYTES = 1_000_000


@dataclass(slots=True)
class Draft(Fields):
    """What to remember."""

    content: str
    created: datetime | None = None


def checked(draft: Draft, zone: tzinfo) -> Draft:
    """The draft with its text trimmed and its times in `zone`; raises InvalidInput if a value is invalid."""
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
    if draft.scope is not None and (kind != "summary" or not SCOPE.fullmatch(draft.scope)):
        raise InvalidInput("a scope is tag:…, person:…, project:… or month:2026-11", "only a summary has one")
    times = _times(draft, zone)
    if "valid_from" in times and "valid_to" in times and times["valid_to"] < times["valid_from"]:
        raise InvalidInput("valid_to is before valid_from")
    private = read_bool(draft.private)
    if private is None:
        raise InvalidInput(f"private must be true or false, not {draft.private!r}")
    return replace(draft, **_trimmed(draft), **times, content=content, kind=kind, private=private)


def _trimmed(draft: Draft) -> dict[str, Any]:
    """Texts and lists as they will be read back from the note: trimmed, without repeats, tags without their #."""
    found: dict[str, Any] = {}
    for name, each in FIELDS.items():
        value = getattr(draft, name)
        if each.form is Form.TEXT and value is not None and name != "kind":
            found[name] = value.strip()
        elif each.form is Form.TEXTS:
            words = (word.strip().lstrip("#" if name == "tags" else "").strip() for word in value)
            found[name] = [*dict.fromkeys(filter(None, words))]
    return found


def _times(draft: Draft, zone: tzinfo) -> dict[str, Any]:
    """The times of a draft in the vault's zone, which is assumed for times without one."""
    times = {}
    for name in TIME_KEYS:
        value = getattr(draft, name)
        if value is None:
            continue
        moment = read_time(value, zone)
        if moment is None:
            raise InvalidInput(f"{name} must be a time that can be shown in any zone, not {value!r}")
        times[name] = moment
    return times


def refuse_secrets(fields: Mapping[str, object]) -> None:
    """Raise SecretFound if a public text or one of its fields looks like a credential; the error never quotes it."""
    for name, value in fields.items():
        texts = value if isinstance(value, list | tuple) else value.values() if isinstance(value, Mapping) else [value]
        for text in texts:
            kind = find_secret(text) if isinstance(text, str) else None
            if kind is not None:
                where = "the text" if name == "content" else name
                raise SecretFound(
                    f"{where} looks like it contains {kind}",
                    "nothing was saved or kept; leave it out, or use --private, or --allow-secret if it is not one",
                )


def check_words(private: bool, said: Mapping[str, object], *, allow_secret: bool = False) -> None:
    """Check texts before they are written: keep private ones out of logs, refuse credentials in public ones."""
    if private:
        redact.seal(said)
    elif not allow_secret:
        refuse_secrets(said)


def _check_types(draft: Draft) -> None:
    """Check the fields against the types and ranges in the table of fields, and that all text is valid Unicode."""
    _check_text("content", draft.content)
    for name, each in FIELDS.items():
        _CHECKS[each.form](each, getattr(draft, name))
    if not isinstance(draft.created, datetime | None):
        raise InvalidInput(f"created must be a time, not {draft.created!r}")
    check_metadata(draft.metadata)


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be text, not {value!r}")
    writable(value, name)


def _check_line(each: FieldInfo, value: object) -> None:
    if value is None and each.default is None:
        return
    _check_text(each.name, value)
    if not each.choices and ("\n" in str(value) or not str(value).strip()):
        raise InvalidInput(f"{each.name} must be one line of text")


def _check_list(each: FieldInfo, value: object) -> None:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidInput(f"{each.name} must be a list of texts, not {value!r}")
    for item in value:
        writable(item, each.name)


def _check_number(each: FieldInfo, value: object) -> None:
    if value is None and each.default is None:
        return
    number = None if isinstance(value, bool) else value
    if each.form is Form.WHOLE and not (isinstance(number, int) and _within(each, number)):
        raise InvalidInput(f"{each.name} must be {each.limits}, not {value}")
    if not isinstance(number, int | float):
        raise InvalidInput(f"{each.name} must be a number, not {value!r}")
    if not _within(each, number):
        raise InvalidInput(f"{each.name} must be {each.limits}, not {value}")


def _within(each: FieldInfo, number: float) -> bool:
    return (each.low is None or each.low <= number) and (each.high is None or number <= each.high)


def _check_time(each: FieldInfo, value: object) -> None:
    if not isinstance(value, datetime | None):
        raise InvalidInput(f"{each.name} must be a time, not {value!r}")


def _check_flag(each: FieldInfo, value: object) -> None:
    if isinstance(value, str):
        writable(value, each.name)


_CHECKS: dict[Form, Callable[[FieldInfo, object], None]] = {
    Form.TEXT: _check_line,
    Form.TEXTS: _check_list,
    Form.NAMES: _check_list,
    Form.WHOLE: _check_number,
    Form.NUMBER: _check_number,
    Form.FLAG: _check_flag,
    Form.TIME: _check_time,
}
