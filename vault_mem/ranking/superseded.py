"""Superseded memories: one that was replaced never comes before the one that replaced it."""

from __future__ import annotations

from collections.abc import Sequence

from vault_mem.index.catalogue import Catalogue
from vault_mem.ranking.diversity import Chosen
from vault_mem.ranking.rank import Ranking


def superseding(catalogue: Catalogue) -> dict[int, int]:
    """For the place of each replaced memory, the place of its replacement; the newest if there are several."""

    def found() -> dict[int, int]:
        places: dict[int, int] = {}
        for place, targets in sorted(catalogue.supersedes.items(), key=lambda each: catalogue.created[each[0]]):
            for target in targets:
                key = catalogue.names.note(target, catalogue.files[place])
                old = None if key is None else catalogue.place_of(key)
                if old is not None and old != place:
                    places[old] = place
        return places

    return catalogue.derived("superseding", found) if catalogue.supersedes else {}


def superseding_id(catalogue: Catalogue, place: int, now: float, *, public: bool = False) -> str:
    """The id of the memory that replaced a closed one; empty if there is none."""
    if catalogue.valid_to[place] > now:
        return ""
    by = superseding(catalogue).get(place)
    return "" if by is None or (public and catalogue.private[by]) else catalogue.ids[by]


def newest_first(catalogue: Catalogue, ranking: Ranking, chosen: Sequence[Chosen], now: float) -> list[Chosen]:
    """The list with each closed memory after its replacement, which is inserted if it is a candidate."""
    closed = [int(ranking.places[each.number]) for each in chosen]
    if not any(catalogue.valid_to[place] <= now for place in closed):
        return list(chosen)
    replaced, number_of = superseding(catalogue), {int(place): n for n, place in enumerate(ranking.places.tolist())}
    known = {each.number: each for each in chosen}
    ordered: dict[int, Chosen] = {}
    for each, place in zip(chosen, closed, strict=True):
        line = [each]
        while (by := replaced.get(place)) is not None and by in number_of and len(line) < len(chosen) + 1:
            number = number_of[by]
            line.append(known.get(number, Chosen(number, 0.0)))
            place = by
        for one in reversed(line):
            ordered.setdefault(one.number, one)
    return list(ordered.values())[: len(chosen)]
