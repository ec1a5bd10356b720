"""Links: which memories lead to which, and how firmly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vault_mem.index.catalogue import Catalogue

# The confidence of a link that a person typed without giving one.
TYPED_LINK_CONFIDENCE = 0.8

Strengths = Mapping[tuple[str, str], float]


def linked_to(catalogue: Catalogue, place: int) -> dict[int, float]:
    """The memories linked to one, in both directions, with the firmness of each link."""
    known: dict[int, dict[int, float]] = catalogue.derived("links around", dict)  # until a memory changes
    if place not in known:
        found: dict[int, float] = {}
        file = catalogue.files[place]
        for source, target, link in catalogue.names.around(file):
            other = catalogue.place_of(target if source == file else source)
            if other is not None:
                found[other] = max(
                    found.get(other, 0.0), TYPED_LINK_CONFIDENCE if link.confidence is None else link.confidence
                )
        known[place] = found
    return known[place]


def linked_ids(catalogue: Catalogue, places: Iterable[int], strengths: Strengths) -> set[str]:
    """The ids of memories that were used together with these."""
    ids = {catalogue.ids[place] for place in places}
    return {each for pair in strengths if not ids.isdisjoint(pair) for each in pair}


def passed_on(
    catalogue: Catalogue, seeds: Iterable[tuple[int, float]], strengths: Strengths
) -> dict[int, tuple[float, int]]:
    """For each memory linked to the seeds: the largest share of a seed's strength that it gets, and from which seed.

    Being used together makes a link firmer.
    """
    found: dict[int, tuple[float, int]] = {}
    used: dict[str, dict[str, float]] = {}
    for (one, other), strength in strengths.items():
        used.setdefault(one, {})[other] = used.setdefault(other, {})[one] = strength
    for seed, share in seeds:
        near = dict(linked_to(catalogue, seed))
        for id_, strength in used.get(catalogue.ids[seed], {}).items():
            far = catalogue.place_of_id(id_)
            if far is not None and far != seed:
                near[far] = min(1.0, near.get(far, 0.0) + strength)
        for place, firmness in near.items():
            if firmness * share > found.get(place, (0.0, 0))[0]:
                found[place] = (firmness * share, seed)
    return found
