"""Asking a running daemon, which has the index open and sees every change.

A process that has just started waits a second or more for its own index; one that keeps a vault without watching it
looks at every file in each call. The daemon's answer comes in a few milliseconds. No daemon is ever started here; if
one cannot be asked, or is of another version, the answer is this process's own.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from vault_mem import __version__
from vault_mem.client import last_word, reach
from vault_mem.daemon import protocol
from vault_mem.daemon.holding import await_end
from vault_mem.errors import Busy, by_code
from vault_mem.fields import Form
from vault_mem.model import GIVEN, Memory, from_record
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.memory.recall import RecallResult, Request
from vault_mem.operations.memory.results import Found
from vault_mem.ranking.rank import Switches

if TYPE_CHECKING:
    from vault_mem.operations.memory.drafts import Draft
    from vault_mem.operations.memory.remember import RememberResult

_MEMORY = frozenset(Memory.__dataclass_fields__)
_BLANK = Filters()
# Fields that have the same name in JSON as in a result.
_SAME = ("similarity", "score", "relevance", "passage", "superseded_by", "copies", "copy_of")


class Lost(Exception):
    """The daemon took a request and broke off its answer."""


def recall(root: str, request: Request) -> RecallResult | None:
    """What the daemon answers to a request; None if it cannot be asked this one."""
    options = _options(request)
    if options is None:
        return None
    try:
        arguments = ["recall", "--json", "--explain", *options, "--", "-"]
        answer = ask(root, arguments, request.query.encode(errors="replace"))
    except Lost:
        return None
    if answer is None or "results" not in answer:
        return None  # our own process reports what is wrong with it
    results = [_found(each) for each in answer["results"]]
    values = {name: answer[name] for name in ("stale", "pending", "answered", "left_out")}
    result = RecallResult(request.query.strip(), results, **values)
    object.__setattr__(result, "notices", answer["notices"])
    return result


def _options(request: Request) -> list[str] | None:
    """A request as options of the command; None if options cannot express it."""
    filters = request.filters
    plain = request.strengths is None and request.switches == Switches() and request.budget is None
    if not plain or filters.ids is not None or filters.metadata or not isinstance(request.query, str):
        return None
    options = [f"-n{request.limit}"]
    if request.min_relevance is not None:
        options.append(f"--min-relevance={request.min_relevance}")
    for name in ("category", "kind", "emotion", "importance", "since", "until", "as_of"):
        value = getattr(filters, name)
        if value != getattr(_BLANK, name):
            text = value.isoformat() if hasattr(value, "isoformat") else value
            options.append(f"--{name.replace('_', '-')}={text}")
    options += [f"--tag={each}" for each in filters.tags] + [f"--person={each}" for each in filters.people]
    options += ["--closed"] if filters.closed else []
    options += [] if filters.private is None else ["--private" if filters.private else "--public"]
    return None if any("\0" in each for each in options) else options


def remember(root: str, draft: Draft, how: Mapping[str, Any], request: str) -> RememberResult | None:
    """What the daemon made of a draft; None if it cannot be asked to save this one.

    Raises Lost if it died before it had answered: the journal then tells what became of the request.
    """
    named = {f"--{name.replace('_', '-')}": value for name, value in how.items() if value not in (None, False)}
    options = [*_draft_options(draft), *(name if value is True else f"{name}={value}" for name, value in named.items())]
    if draft.supersedes or draft.sources or draft.created or draft.metadata or how["max_links"] is not None:
        return None  # some have no option, and names are looked up in this process
    if any("\0" in each for each in options):
        return None
    try:
        arguments = ["remember", "--json", "--no-scaffold", *options, "--", "-"]
        answer = ask(root, arguments, draft.content.encode(), request)
    except Lost:
        if await_end(root):
            raise
        hint = "it may still save the text; check before you repeat it"
        raise Busy("the daemon stopped answering but is still working", hint) from None
    if answer is None:
        return None
    if "error" in answer:
        error = answer["error"]
        raise by_code(error["code"])(error["message"], error["hint"])
    from vault_mem.operations.memory.remember import RememberResult

    values: dict[str, Any] = {name: answer[name] for name in ("links", "differs", "kept")}
    values |= {name: answer[name] and _found(answer[name]) for name in ("duplicate_of", "changed")}
    values |= {name: [_found(each) for each in answer[name]] for name in ("linked", "may_replace", "may_finish")}
    memory = answer["memory"] and _memory(answer["memory"])
    result = RememberResult(memory, grown=answer["status"] == "updated", **values)
    object.__setattr__(result, "notices", answer["notices"])
    return result


def _draft_options(draft: Draft) -> list[str]:
    """The fields of a draft as options of the command."""
    options = []
    for name, field in GIVEN.items():
        value = getattr(draft, name)
        match field.form:
            case Form.FLAG:
                options += [field.flag] if value else []
            case Form.TEXTS:
                options += [f"{field.flag}={each}" for each in value]
            case Form.TIME:
                options += [f"{field.flag}={value.isoformat()}"] if value else []
            case form if form is not Form.NAMES and value != field.default:
                options.append(f"{field.flag}={value}")
    return options


def ask(root: str, arguments: list[str], stdin: bytes, request: str = "") -> dict[str, Any] | None:
    """The JSON that a command answers, and its notices; None if no daemon of ours took it."""
    connection, _ = reach(root) if os.name == "posix" else (None, "")
    if connection is None:
        return None
    out, err = bytearray(), bytearray()
    with closing(connection):
        messages = protocol.Messages(connection)
        try:
            id_ = request or secrets.token_hex(8)
            connection.sendall(protocol.request(__version__, id_, [f"--vault={root}", *arguments], 80, ""))
            first = messages.next()
        except OSError:
            first = None
        if first is None:
            first = last_word(connection, messages)
        if first is None or first[0] != protocol.ACCEPTED:
            return None
        try:
            connection.settimeout(None)
            while (answer := messages.next()) is not None and answer[0] != protocol.EXIT:
                kind, content = answer
                if kind == protocol.WANT_STDIN:
                    connection.sendall(protocol.message(protocol.STDIN, stdin) + protocol.message(protocol.STDIN))
                else:
                    (out if kind == protocol.STDOUT else err).extend(content)
        except OSError:
            answer = None
    if answer is None:
        raise Lost
    try:
        document = json.loads(out)
    except ValueError:
        return None
    lines = err.decode(errors="replace").splitlines()
    notices = [line.removeprefix("note: ") for line in lines if line.startswith("note: ")]
    return document | {"notices": notices} if isinstance(document, dict) else None


def _found(record: dict[str, Any]) -> Found:
    replaced_by, terms = record.get("maybe_replaced_by", ""), record.get("explain", {})
    same = {name: record[name] for name in _SAME if name in record}
    return Found(_memory(record), replaced_by=replaced_by, terms=terms, **same)


def _memory(record: dict[str, Any]) -> Memory:
    return from_record({name: value for name, value in record.items() if name in _MEMORY})
