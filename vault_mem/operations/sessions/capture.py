"""capture: take in what hooks left in the inbox, after an answer or in the daemon's quiet moments."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path

from vault_mem.errors import Busy, VaultMemError, WriteFailed
from vault_mem.imports.transcripts.readers import reader_of
from vault_mem.imports.transcripts.reading import Source
from vault_mem.operations.sessions.keep import Keeper, Kept, hook_fields
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import files, sessions
from vault_mem.vault.lock import locked
from vault_mem.vault.tree import PRIVATE_FOLDER_MODE, PRIVATE_MODE

# Time limits in seconds: for a command after its answer (an agent may be waiting for it to exit), and for a daemon.
_AFTER_AN_ANSWER, _IN_QUIET = 1.5, 20.0


def capture(workspace: Workspace, hook_input: bytes, agent: str = "") -> None:
    """Take in a hook's input at once."""
    folder = workspace.folder
    key = f"{sessions.INBOX}/{time.time_ns():020d}-{os.getpid()}.in"
    files.make_folder(folder.tree, sessions.INBOX, PRIVATE_FOLDER_MODE)
    files.create(folder.tree, key, f"{agent}\n\n".encode() + hook_input, PRIVATE_MODE)
    workspace.freshen()
    take_in(workspace)


def take_in(workspace: Workspace) -> bool:
    """Take in the inbox; returns whether something is left for lack of time."""
    folder = workspace.folder
    env = folder.env
    base = env.get("XDG_STATE_HOME") or (env.get("HOME") and f"{env['HOME']}/.local/state")
    left = sessions.inbox_items(folder, Path(base, "vault-mem", "inbox") if base else None)
    if not left:
        return False
    deadline = time.monotonic() + (_AFTER_AN_ANSWER if workspace.watch is None else _IN_QUIET)
    try:
        with locked(folder.tree, sessions.LOCK, "the sessions", 0):
            return _take_all(workspace, left, deadline)
    except Busy:
        return False  # another process is doing it


def _take_all(workspace: Workspace, left: list[sessions.InboxItem], deadline: float) -> bool:
    from vault_mem.operations.sessions.candidates import propose_from
    from vault_mem.operations.sessions.sessions import remove

    folder = workspace.folder
    if folder.settings.sessions_days:
        remove(workspace, older_than=timedelta(days=folder.settings.sessions_days), held=True)
    keeper = Keeper(workspace)
    records = {each.name: hook_fields(each.hook_input) for each in left}
    latest = {records[each.name].get("transcript_path", each.name): each for each in left}  # read each transcript once
    for each in left:
        record = records[each.name]
        if latest[record.get("transcript_path", each.name)] is not each:
            each.discard(folder)
            continue
        if time.monotonic() > deadline:
            return True
        agent = each.agent or agent_of(record)
        try:
            kept = _take(keeper, agent, each, record, deadline)
        except WriteFailed as error:  # the disk may be full; the item stays until there is room
            sessions.note_missed(folder, agent or "a hook", error.message, waits=each.name)
            return False
        except (OSError, VaultMemError) as error:
            reason = error.message if isinstance(error, VaultMemError) else error.strerror or type(error).__name__
            sessions.note_missed(folder, agent or "a hook", reason)
        else:
            if kept.new:
                propose_from(workspace, kept)
            if not kept.done:
                return True
        each.discard(folder)
    return False


def _take(keeper: Keeper, agent: str, each: sessions.InboxItem, record: dict[str, str], deadline: float) -> Kept:
    reader = reader_of(agent)
    path = record.get("transcript_path") or record.get("agent_transcript_path")
    if reader is None or not path:
        reason = "its hook said nothing that could be read" if not record else "its hook named no transcript"
        sessions.note_missed(keeper.folder, agent or "a hook", reason)
        return Kept()
    id_ = record.get("session_id") or record.get("conversation_id") or ""
    project, source = record.get("cwd") or each.cwd, Source(Path(path).expanduser())
    if getattr(reader, "HOLDS_MANY", False):
        id_ = reader.known_as(source.path, id_) if hasattr(reader, "known_as") else id_
        source = Source(source.path, id_)
    return keeper.keep(reader, source, agent=agent, id_=id_, project=project, deadline=deadline)


def agent_of(record: dict[str, str]) -> str:
    """The agent whose hook writes such a record."""
    path, event = record.get("transcript_path", ""), record.get("hook_event_name", "")
    if "cursor_version" in record or "conversation_id" in record:
        return "cursor"
    if "/.qwen/" in path:
        return "qwen"
    if "/.codex/" in path or "/rollout-" in path:
        return "codex"
    if "/.gemini/" in path or event in ("AfterAgent", "PreCompress"):
        return "gemini"
    return "claude-code" if path and event else ""
