"""In a recall, a newer answer that speaks of a change is listed before the one it may replace (SPEC D-10)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from vault_mem.index.catalogue import Catalogue
from vault_mem.judge.done import says_done
from vault_mem.judge.replaces import WORTH_TELLING, changes_something, may_be_replaced, may_replace
from vault_mem.model import STATE_KINDS, Memory
from vault_mem.operations.memory.results import Found, has_ended
from vault_mem.operations.workspace import Workspace
from vault_mem.ranking.rank import SCORE_DIGITS, Ranking

# Events are included because they may read like states. Summaries only repeat others, and moods replace themselves.
REPLACEABLE = frozenset(("event", *STATE_KINDS)) - {"summary"}
# The least likelihood for events. They are a log, so a newer one goes first only if the old one clearly reads like a
# state.
LIKELY_OF_EVENTS = 0.5
# How many of the best candidates are searched for a newer memory.
DEPTH = 40
# A candidate below this share of an answer's score is about something else, even if it speaks of a change.
RIVAL = 1 / 3
_JUST_ABOVE = 10**-SCORE_DIGITS


def newer_first(
    workspace: Workspace,
    catalogue: Catalogue,
    ranking: Ranking,
    results: Mapping[int, Found],
    limit: int,
    candidate: Callable[[int], Found],
) -> list[Found]:
    """The results, with each newer memory moved before the state it may replace or the task it says is done.

    The older memory is marked with `replaced_by`. `results` maps numbers in the ranking to results; `candidate` makes
    a result of any other candidate.
    """
    shown = dict(results)
    looked_at = _looked_at(catalogue, ranking, results)
    now = workspace.folder.now()
    for number, old in ((number, found.memory) for number, found in results.items()):
        if old.kind not in REPLACEABLE or old.closed_at(now) or is_turn(old.content, old.people):
            continue
        # Notes with the same date, such as the chapters of a manual, do not replace each other.
        later = [each for each in looked_at if each.made > catalogue.created[ranking.places[number]]]
        open_task = old.kind == "task" and not has_ended(old)
        by = _finishing(workspace, catalogue, old, later) if open_task else None
        if by is None:
            rivals = [each for each in later if ranking.scores[each.number] >= RIVAL * ranking.scores[number]]
            by = _replacing(workspace, catalogue, old, rivals)
        if by is None:
            continue
        best = shown.get(by) or candidate(by)
        shown[number] = replace(shown[number], replaced_by=best.memory.id)
        above = shown[number].score - best.score + _JUST_ABOVE
        if above > 0:
            terms = best.terms | {"replaces": round(best.terms.get("replaces", 0.0) + above, SCORE_DIGITS)}
            best = replace(best, score=round(best.score + above, SCORE_DIGITS), terms=terms)
        shown[by] = best
    listed = list(shown.values())
    marked = any(each.replaced_by for each in listed)
    return sorted(listed, key=lambda each: -each.score)[:limit] if marked else listed


class _Candidate(NamedTuple):
    """A candidate: its number in the ranking, its place, when it was made, and whether it speaks of a change."""

    number: int
    place: int
    made: float
    changes: bool


def _looked_at(catalogue: Catalogue, ranking: Ranking, shown: Iterable[int]) -> list[_Candidate]:
    """The results, then the best of the other candidates."""
    known: MutableMapping[int, bool] = catalogue.by_place("speaks of change")
    found: list[_Candidate] = []
    for number in dict.fromkeys((*shown, *range(min(DEPTH, len(ranking.places))))):
        place = int(ranking.places[number])
        if place not in known:
            text = catalogue.texts[place]
            known[place] = changes_something(text) and not is_turn(text, catalogue.people[place])
        found.append(_Candidate(number, place, float(catalogue.created[place]), known[place]))
    return found


def _finishing(workspace: Workspace, catalogue: Catalogue, task: Memory, later: Iterable[_Candidate]) -> int | None:
    """The number of the first later candidate that says that a task is done, if any (SPEC T-7)."""
    for each in later:
        if catalogue.kinds[each.place] == "task":
            continue
        text, people = catalogue.texts[each.place], catalogue.people[each.place]
        if about_others(task, people) or is_turn(text, people):
            continue
        if says_done(task.content, text, workspace.tokens):
            return each.number
    return None


def _replacing(workspace: Workspace, catalogue: Catalogue, old: Memory, later: Iterable[_Candidate]) -> int | None:
    """The number of the later candidate that most likely replaces a memory, if any does."""
    if not may_be_replaced(old.content):
        return None
    least = LIKELY_OF_EVENTS if old.kind == "event" else WORTH_TELLING
    number = None
    for each in later:
        if not each.changes or about_others(old, catalogue.people[each.place]):
            continue
        likely = may_replace(old.content, catalogue.texts[each.place], workspace.tokens, least)
        if likely > least or (likely == least and number is None):
            least, number = likely, each.number
    return number


def about_others(one: Memory, people: Sequence[str]) -> bool:
    """Whether two memories both name people, but not the same ones."""
    return bool(one.people and people) and {*map(str.casefold, one.people)}.isdisjoint(map(str.casefold, people))


def is_turn(content: str, people: Iterable[str]) -> bool:
    """Whether a text is a turn of a conversation: the speaker's name, a colon, and what was said."""
    speaker, colon, _ = content[:80].replace("：", ":").partition(":")
    return bool(colon) and speaker.strip().casefold() in [each.casefold() for each in people]
