"""Links: which memories lead to which, and how firmly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from vault_mem.index.catalogue import Catalogue
from vault_mem.notes.links import name_key

# A link a person typed without a figure was meant.
UNSAID = 0.8
_ID_AT_END = re.compile(r"(?:^|-)([0-9a-f]{8})$")

Strengths = Mapping[tuple[str, str], float]


class Web:
    """The links of all memories at hand, in both directions."""

    def __init__(self, catalogue: Catalogue) -> None:
        names: dict[str, list[int]] = {}
        for place in catalogue.alive.nonzero()[0].tolist():
            if catalogue.n[place] == 0:
                path = name_key(catalogue.files[place].removesuffix(".md"))
                id_ = catalogue.ids[place]
                for name in {path, path.rsplit("/", 1)[-1], name_key(id_), f"#{id_.partition('_')[2][:8]}"}:
                    names.setdefault(name, []).append(place)
        self.by_id = {catalogue.ids[place]: place for places in names.values() for place in places}
        self._near: dict[int, dict[int, float]] = {}
        for place, links in catalogue.links.items():
            for link in links:
                other = _resolve(names, str(link["target"]))
                if other is not None and other != place:
                    firmness = UNSAID if link["confidence"] is None else float(link["confidence"])
                    self._tie(place, other, firmness)

    def _tie(self, one: int, other: int, firmness: float) -> None:
        for left, right in ((one, other), (other, one)):
            near = self._near.setdefault(left, {})
            near[right] = max(near.get(right, 0.0), firmness)

    def around(self, place: int, used_with: Mapping[str, float]) -> dict[int, float]:
        """The memories linked to one, with the firmness of each link; being used together makes it firmer."""
        found = dict(self._near.get(place, {}))
        for id_, strength in used_with.items():
            far = self.by_id.get(id_)
            if far is not None and far != place:
                found[far] = min(1.0, found.get(far, 0.0) + strength)
        return found


def web(catalogue: Catalogue) -> Web:
    """The links of all memories at hand."""
    return catalogue.derived("web", lambda: Web(catalogue))


def spread(
    catalogue: Catalogue, seeds: Iterable[tuple[int, float]], strengths: Strengths
) -> dict[int, tuple[float, int]]:
    """How strongly each memory is called up by the seeds it is linked to: a share of theirs, and by which."""
    found: dict[int, tuple[float, int]] = {}
    net = web(catalogue)
    used: dict[str, dict[str, float]] = {}
    for (one, other), strength in strengths.items():
        used.setdefault(one, {})[other] = used.setdefault(other, {})[one] = strength
    for seed, share in seeds:
        for place, firmness in net.around(seed, used.get(catalogue.ids[seed], {})).items():
            if firmness * share > found.get(place, (0.0, 0))[0]:
                found[place] = (firmness * share, seed)
    return found


def _resolve(names: dict[str, list[int]], target: str) -> int | None:
    """The one memory a link's target means: by its name, or by the id that a name of ours ends in."""
    name = name_key(target)
    found = names.get(name) or names.get(name.rsplit("/", 1)[-1]) or []
    if len(found) == 1:
        return found[0]
    by_id = _ID_AT_END.search(name)
    owners = names.get(f"#{by_id.group(1)}", []) if by_id else []
    return owners[0] if len(owners) == 1 else None
