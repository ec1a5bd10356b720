"""Keeping sessions: what is new in a transcript is appended to the session's file."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import ModuleType

from vault_mem.errors import Conflict
from vault_mem.imports.transcripts.reading import Source, Step
from vault_mem.model import Memory
from vault_mem.notes import session as notes
from vault_mem.notes.secrets import masked
from vault_mem.notes.session import Opening, Session, Turn, segments, turn_text, without_segments
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import sessions

PRIVATE_MARK = "[private]"
_FULL = "\n(The rest of this session is left out: its file has reached the size of the setting session_kilobytes.)\n"
# How much is gathered before it is written, so that even a huge transcript takes little memory.
_AT_ONCE = 256_000
_ID = re.compile(r"\b(?:mem|ep)_[0-9a-f]{12}\b")
_TRIES = 5


@dataclass
class Kept:
    """What became of a transcript: the session's file, how many turns are new, and where they begin.

    `done`: it was read to its end, before time ran out.
    """

    key: str = ""
    new: int = 0
    first_line: int = 0
    done: bool = True
    private: bool = False


@dataclass
class _Gathered:
    """Turns that were read, but not written yet."""

    turns: list[Turn] = field(default_factory=list)
    count: int = 0
    size: int = 0
    position: int = 0
    opening: Opening = field(default_factory=Opening)
    private: list[str] = field(default_factory=list)

    def take(self, step: Step) -> None:
        self.position = step.position
        if isinstance(step.said, Opening):
            self.opening = step.said
        elif step.said is not None:
            self.private += step.said.private
            self._add(step.said)

    def _add(self, turn: Turn) -> None:
        """Add a message. Messages of one side, with tool calls in between, are one turn."""
        if not turn.text and not turn.tools:
            return
        self.size += len(turn.text)
        last = self.turns[-1] if self.turns else None
        if last is not None and last.role == turn.role == notes.ASSISTANT:
            text = "\n\n".join(each for each in (last.text, turn.text) if each)
            self.turns[-1] = replace(last, text=text, tools=(*last.tools, *turn.tools), private=())
        else:
            self.count += 1
            self.turns.append(turn)


class Keeper:
    """Keeps the sessions of one vault; holds their lock."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.folder = workspace.folder
        sessions.sweep(self.folder)
        self.known = sessions.keys(self.folder)
        self.removed = sessions.removed(self.folder)

    @cached_property
    def _private(self) -> list[Memory]:
        return self.workspace.index.private()

    @cached_property
    def _hidden(self) -> frozenset[str]:
        """The sentences of private memories, which are redacted wherever they are repeated."""
        return segments(memory.content for memory in self._private)

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(memory.id for memory in self._private)

    def keep(
        self,
        reader: ModuleType,
        source: Source,
        *,
        agent: str = "",
        id_: str = "",
        project: str = "",
        deadline: float | None = None,
    ) -> Kept:
        """Append what is new in a transcript to its session's file."""
        agent = agent or agent_of(reader)
        id_ = id_ or source.id or self._id_in(reader, source) or source.path.stem
        tail = sessions.tail_of(agent, id_)
        result = Kept(self.known.get(tail, ""))
        while True:
            head = self._head(tail, agent, id_, project)
            if head.full:
                return result
            gathered, result.done = self._gather(reader.read(source, head.read), head, deadline)
            if gathered is None:
                return result
            self._append(tail, head, gathered, result)
            if result.done or (deadline is not None and time.monotonic() > deadline):
                return result

    def would_keep(self, reader: ModuleType, source: Source) -> Kept:
        """What `keep` would append, and to which file; a new session has none yet."""
        id_ = source.id or self._id_in(reader, source) or source.path.stem
        tail = sessions.tail_of(agent_of(reader), id_)
        head = self._head(tail, agent_of(reader), id_, "")
        gathered = _Gathered()
        for step in () if head.full else reader.read(source, head.read):
            gathered.take(step)
            del gathered.turns[:-1]
        return Kept(self.known.get(tail, ""), gathered.count)

    @staticmethod
    def _id_in(reader: ModuleType, source: Source) -> str:
        first: Iterator[Step] = reader.read(source, 0)
        for _, step in zip(range(20), first, strict=False):
            if isinstance(step.said, Opening) and step.said.id:
                return step.said.id
        return ""

    def _head(self, tail: str, agent: str, id_: str, project: str) -> Session:
        key = self.known.get(tail)
        parts = notes.parse(self.folder.tree.read(key) or b"", self.folder.zone) if key else None
        if parts is not None:
            return parts.head
        return Session(f"{agent}:{id_}", agent, project, read=self.removed.get(tail, 0))

    @staticmethod
    def _gather(steps: Iterator[Step], head: Session, deadline: float | None) -> tuple[_Gathered | None, bool]:
        """The next batch of new turns, or None, and whether it is the last."""
        gathered = _Gathered(position=head.read)
        for step in steps:
            gathered.take(step)
            if gathered.size > _AT_ONCE or (deadline is not None and time.monotonic() > deadline):
                return gathered, False
        return (gathered if gathered.position != head.read else None), True

    def _append(self, tail: str, head: Session, gathered: _Gathered, result: Kept) -> None:
        """Write the gathered turns; if somebody changed the file meanwhile, read it again."""
        for left in reversed(range(_TRIES)):
            try:
                self._write(tail, head, gathered, result)
                return
            except Conflict:
                if not left or tail not in self.known:
                    raise

    def _write(self, tail: str, head: Session, gathered: _Gathered, result: Kept) -> None:
        folder, zone = self.folder, self.folder.zone
        opening = gathered.opening
        hidden = self._hidden | segments(gathered.private)
        turns = [self._clean(turn, hidden) for turn in gathered.turns]
        times = [turn.at for turn in turns if turn.at] or [opening.at or folder.now()]
        head = replace(
            head,
            project=head.project or opening.project,
            branch=opening.branch or head.branch,
            started=head.started or min(opening.at or times[0], times[0]),
            ended=max([*times, *([head.ended] if head.ended else [])]),
            turns=head.turns + len(turns),
            read=gathered.position,
            private=head.private or bool(gathered.private) or any(PRIVATE_MARK in turn.text for turn in turns),
        )
        key = self.known.get(tail)
        if key is None and not turns:
            return  # nothing was said yet; the transcript will be read again
        before = folder.tree.read(key) if key else None
        parts = notes.parse(before, zone) if before else None
        body, room = parts.body if parts else "", folder.settings.session_kilobytes * 1024
        added = ""
        for turn in turns:
            added += turn_text(turn, zone)
            if len(body.encode()) + len(added.encode()) > room:
                added, head.full = added[: max(room - len(body), 0)] + _FULL, True
                break
        raw = notes.dump(head, body + added, zone)
        key = key or sessions.key_for(folder, head.agent, head.session.partition(":")[2], head.started or folder.now())
        sessions.save(folder, key, before, raw)
        if not result.new:
            result.first_line = raw[: len(raw) - len(added.encode())].count(b"\n") + 1
        self.known[tail] = result.key = key
        result.new += len(turns)
        result.private = head.private

    def _clean(self, turn: Turn, hidden: frozenset[str]) -> Turn:
        text = without_segments(masked(turn.text), hidden, PRIVATE_MARK)
        return replace(turn, text=_ID.sub(lambda found: PRIVATE_MARK if found[0] in self._ids else found[0], text))


def agent_of(reader: ModuleType) -> str:
    """The agent whose sessions a reader reads; its format may have a longer name."""
    return str(getattr(reader, "AGENT", reader.NAME))


def hook_fields(hook_input: bytes) -> dict[str, str]:
    """The strings in a hook's JSON input; empty if it is not an object."""
    try:
        record = json.loads(hook_input)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(record, dict):
        return {}
    roots = record.get("workspace_roots")
    found = {key: value for key, value in record.items() if isinstance(value, str)}
    return ({"cwd": roots[0]} if isinstance(roots, list) and roots and isinstance(roots[0], str) else {}) | found
