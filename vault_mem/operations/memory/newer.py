"""Which of two answers to a recall is newer: one that speaks of a change may replace the other (SPEC D-10)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from vault_mem.index.catalogue import Catalogue
from vault_mem.judge.done import says_done
from vault_mem.judge.replaces import LIKELY, changes_something, may_be_replaced, may_replace
from vault_mem.model import STATE_KINDS, Memory
from vault_mem.operations.memory.results import Found, has_ended
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking.rank import DIGITS, Ranking

# Events may read like states. Summaries repeat others, and moods replace themselves.
REPLACEABLE = frozenset(("event", *STATE_KINDS)) - {"summary"}
# Events are a log: only one that clearly reads like a state gives way to a later one in a recall.
LIKELY_OF_EVENTS = 0.5
# How far down the candidates a newer memory is looked for.
DEPTH = 40
_JUST_ABOVE = 10**-DIGITS


def newer_first(
    workspace: Workspace,
    catalogue: Catalogue,
    ranking: Ranking,
    results: Mapping[int, Found],
    limit: int,
    candidate: Callable[[int], Found],
) -> list[Found]:
    """The results with a newer memory before the state it may replace or the task it says is done, and that one marked.

    Results go by their numbers in the ranking; `candidate` makes one of a candidate that is not among them.
    """
    shown = dict(results)
    newer = _newer(catalogue, ranking, results)
    now = workspace.folder.now()
    for number, old in ((number, found.memory) for number, found in results.items()):
        if old.kind not in REPLACEABLE or old.closed_at(now) or spoken(old.content, old.people):
            continue
        by = (
            _finishing(workspace, catalogue, ranking, old, results)
            if old.kind == "task" and not has_ended(old)
            else None
        )
        by = _replacing(workspace, catalogue, old, newer) if by is None else by
        if by is None:
            continue
        best = shown.get(by) or candidate(by)
        shown[number] = replace(shown[number], replaced_by=best.memory.id)
        above = shown[number].score - best.score + _JUST_ABOVE
        if above > 0:
            terms = best.terms | {"replaces": round(best.terms.get("replaces", 0.0) + above, DIGITS)}
            best = replace(best, score=round(best.score + above, DIGITS), terms=terms)
        shown[by] = best
    listed = list(shown.values())
    marked = any(each.replaced_by for each in listed)
    return sorted(listed, key=lambda each: -each.score)[:limit] if marked else listed


class _Newer(NamedTuple):
    """A candidate that speaks of a change: its number in the ranking, its place, and what it says."""

    number: int
    place: int
    content: str


def _newer(catalogue: Catalogue, ranking: Ranking, shown: Iterable[int]) -> list[_Newer]:
    """The results that speak of a change, then the next candidates that do."""
    known: MutableMapping[int, bool] = catalogue.by_place("speaks of change")
    found: list[_Newer] = []
    for number, place in _looked_at(ranking, shown):
        if place not in known:
            text = catalogue.texts[place]
            known[place] = changes_something(text) and not spoken(text, catalogue.people[place])
        if known[place]:
            found.append(_Newer(number, place, catalogue.texts[place]))
    return found


def _finishing(
    workspace: Workspace, catalogue: Catalogue, ranking: Ranking, task: Memory, shown: Iterable[int]
) -> int | None:
    """The number of the first candidate that says that a task is done, if one does (SPEC T-7)."""
    for number, place in _looked_at(ranking, shown):
        if catalogue.kinds[place] == "task" or not _is_later(catalogue, place, task):
            continue
        text, people = catalogue.texts[place], catalogue.people[place]
        if about_others(task, people) or spoken(text, people):
            continue
        if says_done(task.content, text, workspace.tokens):
            return number
    return None


def _looked_at(ranking: Ranking, shown: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The numbers and places of the results, then of the next candidates."""
    for number in dict.fromkeys((*shown, *range(min(DEPTH, len(ranking.places))))):
        yield number, int(ranking.places[number])


def _replacing(workspace: Workspace, catalogue: Catalogue, old: Memory, newer: Sequence[_Newer]) -> int | None:
    """The number of the candidate that most likely replaces a memory, if any does."""
    if not may_be_replaced(old.content):
        return None
    least = LIKELY_OF_EVENTS if old.kind == "event" else LIKELY
    number = None
    for each in newer:
        if not _is_later(catalogue, each.place, old) or about_others(old, catalogue.people[each.place]):
            continue
        likely = may_replace(old.content, each.content, workspace.tokens, least)
        if likely > least or (likely == least and number is None):
            least, number = likely, each.number
    return number


def _is_later(catalogue: Catalogue, place: int, old: Memory) -> bool:
    """Whether a candidate was saved after a memory.

    Notes with the same date, such as a manual dropped in as a whole, do not replace each other.
    """
    made, before = catalogue.created[place], old.created.timestamp()
    return bool(made > before or (made == before and catalogue.memory(place).order[:2] > old.order[:2]))


def about_others(one: Memory, people: Sequence[str]) -> bool:
    """Whether two memories both name people, but not the same ones."""
    return bool(one.people and people) and {each.casefold() for each in one.people}.isdisjoint(
        each.casefold() for each in people
    )


def spoken(content: str, people: Iterable[str]) -> bool:
    """Whether a text is a turn of a conversation: the speaker's name, a colon, and what was said."""
    speaker, colon, _ = content[:80].replace("：", ":").partition(":")
    return bool(colon) and speaker.strip().casefold() in [each.casefold() for each in people]
