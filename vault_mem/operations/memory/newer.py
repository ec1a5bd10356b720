"""Which of two answers to a recall is newer: one that speaks of a change may replace the other (SPEC D-10)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from vault_mem.index.catalogue import Catalogue
from vault_mem.judge.replaces import LIKELY, changes_something, may_replace
from vault_mem.model import STATE_KINDS, Memory
from vault_mem.operations.memory.results import Found
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
    results: list[Found],
    limit: int,
    candidate: Callable[[int], Found],
) -> list[Found]:
    """The results with a newer memory that speaks of a change before the state it may replace, and that one marked.

    `candidate` makes a result of a candidate that is not among them.
    """
    shown = {found.memory.id: found for found in results}
    further = _further(catalogue, ranking, shown)
    others = (catalogue.memory(int(ranking.places[number])) for number in further.values())
    newer = [
        memory
        for memory in (*(found.memory for found in results), *others)
        if changes_something(memory.content) and not spoken(memory.content, memory.people)
    ]
    for old in results:
        if old.memory.kind not in REPLACEABLE or old.memory.closed_at(workspace.folder.now()):
            continue
        if spoken(old.memory.content, old.memory.people):
            continue
        memory = _replacing(workspace, old.memory, newer)
        if memory is None:
            continue
        shown[old.memory.id] = replace(shown[old.memory.id], replaced_by=memory.id)
        best = shown.get(memory.id) or candidate(further[memory.id])
        above = shown[old.memory.id].score - best.score + _JUST_ABOVE
        if above > 0:
            terms = best.terms | {"replaces": round(best.terms.get("replaces", 0.0) + above, DIGITS)}
            best = replace(best, score=round(best.score + above, DIGITS), terms=terms)
        shown[memory.id] = best
    marked = any(each.replaced_by for each in shown.values())
    return sorted(shown.values(), key=lambda each: -each.score)[:limit] if marked else results


def _further(catalogue: Catalogue, ranking: Ranking, shown: Collection[str]) -> dict[str, int]:
    """The ids of the next candidates of a recall that speak of a change, with their numbers in the ranking."""
    return {
        catalogue.ids[place]: number
        for number, place in enumerate(ranking.places[:DEPTH].tolist())
        if catalogue.ids[place] not in shown and changes_something(catalogue.texts[place])
    }


def _replacing(workspace: Workspace, old: Memory, newer: list[Memory]) -> Memory | None:
    # Notes with the same date, such as a manual dropped in as a whole, do not replace each other.
    later = [each for each in newer if each.order[:2] > old.order[:2]]
    scores = [
        0.0 if about_others(old, each.people) else may_replace(old.content, each.content, workspace.tokens)
        for each in later
    ]
    best = max(scores, default=0.0)
    return later[scores.index(best)] if best >= (LIKELY_OF_EVENTS if old.kind == "event" else LIKELY) else None


def about_others(one: Memory, people: list[str]) -> bool:
    """Whether two memories both name people, but not the same ones."""
    return bool(one.people and people) and {each.casefold() for each in one.people}.isdisjoint(
        each.casefold() for each in people
    )


def spoken(content: str, people: list[str]) -> bool:
    """Whether a text is a turn of a conversation: the speaker's name, a colon, and what was said."""
    speaker, colon, _ = content[:80].replace("：", ":").partition(":")
    return bool(colon) and speaker.strip().casefold() in [each.casefold() for each in people]
