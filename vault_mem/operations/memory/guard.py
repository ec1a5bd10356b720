"""The guard: which existing memories a new text is near to, and whether it repeats one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np

from vault_mem.embedding.calibration import Calibration, size_of
from vault_mem.embedding.embedder import Vectors
from vault_mem.index.filters import Filters
from vault_mem.index.rows import texts_to_embed, whole_vector
from vault_mem.index.terms import terms
from vault_mem.judge.ground import Usage, common_ground
from vault_mem.judge.judge import Judgement, judge, plainly_differs, repeatable_parts
from vault_mem.judge.text import respelled
from vault_mem.judge.words import Difference
from vault_mem.operations.memory.results import Found
from vault_mem.operations.workspace import Workspace

# How many neighbours are looked at: enough for five links when private and closed ones are left out.
NEIGHBOURS = 12
# How many of the nearest are judged at any distance, and at most. In a short text, changing just a number moves the
# vector far, although the statement is the same.
JUDGED, MOST_JUDGED = 3, 4
# The share of words two texts must have in common to be judged: long notes may match in form without the same subject.
SAME_WORDING = 0.5


@dataclass(frozen=True)
class Verdict:
    """The neighbours of a text, nearest first; which of them it repeats, or else which it changes, and how."""

    neighbours: list[Found] = field(default_factory=list)
    duplicate_of: Found | None = None
    changed: Found | None = None
    differs: list[Difference] = field(default_factory=list)


def guard(workspace: Workspace, content: str, dedup_threshold: float) -> Verdict:
    """Judge a text before it is saved. Closed memories do not count; private ones do if they may be seen."""
    neighbours = nearest(workspace, content)
    if workspace.folder.settings.dedup_mode == "distance":
        first = neighbours[0] if neighbours and neighbours[0].distance < dedup_threshold else None
        return Verdict(neighbours, first)
    near = max(dedup_threshold, workspace.folder.settings.merge_threshold)
    changed: tuple[Found, Judgement] | None = None
    for number, (found, text) in enumerate(_with_parts(workspace, neighbours, content)):
        if number >= (JUDGED if found.distance >= near else MOST_JUDGED):
            break
        if found.distance >= near and (changed or not same_wording(text, content)):
            continue
        if changed and plainly_differs(text, content):
            continue
        judgement = judge(text, content, workspace.tokens)
        if judgement.aligned and found.distance >= near:
            found = Found(found.memory, max(found.similarity, similarity_between(workspace, *respelled(text, content))))
        if found.distance < near and repeats(judgement, found.distance, dedup_threshold):
            return Verdict(neighbours, found)
        if changed is None and judgement.differs and (found.distance < near or judgement.same_words):
            changed = found, judgement
    if changed is None:
        return Verdict(neighbours)
    return Verdict(neighbours, changed=changed[0], differs=changed[1].differs)


def worth_linking(workspace: Workspace, content: str, link_threshold: float) -> Callable[[str], bool]:
    """A function that tells whether an existing text is about what the new one is about, and not just similar in tone.

    With a threshold of 1, links are wanted whatever the texts say.
    """
    if link_threshold >= 1:
        return lambda _: True

    @cache
    def usage() -> Usage:
        with workspace.candidates() as candidates:
            return _usage(tuple(candidates.sample()[0]))

    return lambda existing: common_ground(existing, content, workspace.tokens, usage())


_usage = lru_cache(maxsize=2)(Usage)  # computed again only when the sample changes


def _with_parts(workspace: Workspace, neighbours: list[Found], content: str) -> list[tuple[Found, str]]:
    """Each neighbour with the part of it that is most like the new text, nearest first.

    A person may have added callouts, links and paragraphs to a memory whose statement the new text repeats.
    """
    found: list[tuple[Found, str]] = []
    for each in neighbours:
        best = each, each.memory.content
        for part in repeatable_parts(each.memory.content):
            if part != each.memory.content and same_wording(part, content):
                similarity = similarity_between(workspace, part, content)
                if similarity >= best[0].similarity:
                    best = Found(each.memory, similarity), part
        found.append(best)
    return sorted(found, key=lambda each: -each[0].similarity)


def similarity_between(workspace: Workspace, existing: str, content: str) -> float:
    """The calibrated similarity of two texts."""
    cosine = float(embed(workspace, existing) @ embed(workspace, content))
    return _similarity(workspace.calibration, cosine, existing, content)


def same_wording(one: str, other: str) -> bool:
    """Whether at least half of the words are the same: a cheap test before the judge."""
    left, right = set(terms(one)), set(terms(other))
    return len(left & right) >= SAME_WORDING * max(len(left), len(right), 1)


def repeats(judgement: Judgement, distance: float, dedup_threshold: float) -> bool:
    """Whether a pair is a repetition: no fact changed, and either nearly identical or aligned word by word.

    The caller makes sure that the distance is below the merge threshold, or below `dedup_threshold`.
    """
    if dedup_threshold <= 0 or not judgement.repetition:
        return False
    return distance < dedup_threshold or judgement.aligned


def nearest(workspace: Workspace, content: str) -> list[Found]:
    """The existing memories nearest to a text by calibrated cosine of whole-memory vectors."""
    now, public = workspace.folder.now(), workspace.folder.public
    vector = embed(workspace, content)
    with workspace.candidates_and_unwritten() as both:
        if not np.any(vector):  # the model knows none of its tokens: only an identical text is a repetition
            return [
                Found(catalogue.memory(place), 1.0)
                for catalogue in [candidates.with_text(content) for candidates in both]
                for _, _, place in catalogue.open_at(now.timestamp(), public=public)
                if catalogue.texts[place] == content
            ]
        calibration = workspace.calibration
        ours = Filters(private=False if public else None)
        near = [
            (cosine, catalogue.created[place], catalogue, place)
            for each in both
            for catalogue in [each.catalogue(each.files_near(vector, ours, now, NEIGHBOURS, ours=True))]
            for place, cosine in catalogue.nearest(vector, NEIGHBOURS, now.timestamp(), public=public)
        ]
        near.sort(key=lambda each: (-each[0], -each[1], each[2].files[each[3]]))
        found = [
            Found(catalogue.memory(place), _similarity(calibration, cosine, catalogue.texts[place], content))
            for cosine, _, catalogue, place in near[:NEIGHBOURS]
        ]
    copies = workspace.index.known.originals([each.memory.path for each in found])
    found = [each for each in found if each.memory.path not in copies]
    return sorted(found, key=lambda each: (-each.similarity, -each.memory.created.timestamp(), each.memory.id))


def _similarity(calibration: Calibration, cosine: float, existing: str, content: str) -> float:
    return 1.0 if existing == content else round(calibration.similarity(cosine, size_of(existing, content)), 4)


def embed(workspace: Workspace, content: str) -> Vectors:
    """The whole-memory vector of a text."""
    parts = texts_to_embed(content)
    if not parts:
        return np.zeros(workspace.embedder.dim, dtype=np.float32)
    return whole_vector(workspace.embedder.encode(parts), parts)
