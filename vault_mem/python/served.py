"""Asking the daemon, where one is running: it has the index open and sees every change.

A process that has just started waits a second or more for its own index; one that keeps a vault without watching it
looks at every file in each call. The daemon's answer comes in a few milliseconds. None is ever started here, and where
one cannot be asked, or is of another version, the answer is this process's own.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import closing
from typing import Any

from vault_mem import __version__
from vault_mem.client import reach
from vault_mem.daemon import protocol
from vault_mem.model import Memory, from_record
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.memory.recall import RecallResult, Request
from vault_mem.operations.memory.results import Found
from vault_mem.ranking.rank import Switches

_MEMORY = frozenset(Memory.__dataclass_fields__)
_BLANK = Filters()


def recall(root: str, request: Request) -> RecallResult | None:
    """What the daemon answers to a request; None where it cannot be asked for that."""
    options = _options(request)
    if options is None:
        return None
    answer = ask(root, ["recall", "--json", "--explain", *options, "--", "-"], request.query.encode(errors="replace"))
    if answer is None or "results" not in answer:
        return None  # our own process reports what is wrong with it
    results = [_found(each) for each in answer["results"]]
    told = {name: answer[name] for name in ("stale", "pending", "answered", "left_out")}
    result = RecallResult(request.query.strip(), results, **told)
    object.__setattr__(result, "notices", answer["notices"])
    return result


def _options(request: Request) -> list[str] | None:
    """A request as options of the command; None where there are none for it."""
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


def ask(root: str, arguments: list[str], stdin: bytes) -> dict[str, Any] | None:
    """The document that a command answers with, and its notices; None where no daemon of ours took it."""
    connection, _ = reach(root) if os.name == "posix" else (None, "")
    if connection is None:
        return None
    out, err = bytearray(), bytearray()
    with closing(connection):
        messages = protocol.Messages(connection)
        try:
            id_ = secrets.token_hex(8)
            connection.sendall(protocol.request(__version__, id_, [f"--vault={root}", *arguments], 80, ""))
            first = messages.next()
            if first is None or first[0] != protocol.ACCEPTED:
                return None
            connection.settimeout(None)
            while (answer := messages.next()) is not None and answer[0] != protocol.EXIT:
                kind, content = answer
                if kind == protocol.WANT_STDIN:
                    connection.sendall(protocol.message(protocol.STDIN, stdin) + protocol.message(protocol.STDIN))
                else:
                    (out if kind == protocol.STDOUT else err).extend(content)
            document = json.loads(out) if answer is not None else None
        except (OSError, ValueError):
            return None
    lines = err.decode(errors="replace").splitlines()
    notices = [line.removeprefix("note: ") for line in lines if line.startswith("note: ")]
    return document | {"notices": notices} if isinstance(document, dict) else None


def _found(record: dict[str, Any]) -> Found:
    memory = from_record({name: value for name, value in record.items() if name in _MEMORY})
    return Found(
        memory,
        record["similarity"],
        record["score"],
        record["relevance"],
        record["passage"],
        record["explain"],
        record.get("maybe_replaced_by", ""),
        record.get("superseded_by", ""),
    )
