"""Older memories that a new one may replace, even in other words (SPEC D-10)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import chain, islice

import numpy as np

from vault_mem.index.candidates import Wanted
from vault_mem.index.catalogue import Catalogue
from vault_mem.index.filters import Filters
from vault_mem.index.terms import terms
from vault_mem.judge.done import may_say_done, says_done
from vault_mem.judge.replaces import WORTH_TELLING, changes_something, may_replace
from vault_mem.judge.text import names_in
from vault_mem.operations.memory.drafts import Draft
from vault_mem.operations.memory.due import is_done
from vault_mem.operations.memory.guard import embed
from vault_mem.operations.memory.newer import REPLACEABLE, about_others, is_turn
from vault_mem.operations.memory.results import Found
from vault_mem.operations.workspace import Workspace

# How many are suggested, likeliest first; nobody would read more.
MOST = 2
# The second is named only if it has this share of the first's likelihood; otherwise it usually just shares a word.
NEARLY = 0.75
# How many of the nearest states are looked at, and how many more that name somebody the new text names.
NEAREST, NAMING = 15, 8
# How many of each are gathered in a large vault, whose memories are not all at hand.
LOOKED_AT = 40
_STATES = REPLACEABLE - {"event"}
_Near = tuple[float, Catalogue, int]  # cosine, and where the memory is


def replaced_by(workspace: Workspace, draft: Draft, near: list[Found]) -> list[Found]:
    """The open states that a new text may replace, likeliest first; `near` are its neighbours, from the guard."""
    if not changes_something(draft.content) or is_turn(draft.content, draft.people):
        return []
    found = {each.memory.id: each for each in near if each.memory.kind in REPLACEABLE}
    found |= {each.memory.id: each for each in _open(workspace, draft.content, _STATES)}
    likely = []
    for each in found.values():
        if about_others(each.memory, draft.people) or is_turn(each.memory.content, each.memory.people):
            continue
        score = may_replace(each.memory.content, draft.content, workspace.tokens)
        if score >= WORTH_TELLING:
            likely.append((score, each))
    likely.sort(key=lambda pair: (-pair[0], -pair[1].similarity, pair[1].memory.id))
    return [each for score, each in likely[:MOST] if score >= NEARLY * likely[0][0]]


def finished_by(workspace: Workspace, draft: Draft) -> list[Found]:
    """The open tasks that a new text says are done, the nearest first (SPEC T-7)."""
    if draft.kind in ("task", "summary", "mood") or not may_say_done(draft.content):
        return []
    tasks = [each for each in _open(workspace, draft.content, {"task"}) if not is_done(each.memory)]
    done = [each for each in tasks if says_done(each.memory.content, draft.content, workspace.tokens)]
    return sorted(done, key=lambda each: (-each.similarity, each.memory.id))[:MOST]


def _open(workspace: Workspace, content: str, kinds: Collection[str]) -> list[Found]:
    """The open memories of some kinds that are nearest to a text, and those that name the same people."""
    vector, names, now = embed(workspace, content), _spelled(content), workspace.folder.now()
    with workspace.candidates_and_unwritten() as both:
        of_kinds = Filters(kind=sorted(kinds), private=False if workspace.folder.public else None)
        wanted = Wanted(vector, [word for name in names for word in terms(name)])
        near: list[_Near] = []
        for candidates in both:
            catalogue = candidates.catalogue(candidates.gather(wanted, of_kinds, now, LOOKED_AT))
            places = catalogue.of_kinds(kinds, now.timestamp(), public=workspace.folder.public)
            cosines = np.einsum("ij,j->i", catalogue.vectors[places], vector)
            order = np.argsort(-cosines, kind="stable").tolist()
            near += _first(((float(cosines[each]), catalogue, places[each]) for each in order), names)
        if not near:
            return []
        near.sort(key=lambda each: -each[0])
        calibration = workspace.calibration
        return [
            Found(catalogue.memory(place), round(calibration.similarity(cosine), 4))
            for cosine, catalogue, place in _first(near, names)
        ]


def _first(order: Iterable[_Near], names: Collection[str]) -> list[_Near]:
    """The nearest, and the nearest of those that contain one of the names."""
    rest = iter(order)
    nearest = list(islice(rest, NEAREST))
    if not names:
        return nearest
    naming = (each for each in chain(nearest, rest) if any(name in each[1].texts[each[2]] for name in names))
    return list(dict.fromkeys((*nearest, *islice(naming, NAMING))))


def _spelled(content: str) -> set[str]:
    """The names in a text, as it spells them and as other memories may."""
    names = [name for name in names_in(content) if len(name) > 1]
    written = {found.group() for name in names if (found := re.search(re.escape(name), content, re.IGNORECASE))}
    return written | {form for name in names for form in (name, name.capitalize())}
