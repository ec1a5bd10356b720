"""Links: which memories lead to which, and how firmly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vault_mem.index.catalogue import Catalogue
from vault_mem.notes.links import name_key
from vault_mem.vault.names import ID_AT_END

# A link a person typed without a figure was meant.
UNSAID = 0.8

Strengths = Mapping[tuple[str, str], float]


class Web:
    """The links of all memories at hand, in both directions. What a link means is looked up when it is followed."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.by_id: dict[str, int] = {}
        self._names: dict[str, list[int]] = {}
        self._own_names: dict[int, list[str]] = {}
        self._links: dict[int, list[tuple[str, float]]] = {}
        self._writers: dict[str, set[int]] = {}
        self.learn(catalogue, catalogue.alive.nonzero()[0].tolist())

    def learn(self, catalogue: Catalogue, places: list[int]) -> None:
        """Take in the names and links of these rows."""
        for place in places:
            if catalogue.n[place]:
                continue
            id_ = catalogue.ids[place]
            path = name_key(catalogue.files[place].removesuffix(".md"))
            self.by_id[id_] = place
            self._own_names[place] = [*{path, path.rsplit("/", 1)[-1], id_}, f"#{id_.partition('_')[2][:8]}"]
            for name in self._own_names[place]:
                self._names.setdefault(name, []).append(place)
            for link in catalogue.links.get(place, ()):
                target = name_key(str(link["target"]))
                firmness = UNSAID if link["confidence"] is None else float(link["confidence"])
                self._links.setdefault(place, []).append((target, firmness))
                for key in _keys(target):
                    self._writers.setdefault(key, set()).add(place)

    def forget(self, catalogue: Catalogue, places: list[int]) -> None:
        """Let go of the names and links of these rows."""
        for place in places:
            for name in self._own_names.pop(place, ()):
                self._names[name].remove(place)
            for target, _ in self._links.pop(place, ()):
                for key in _keys(target):
                    self._writers.get(key, set()).discard(place)
            if self.by_id.get(catalogue.ids[place]) == place:
                del self.by_id[catalogue.ids[place]]

    def around(self, place: int, used_with: Mapping[str, float]) -> dict[int, float]:
        """The memories linked to one, with the firmness of each link; being used together makes it firmer."""
        found = self._written_in(place)
        for writer in {each for name in self._own_names.get(place, ()) for each in self._writers.get(name, ())}:
            firmness = self._written_in(writer).get(place)
            if firmness is not None and writer != place:
                found[writer] = max(found.get(writer, 0.0), firmness)
        for id_, strength in used_with.items():
            far = self.by_id.get(id_)
            if far is not None and far != place:
                found[far] = min(1.0, found.get(far, 0.0) + strength)
        return found

    def _written_in(self, place: int) -> dict[int, float]:
        found: dict[int, float] = {}
        for target, firmness in self._links.get(place, ()):
            other = self.resolve(target)
            if other is not None and other != place:
                found[other] = max(found.get(other, 0.0), firmness)
        return found

    def resolve(self, name: str) -> int | None:
        """The one memory a link's target means: by its name, or by the id that a name of ours ends in."""
        found = self._names.get(name) or self._names.get(name.rsplit("/", 1)[-1]) or []
        if len(found) == 1:
            return found[0]
        by_id = ID_AT_END.search(name)
        owners = self._names.get(f"#{by_id.group(1)}", []) if by_id else []
        return owners[0] if len(owners) == 1 else None


def _keys(target: str) -> set[str]:
    """The names under which a target may be found."""
    by_id = ID_AT_END.search(target)
    return {target, target.rsplit("/", 1)[-1], *([f"#{by_id.group(1)}"] if by_id else [])}


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
