"""Revisions: what a memory said before and after each change, append-only, apart from the undo journal (SPEC T-5)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from vault_mem.notes.text import id_in as id_in
from vault_mem.notes.text import split
from vault_mem.vault.folder import Folder
from vault_mem.vault.steps import AppendStep, FileStep, read

if TYPE_CHECKING:
    from vault_mem.vault.journal import Transaction

_DATE = re.compile(rb"(?:^|(?<=\r))created:[ \t]*\S", re.MULTILINE)


@dataclass(frozen=True)
class ChangeReason:
    """Why one memory was changed, if a transaction changes several for different reasons.

    `payload` is data that came with the change and is not part of the memory.
    """

    reason: str
    evidence: list[str] = field(default_factory=list)
    payload: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Revision:
    """One change of one memory. Where only its front matter changed, `before` and `after` are that alone."""

    id: str
    at: datetime
    command: str
    reason: str
    path: str
    before: str | None
    after: str | None
    evidence: list[str]
    op: str
    written: str | bool = False  # the part of the text that we wrote; True: all of it
    payload: dict[str, Any] = field(default_factory=dict)


def revisions(of: Transaction) -> list[AppendStep]:
    """The revisions to record for a transaction's changes to notes; a new memory has none.

    If one of the notes is private, all go to the private store: the others may have named it (SPEC P-3).
    """
    folder, why = of.folder, ChangeReason(of.reason, of.evidence)
    changed: dict[str, list[FileStep]] = {}
    for step in of.steps:
        if isinstance(step, FileStep) and folder.is_note(step.key) and not folder.is_kept(step.key):
            changed.setdefault(id_in(step.before or step.after or b"") or step.key, []).append(step)
    now = folder.now()
    private = next((step.key for own in changed.values() for step in own if folder.is_private(step.key)), "")
    lines: dict[str, list[str]] = {}
    for id_, own in changed.items():
        before = next((step.before for step in own if step.before is not None), None)
        after = next((step.after for step in own if step.after is not None), None)
        if before is None and of.command in ("remember", "import"):
            continue  # a new memory's file is its own record
        key = private or own[-1].key
        was, now_is = _changed_part(before, after)
        said = of.whys.get(id_, why)
        record: dict[str, Any] = {
            "id": id_,
            "at": now.isoformat(),
            "op": of.op,
            "command": of.command,
            "reason": said.reason,
            "path": next((step.key for step in own if step.after is not None), own[0].key),
            "before": was,
            "after": now_is,
            "evidence": said.evidence,
        } | ({"payload": said.payload} if said.payload else {})
        if id_ in of.written:
            record["written"] = of.written[id_]
        lines.setdefault(folder.history_key(key, now), []).append(json.dumps(record, ensure_ascii=False))
    return [AppendStep(key, "\n".join(each)) for key, each in lines.items()]


def read_all(folder: Folder, naming: str = "") -> Iterator[tuple[str, dict[str, Any], str]]:
    """Every revision, or those `naming` a text: its file, its record and its line, oldest first within each store."""
    for key in history_keys(folder):
        for line in (read(folder, key) or b"").decode(errors="replace").split("\n"):
            if naming not in line:
                continue
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield key, record, line


def of_memory(folder: Folder, id_: str) -> list[Revision]:
    """The revisions of one memory, oldest first."""
    found = []
    for _, record, _ in read_all(folder, id_):
        if record.get("id") == id_:
            try:
                found.append(
                    Revision(
                        id_,
                        datetime.fromisoformat(str(record["at"])),
                        str(record.get("command", "")),
                        str(record.get("reason", "")),
                        str(record.get("path", "")),
                        record.get("before"),
                        record.get("after"),
                        [str(each) for each in record.get("evidence") or ()],
                        str(record.get("op", "")),
                        said if isinstance(said := record.get("written"), str) else said is True,
                        dict(record.get("payload") or {}),
                    )
                )
            except (KeyError, ValueError, TypeError):
                continue
    return sorted(found, key=lambda revision: revision.at)


def history_keys(folder: Folder) -> list[str]:
    """The files that hold revisions, public and private."""
    parents = ["history", f"{folder.settings.private_folder}/.history"]
    return [
        key
        for parent in parents
        for name in folder.tree.names(parent, ".jsonl")
        if folder.is_history(key := f"{parent}/{name}") and folder.is_shown(key)
    ]


def has_date(raw: bytes) -> bool:
    """Whether a note says when it was made, without reading the rest of it."""
    return bool(_DATE.search(raw[:20_000]))


def _changed_part(before: bytes | None, after: bytes | None) -> tuple[str | None, str | None]:
    if before is not None and after is not None:
        try:
            one, other = split(before), split(after)
        except UnicodeDecodeError:
            pass
        else:
            if one.body == other.body and other.front is not None:
                return one.front or "", other.front
    return _text(before), _text(after)


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode(errors="replace")
