"""Summaries: one memory per scope, updated over time, that helps recall answer broad questions (SPEC T-6).

A scope is `tag:…`, `person:…`, `project:…` (a tag `project/…`) or `month:2026-11`. A summary lists the memories it
was made from, and a digest of their texts, which tells when they have changed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from vault_mem.model import Memory
from vault_mem.notes.tokens import count_tokens
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record, plain

# Fewer memories than this can be read as quickly as a summary of them.
ENOUGH = 6
BUDGET = 6000
PROJECT = "project/"


@dataclass(frozen=True)
class Scope(Result):
    """A scope that needs a summary: what it would cover, newest first, and the old summary, if there is one."""

    scope: str
    memories: list[Memory]
    total: int
    summary: Memory | None
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        summary = self.summary.id if self.summary else None
        return as_record(self, "memories", summary=summary, covers=[as_state(memory) for memory in self.memories])


def as_state(memory: Memory) -> dict[str, Any]:
    """A memory as the JSON that a TidyPlan is made from."""
    return {
        "state_id": memory.id,
        "kind": memory.kind,
        "body_text": memory.content,
        "confidence": memory.confidence,
        "salience": memory.salience,
        "valid_from_ts": plain(memory.valid_from),
        "valid_to_ts": plain(memory.valid_to),
        "last_confirmed_at": plain(memory.last_confirmed),
        "created": plain(memory.created),
        "tags": memory.tags,
        "people": memory.people,
        "private": memory.private,
    }


def scopes_of(memory: Memory) -> list[str]:
    """The scopes a memory belongs to."""
    found = [f"project:{tag[len(PROJECT) :]}" if tag.startswith(PROJECT) else f"tag:{tag}" for tag in memory.tags]
    found += [f"person:{person}" for person in memory.people]
    return [*found, f"month:{memory.created:%Y-%m}"]


def scopes_to_summarise(workspace: Workspace, *, budget: int = BUDGET, public_only: bool = False) -> list[Scope]:
    """Scopes with many memories and no summary, or one that has fallen behind; as many as fit the budget."""
    workspace.freshen()
    now = workspace.folder.now()
    everything = [
        memory for memory in workspace.index.memories() if not memory.closed_at(now) and not memory.provisional
    ]
    covered = [m for m in everything if m.kind not in ("summary", "mood") and not (public_only and m.private)]
    summaries = {memory.scope: memory for memory in everything if memory.kind == "summary" and memory.scope}
    counts = Counter(scope for memory in covered for scope in scopes_of(memory))
    current = f"month:{now:%Y-%m}"
    found = []
    room = budget
    for scope, total in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        summary = summaries.get(scope)
        if total < ENOUGH or scope == current or total > 0.9 * len(covered) > ENOUGH:
            continue  # too few, the current month, or nearly the whole vault
        members = [memory for memory in covered if scope in scopes_of(memory)]
        reason = _reason(workspace, summary, members)
        if not reason:
            continue
        chosen = []
        for memory in members:
            cost = count_tokens(memory.content) + 20
            if cost > room:
                break
            room -= cost
            chosen.append(memory)
        if len(chosen) < min(ENOUGH, total):
            break
        found.append(Scope(scope, chosen, total, summary, reason))
    return found


def _reason(workspace: Workspace, summary: Memory | None, members: list[Memory]) -> str:
    if summary is None:
        return f"{len(members)} memories and no summary"
    since = summary.last_confirmed or summary.created
    new = sum(memory.created > since for memory in members)
    if new >= ENOUGH:
        return f"{new} memories are newer than its summary"
    return "its sources have changed since" if outdated(workspace, summary) else ""


def outdated(workspace: Workspace, summary: Memory) -> bool:
    """Whether memories that a summary was made from have changed since, or are gone."""
    if not summary.sources or not summary.sources_digest:
        return False
    graph = workspace.graph
    ids = [graph.resolve(target, summary.path) for target in summary.sources]
    if None in ids:
        return True
    return digest(workspace.index.get(id_) for id_ in ids if id_) != summary.sources_digest


def digest(sources: Iterable[Memory]) -> str:
    """A digest of what the sources say."""
    text = "\0".join(f"{memory.id}\n{memory.content}" for memory in sorted(sources, key=lambda each: each.id))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
