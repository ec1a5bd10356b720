"""Several vaults answer as one: the nearest, and others with their public memories (SPEC K-5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from vault_mem.errors import NotFound, VaultMemError
from vault_mem.operations.memory.drafts import Draft
from vault_mem.operations.memory.excerpts import Cost, fit_budget
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.memory.recall import RecallResult, Request, recall
from vault_mem.operations.memory.remember import Expected, check
from vault_mem.operations.memory.search import search
from vault_mem.operations.memory.show import ShowResult, show
from vault_mem.operations.workspace import Workspace


@dataclass(frozen=True)
class OtherVault:
    """Another vault that answers too, with its public memories only."""

    name: str
    workspace: Workspace

    def __post_init__(self) -> None:
        self.workspace.folder.public = True


def recall_in_all(
    nearest: Workspace, name: str, others: Sequence[OtherVault], request: Request, cost: Cost | None = None
) -> RecallResult:
    """What answers in any of the vaults, sorted by relevance, which is comparable; each result names its vault."""
    own = replace(request, budget=None)
    found = _in_all(nearest, name, others, lambda workspace: recall(workspace, own))
    answered = [result for result in found if result.answered]
    results = [each for result in answered or found for each in result.results]
    results.sort(key=lambda each: (-each.relevance, -each.score, each.memory.id))
    results, left_out = fit_budget(results[: request.limit if answered else 2], request.query, request.room, cost)
    return replace(
        found[0],
        results=results,
        answered=bool(answered),
        left_out=len(left_out),
        stale=any(result.stale for result in found),
        pending=sum(result.pending for result in found),
    )


def search_in_all(
    nearest: Workspace, name: str, others: Sequence[OtherVault], query: str, limit: int, filters: Filters
) -> RecallResult:
    """Keyword search in all of the vaults."""
    found = _in_all(nearest, name, others, lambda workspace: search(workspace, query, limit, filters))
    results = sorted((each for result in found for each in result.results), key=lambda each: -each.score)[:limit]
    return replace(found[0], results=results, stale=any(each.stale for each in found))


def show_in_any(nearest: Workspace, name: str, others: Sequence[OtherVault], id_: str) -> ShowResult:
    """A memory by its id, from the nearest vault that has it."""
    try:
        return replace(show(nearest, id_), vault=name)
    except NotFound:
        for other in others:
            with suppress(VaultMemError):
                return replace(show(other.workspace, id_), vault=other.name)
        raise


def known_in(others: Sequence[OtherVault], draft: Draft) -> Expected:
    """What other vaults know about a text: the memory that it repeats, or those that it changes or may replace."""
    known = Expected()
    for other in others:
        try:
            found = check(other.workspace, replace(draft, supersedes=[], sources=[]))
        except VaultMemError:
            continue  # trouble in that vault is reported when it is used itself
        if found.duplicate_of is not None:
            return Expected(replace(found.duplicate_of, vault=other.name))
        if known.changed is None and found.changed is not None:
            known = replace(known, changed=replace(found.changed, vault=other.name), differs=found.differs)
        replaced = [replace(each, vault=other.name) for each in found.may_replace]
        known = replace(known, may_replace=[*known.may_replace, *replaced])
    return known


def _in_all(
    nearest: Workspace, name: str, others: Sequence[OtherVault], ask: Callable[[Workspace], RecallResult]
) -> list[RecallResult]:
    """The answer of each vault; a notice names those that failed (SPEC L-4)."""
    found = [_named(ask(nearest), name)]
    for other in others:
        try:
            found.append(_named(ask(other.workspace), other.name))
        except VaultMemError as error:
            nearest.notices.append(no_answer(other.name, error))
    return found


def no_answer(name: str, error: VaultMemError) -> str:
    """The notice about a vault that failed while others answered."""
    return f"{name} did not answer: {error.message}"


def _named(result: RecallResult, name: str) -> RecallResult:
    return replace(result, results=[replace(each, vault=name) for each in result.results])
