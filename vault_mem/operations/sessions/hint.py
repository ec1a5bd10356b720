"""hint: memories that very likely answer a prompt, for an agent that did not ask; most prompts get none."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from vault_mem.imports.transcripts.reading import own_words
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.memory.recall import Request, context_query, recall
from vault_mem.operations.memory.results import Found
from vault_mem.operations.vaults.several import OtherVault, recall_in_all
from vault_mem.operations.workspace import Workspace
from vault_mem.vault import hints, journal, machine_folder

BUDGET = 150
MOST = 2
# The least relevance of a hint: for an agent, no hint is better than a wrong one.
RELEVANT = 0.55
_LEAST_LETTERS = 10
# A command to the client, a path, a one-word answer: nothing to look up.
_NO_QUESTION = re.compile(r"\s*[/!#@]\S*\s*\S*\s*|\s*\S{1,20}\s*")


@dataclass(frozen=True)
class HintStats:
    """What became of hints: prompts seen, prompts that got one, memories shown and used."""

    prompts: int = 0
    hinted: int = 0
    shown: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)

    @property
    def unused(self) -> list[str]:
        """The memories that were shown, but not read, found or changed afterwards."""
        return [id_ for id_ in self.shown if id_ not in set(self.used)]


def hint(
    workspace: Workspace,
    prompt: str,
    session: str,
    *,
    include_private: bool = False,
    frame: int = 0,
    cost: Callable[[Found], int] | None = None,
    others: Sequence[OtherVault] = (),
) -> list[Found]:
    """The memories to add to a prompt: highly relevant, not shown in this session yet, within the budget.

    `others` are vaults that are searched as well.
    """
    folder = workspace.folder
    text = context_query(own_words(prompt))  # Gemini adds the output of other hooks
    if (len(text) < _LEAST_LETTERS and text.isascii()) or _NO_QUESTION.fullmatch(text):
        return []
    private = None if include_private and not folder.public else False
    request = Request(text, MOST + 1, Filters(private=private), budget=BUDGET, frame=frame, min_relevance=RELEVANT)
    result = recall_in_all(workspace, "", others, request, cost) if others else recall(workspace, request, cost)
    seen = hints.shown_in(folder, session) if session else set()
    chosen = [
        found
        for found in (result.results if result.answered else [])
        if found.relevance >= RELEVANT and found.memory.id not in seen
    ][:MOST]
    hints.note(folder, session, [found.memory.id for found in chosen])
    return chosen


def hint_stats(workspace: Workspace) -> HintStats:
    """What became of the hints, from their log and from the operations since."""
    prompts = hinted = 0
    first: dict[str, datetime] = {}
    used: set[str] = set()
    for each in machine_folder.records(workspace.folder.tree, hints.KEY):
        prompts += "ids" in each
        hinted += bool(each.get("ids"))
        for id_ in each.get("ids", ()):
            first.setdefault(id_, datetime.fromisoformat(str(each.get("at"))))
        used |= set(each.get("used", ()))
    for entry in journal.entries(workspace.folder):
        used |= {id_ for id_ in entry.ids if id_ in first and entry.at >= first[id_] and not entry.unasked}
    return HintStats(prompts, hinted, list(first), [id_ for id_ in first if id_ in used])
