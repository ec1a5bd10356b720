"""wake-up: what an agent should know of its memory when a session begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any

from vault_mem.embedding.embedder import Vectors
from vault_mem.errors import VaultMemError
from vault_mem.index.terms import terms
from vault_mem.model import Memory
from vault_mem.notes.origin import second_hand
from vault_mem.notes.self_model import Question
from vault_mem.operations.day.budget import LONG, Excerpt, Filling, excerpts
from vault_mem.operations.day.update_self import show_self
from vault_mem.operations.memory.due import by_day, is_done
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.sessions.candidates import Candidate, candidates
from vault_mem.operations.vaults.views import INTROSPECTION
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking.diversity import SAME_WORDS_SHARE
from vault_mem.result import Result
from vault_mem.vault import sessions

if TYPE_CHECKING:
    from vault_mem.operations.vaults.several import OtherVault

DEFAULT_BUDGET = 1500
IMPORTANT = 4
MOST = 20
_TASKS, _QUESTIONS, _CANDIDATES, _MISSED, _OTHERS = 10, 5, 5, 2, 5
# What is overdue, or due within a week, comes first.
DUE_SOON = timedelta(days=7)
# How many characters of a text are compared.
_READ = 1200


@dataclass(frozen=True)
class OtherVaultMemory:
    """A memory of another vault."""

    vault: str
    excerpt: Excerpt

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return self.excerpt.to_dict() | {"vault": self.vault}


@dataclass
class WakeUp(Result, left_out=("due",), if_any=("candidates", "missed", "others")):
    """What to know. `introspection` has one item at most; `left_out` counts what did not fit the budget.

    `due` has the due days, by id, of tasks that are overdue or due within a week; these come first. `candidates` are
    sentences of sessions that wait to be accepted; `missed` says why sessions could not be captured; `others` are
    memories of other vaults.
    """

    total: int
    stale: bool = False
    pending: int = 0
    left_out: int = 0
    introspection: list[Excerpt] = field(default_factory=list)
    tasks: list[Excerpt] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    memories: list[Excerpt] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    others: list[OtherVaultMemory] = field(default_factory=list)
    due: dict[str, date] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        tasks = [
            each.to_dict() | ({"due": day.isoformat()} if (day := self.due.get(each.memory.id)) else {})
            for each in self.tasks
        ]
        introspection = self.introspection[0].to_dict() if self.introspection else None
        return super().to_dict() | {"introspection": introspection, "tasks": tasks}


def wake_up(
    workspace: Workspace,
    *,
    budget: int,
    cost: Callable[[WakeUp], int],
    public_only: bool = False,
    others: Sequence[OtherVault] = (),
) -> WakeUp:
    """The last introspection, open tasks and questions, then recent and important memories, within the budget."""
    freshness = workspace.freshen()
    private = False if public_only or workspace.folder.public else None

    def gather() -> WakeUp:
        result = WakeUp(workspace.index.count(Filters(private=private)), freshness.stale, freshness.pending)
        return _filled(workspace, Filling(result, budget, cost), private, others)

    return workspace.reading(gather)


def _filled(
    workspace: Workspace, filling: Filling[WakeUp], private: bool | None, others: Sequence[OtherVault]
) -> WakeUp:
    index, now, result = workspace.index, workspace.folder.now(), filling.result

    def chosen(*, important_first: bool = False, **filters: object) -> Iterator[Memory]:
        wanted = Filters(private=private, **filters)  # type: ignore[arg-type]
        return index.read(index.in_order(wanted, important_first=important_first))

    seen: set[str] = set()
    for memory in islice(chosen(category=INTROSPECTION), 1):
        seen.add(memory.id)
        filling.add(result.introspection, *excerpts(memory, LONG))
    tasks = [each for each in chosen(kind="task", important_first=True) if each.id not in seen and not is_done(each)]
    soon = {task.id: day for day, task in by_day(tasks, workspace.folder.zone) if day <= now.date() + DUE_SOON}
    by_id = {task.id: task for task in tasks}
    result.due |= soon
    for id_ in islice(dict.fromkeys((*soon, *by_id)), _TASKS):
        seen.add(id_)
        filling.add(result.tasks, *excerpts(by_id[id_]))
    for question in show_self(workspace.folder).model.open[:_QUESTIONS]:
        filling.add(result.questions, question)
    if not workspace.folder.public:
        result.missed += sessions.missed(workspace.folder)[:_MISSED]
        for candidate in candidates(workspace, private)[-_CANDIDATES:]:
            filling.add(result.candidates, candidate)
    for other in others:
        for memory in _most_important(workspace, other):
            filling.add(result.others, *(OtherVaultMemory(other.name, excerpt) for excerpt in excerpts(memory)))
    recent, important = newest(workspace, MOST, private), chosen(importance=IMPORTANT, important_first=True)
    by_turns = (each for pair in zip_longest(recent, islice(important, MOST)) for each in pair if each is not None)
    at_first_hand = sorted(by_turns, key=lambda each: second_hand(each.source))
    further = {each.id: each for each in at_first_hand if each.id not in seen and not is_done(each)}
    for memory in _new_of(workspace, [*further.values()]):
        if len(result.memories) == MOST:
            break
        filling.add(result.memories, *excerpts(memory))
    return filling.done()


def _most_important(workspace: Workspace, other: OtherVault) -> list[Memory]:
    """The most important public memories of another vault; none if that vault cannot be read."""
    there = other.workspace
    try:
        there.freshen()
        chosen = Filters(private=False, importance=IMPORTANT)
        return list(there.index.read(there.index.in_order(chosen, important_first=True)[:_OTHERS]))
    except VaultMemError as error:
        from vault_mem.operations.vaults.several import no_answer

        workspace.notices.append(no_answer(other.name, error))
        return []


def newest(workspace: Workspace, count: int, private: bool | None) -> list[Memory]:
    """The newest memories that still hold."""
    index = workspace.index
    return list(index.read(index.in_order(Filters(private=private))[:count]))


def _new_of(workspace: Workspace, memories: Sequence[Memory]) -> Iterator[Memory]:
    """The memories without those that nearly repeat an earlier one. Embedding all in one batch saves time."""
    texts = [each.content[:_READ] for each in memories]
    least = workspace.calibration.near_identical if memories else 0.0
    said_before: list[tuple[Vectors, frozenset[str]]] = []
    for memory, text, vector in zip(memories, texts, workspace.embedder.encode(texts), strict=True):
        words = frozenset(terms(text))
        nearly_said = (
            float(vector @ other) >= least and len(words & said) >= SAME_WORDS_SHARE * len(words | said)
            for other, said in said_before
        )
        if not any(nearly_said):
            said_before.append((vector, words))
            yield memory
