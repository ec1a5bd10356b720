"""sessions: list, show, search and remove what was said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from vault_mem.errors import InvalidInput, NotFound
from vault_mem.index import sessions as table
from vault_mem.notes import session as notes
from vault_mem.notes.session import Said, Session
from vault_mem.notes.tokens import count_tokens
from vault_mem.operations.memory.excerpts import best_part
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import sessions
from vault_mem.vault.folder import Folder
from vault_mem.vault.lock import locked

_CANDIDATES = 60
_FRAME = 24  # tokens that showing a turn takes besides its text
_EXCERPT = 300
# A turn is shown if it has half of the query's words, or is about as close in meaning as linked memories.
_ENOUGH_WORDS, _ENOUGH_LIKENESS = 0.5, 0.7


@dataclass(frozen=True)
class SessionFile:
    """A session and its file."""

    key: str
    head: Session
    title: str
    size: int


@dataclass(frozen=True)
class SessionHit:
    """Something said in a session that may answer. It is not a memory."""

    key: str
    line: int
    agent: str
    project: str
    at: str
    role: str
    text: str
    score: float


@dataclass
class Removed:
    """The sessions that were removed, or would be."""

    removed: list[SessionFile] = field(default_factory=list)


def list_sessions(
    workspace: Workspace, project: str = "", agent: str = "", limit: int | None = None
) -> list[SessionFile]:
    """The sessions, newest first; none if only public memories may be seen."""
    found = [each for each in _all(workspace) if _is_of(each, project) and agent in ("", each.head.agent)]
    found.sort(key=lambda each: (_end(workspace, each), each.key), reverse=True)
    return found[:limit]


def show_session(workspace: Workspace, which: str) -> tuple[SessionFile, str]:
    """A whole session, found by its file, its name, the digits at its end, or its agent's id."""
    found = _meant(workspace, which)
    return found, (workspace.folder.tree.read(found.key) or b"").decode(errors="replace")


def search_sessions(workspace: Workspace, query: str, limit: int) -> list[SessionHit]:
    """The turns that may answer a query."""
    folder = workspace.folder
    if folder.public:
        return []
    said: list[tuple[table.TurnHit, Said]] = []
    for hit in table.search(folder, query, _CANDIDATES):
        turns = notes.turns(folder.tree.read(hit.key) or b"", folder.zone)
        said += islice(((hit, each) for each in turns if each.line == hit.line), 1)
    if not said:
        return []
    wanted = dict.fromkeys(table.words(query), 1.0)
    shown = [best_part(each.text, wanted, _EXCERPT) for _, each in said]
    vectors = workspace.embedder.encode([query, *shown])
    calibration = workspace.calibration
    best = max(hit.score for hit, _ in said) or 1.0
    results = []
    for (hit, each), text, vector in zip(said, shown, vectors[1:], strict=True):
        alike = calibration.similarity(float(vector @ vectors[0]))
        if hit.share < _ENOUGH_WORDS and alike < _ENOUGH_LIKENESS:
            continue
        parts = notes.parse(folder.tree.read(hit.key) or b"", folder.zone)
        head = parts.head if parts else Session("", "")
        score = round((hit.score / best + hit.share + alike) / 3, 4)
        results.append(SessionHit(hit.key, hit.line, head.agent, head.project, each.at, each.role, text, score))
    results.sort(key=lambda each: (-each.score, each.key, each.line))
    return results[:limit]


def tokens_of(hit: SessionHit) -> int:
    """How many tokens a turn takes, as text or JSON."""
    return count_tokens(f"{hit.key}:{hit.line} {hit.agent} {hit.role} {hit.at} {hit.text}") + _FRAME


def remove(
    workspace: Workspace,
    which: Iterable[str] = (),
    *,
    older_than: timedelta | None = None,
    project: str = "",
    everything: bool = False,
    dry_run: bool = False,
    held: bool = False,
) -> Removed:
    """Remove sessions for good. What was captured before does not come back.

    `held`: the caller holds the lock of the sessions.
    """
    folder = workspace.folder
    names = list(which)
    if not names and older_than is None and not project and not everything:
        raise InvalidInput("which sessions?", "name them, or --older-than, --project or --all")
    before = folder.now() - older_than if older_than is not None else None
    chosen = [_meant(workspace, each) for each in names] if names else _all(workspace, before)
    chosen = [each for each in chosen if _is_of(each, project) and (before is None or _end(workspace, each) < before)]
    result = Removed(sorted(chosen, key=lambda each: each.key))
    if dry_run or not result.removed:
        return result
    with nullcontext() if held else locked(folder.tree, sessions.LOCK, "the sessions"):
        sessions.sweep(folder)
        sessions.drop_table(folder)  # first, so that nothing is removed if this fails
        for each in result.removed:
            id_ = each.head.session.partition(":")[2]
            sessions.note_removed(folder, sessions.tail_of(each.head.agent, id_), each.head.read)
            folder.tree.drop(each.key)
            folder.tree.drop_folder(each.key.rpartition("/")[0])
        with suppress(OSError):
            sessions.drop_table(folder)  # again: somebody may have searched meanwhile
    return result


def without(folder: Folder, texts: Iterable[str]) -> Iterator[tuple[str, bytes, bytes]]:
    """Sessions that contain one of these texts: the file, its content, and its content without them."""
    hidden = notes.segments(texts)
    if not hidden:
        return
    for key in sessions.keys(folder).values():
        raw = folder.tree.read(key) or b""
        parts = notes.parse(raw, folder.zone)
        if parts is None:
            continue
        body = notes.without_segments(parts.body, hidden, FORGOTTEN)
        if body != parts.body:
            yield key, raw, notes.dump(parts.head, body, folder.zone)


FORGOTTEN = "[forgotten]"


def _all(workspace: Workspace, before: datetime | None = None) -> list[SessionFile]:
    """All sessions, or those that began before a moment, judged by their names."""
    folder = workspace.folder
    if folder.public:
        return []
    found = []
    for key in sessions.keys(folder).values():
        if before is not None and key.rpartition("/")[2][:10] > f"{before:%Y-%m-%d}":
            continue
        raw = folder.tree.read(key) or b""
        parts = notes.parse(raw, folder.zone)
        if parts is not None:
            first = next((each.text for each in notes.turns(raw, folder.zone) if each.role == notes.USER), "")
            found.append(SessionFile(key, parts.head, " ".join(first.split())[:80], len(raw)))
    return found


def _is_of(each: SessionFile, project: str) -> bool:
    """Whether a session took place in this folder, below it, or in a folder of this name."""
    here = Path(each.head.project)
    return not project or here.is_relative_to(Path(project).expanduser()) or here.name == project


def _end(workspace: Workspace, each: SessionFile) -> datetime:
    return each.head.ended or each.head.started or workspace.folder.now()


def _meant(workspace: Workspace, which: str) -> SessionFile:
    wanted = which.strip().removesuffix(".md")
    known = {each.key.removesuffix(".md"): each for each in _all(workspace)}
    found = [known[wanted]] if wanted in known else [
        each for name, each in known.items()
        if wanted and (name.endswith(wanted) or each.head.session.partition(":")[2] == wanted)
    ]  # fmt: skip
    if len(found) != 1:
        reason = "More than one session is called" if found else "No session is called"
        raise NotFound(f"{reason} {which}", "`vault-mem sessions` lists them")
    return found[0]
