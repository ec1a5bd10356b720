"""graph: the links around one memory, or the shape of the whole vault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from vault_mem.errors import InvalidInput
from vault_mem.index.graph import Graph
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, as_record

# Clusters settle after four or five passes over the graph; a few never do, so there is a limit.
PASSES = 20
# How many clusters, hubs, bridges … are listed; the rest are only counted.
TOP = 10
_Near = dict[str, dict[str, float]]  # what each memory is linked to, and how closely


@dataclass(frozen=True)
class GraphNode:
    """A memory or episode in a picture; `depth` is its distance from the memory asked for."""

    id: str
    title: str
    private: bool
    episode: bool = False
    depth: int = 0

    def brief(self) -> dict[str, Any]:
        """As JSON, in brief."""
        return {"id": self.id, "title": self.title, "private": self.private}


@dataclass(frozen=True)
class GraphLink:
    """A link in a picture, once for both directions; `type` says what `target` is to `source`."""

    source: str
    target: str
    type: str
    confidence: float | None


@dataclass(frozen=True)
class GraphResult(Result, renamed={"arcs": "links"}):
    """Memories and the links between them; without a `centre`, all memories of the vault that have links."""

    nodes: list[GraphNode]
    arcs: list[GraphLink]
    centre: str = ""
    stale: bool = False
    pending: int = 0


@dataclass(frozen=True)
class GraphCluster:
    """Memories linked more with each other than with the rest; the `hub` has the most links and names the cluster."""

    size: int
    hub: GraphNode
    ids: list[str]


@dataclass(frozen=True)
class Bridge:
    """A link without which the `smaller` memories on one side would have no connection to the rest."""

    arc: GraphLink
    smaller: int


@dataclass(frozen=True)
class GraphOverview(Result):
    """The shape of a vault. The lists are cut to the most important entries, the counts are not."""

    memories: int
    links: int
    types: dict[str, int]
    components: int
    cluster_count: int
    clusters: list[GraphCluster]
    hubs: list[tuple[GraphNode, int]]
    bridge_count: int
    bridges: list[Bridge]
    orphan_count: int
    orphans: list[GraphNode]
    dangling_count: int
    dangling: list[tuple[GraphNode, str]]
    titles: dict[str, str] = field(default_factory=dict)
    stale: bool = False
    pending: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        clusters = [
            {"size": each.size, "hub": each.hub.id, "title": each.hub.title, "ids": each.ids} for each in self.clusters
        ]
        bridges = [vars(each.arc) | {"smaller": each.smaller} for each in self.bridges]
        orphans = [node.brief() for node in self.orphans]
        dangling = [node.brief() | {"target": target} for node, target in self.dangling]
        return as_record(
            self,
            *("cluster_count", "bridge_count", "orphan_count", "dangling_count", "titles"),
            clusters={"count": self.cluster_count, "top": clusters},
            hubs=[node.brief() | {"links": links} for node, links in self.hubs],
            bridges={"count": self.bridge_count, "top": bridges},
            orphans={"count": self.orphan_count, "top": orphans},
            dangling={"count": self.dangling_count, "top": dangling},
        )


@dataclass(frozen=True)
class GraphColumns(Result):
    """Many memories at once, as columns: one entry of each for every memory, the most linked first.

    `cluster` and the ends of `arcs` are positions in these columns. A memory's `cluster` is the position of its hub, or
    -1. `total` also counts the memories that were left out.
    """

    ids: list[str]
    titles: list[str]
    kinds: list[str]
    created: list[float]
    closed: list[bool]
    depth: list[int]
    cluster: list[int]
    arcs: list[tuple[int, int, str]]
    total: int
    stale: bool = False


def landscape(workspace: Workspace, id_: str = "", depth: int = 1, *, most: int = 5000) -> GraphColumns:
    """The memories around one, or all of the vault, with what a picture of them shows of each."""
    public = workspace.folder.public
    freshness = workspace.freshen()
    graph = workspace.reading(lambda: workspace.graph)
    shown = _around(workspace, graph, id_, depth, public) if id_ else _picture(graph, public)
    near = _neighbours([node.id for node in shown.nodes], shown.arcs)
    alone = [] if id_ else [each for each in graph.notes if each not in near and _shown(graph, each, public)]
    hubs = {member: _hub(near, group) for group in _clusters(near) for member in group}
    depths = {node.id: node.depth for node in shown.nodes}
    order = sorted(near, key=lambda each: (depths[each], -len(near[each]), each))
    order = (order + sorted(alone, key=lambda each: _newest(graph, each)))[:most]
    number = {each: number for number, each in enumerate(order)}
    notes = [graph.note(each) for each in order]
    with workspace.candidates() as candidates:
        catalogue = candidates.catalogue([note.path for note in notes])
        now = workspace.folder.now().timestamp()
        at = [catalogue.place_of(note.path) for note in notes]
        kinds = ["episode" if each is None else catalogue.kinds[each] for each in at]
        closed = [each is not None and bool(catalogue.valid_to[each] <= now) for each in at]
    arcs = [arc for arc in shown.arcs if arc.source in number and arc.target in number]
    return GraphColumns(
        ids=order,
        titles=[note.title for note in notes],
        kinds=kinds,
        created=[note.created for note in notes],
        closed=closed,
        depth=[depths.get(each, 0) for each in order],
        cluster=[number.get(hubs.get(each, ""), -1) for each in order],
        arcs=[(number[arc.source], number[arc.target], arc.type) for arc in arcs],
        total=len(near) + len(alone),
        stale=freshness.stale,
    )


def neighbourhood(workspace: Workspace, id_: str, depth: int = 1, *, public_only: bool = False) -> GraphResult:
    """A memory and what is linked to it, over at most `depth` links, nearest first."""
    if depth < 1:
        raise InvalidInput(f"--depth must be at least 1, not {depth}")
    freshness = workspace.freshen()
    found = _around(workspace, workspace.reading(lambda: workspace.graph), id_, depth, public_only)
    return replace(found, stale=freshness.stale, pending=freshness.pending)


def _around(workspace: Workspace, graph: Graph, id_: str, depth: int, public_only: bool) -> GraphResult:
    memory = workspace.reading(lambda: workspace.index.get(id_))
    if memory.private and public_only:
        raise InvalidInput(f"{memory.id} is private", "leave out --public-only")
    if not graph.has(memory.id):
        raise InvalidInput(f"{memory.path} is an included note: it has no links of its own")
    depths = {memory.id: 0}
    layer = [memory.id]
    for distance in range(1, depth + 1):
        found = {edge.target for near in layer for edge in graph.edges(near) if _shown(graph, edge.target, public_only)}
        layer = sorted((each for each in found if each not in depths), key=lambda each: _newest(graph, each))
        if not layer:
            break
        depths |= dict.fromkeys(layer, distance)
    nodes = [_node(graph, each, distance) for each, distance in depths.items()]
    return GraphResult(nodes, _arcs(graph, depths), memory.id)


def picture(workspace: Workspace, *, public_only: bool = False) -> GraphResult:
    """All linked memories of the vault."""
    freshness = workspace.freshen()
    found = _picture(workspace.reading(lambda: workspace.graph), public_only)
    return replace(found, stale=freshness.stale, pending=freshness.pending)


def _picture(graph: Graph, public_only: bool) -> GraphResult:
    shown = {each: 0 for each in graph.notes if _shown(graph, each, public_only)}
    arcs = _arcs(graph.whole(), shown)
    linked = {end for arc in arcs for end in (arc.source, arc.target)}
    return GraphResult([_node(graph, each) for each in shown if each in linked], arcs)


def overview(workspace: Workspace, *, public_only: bool = False) -> GraphOverview:
    """Clusters, hubs, bridges, orphans and dangling links of the memories; episodes do not count."""
    freshness = workspace.freshen()
    graph = workspace.reading(lambda: workspace.index.graph(every_file=True))
    ids = sorted(each for each, note in graph.notes.items() if not note.episode and _shown(graph, each, public_only))
    arcs = _arcs(graph.whole(), dict.fromkeys(ids, 0))
    near = _neighbours(ids, arcs)
    linked = sorted((each for each in ids if near[each]), key=lambda each: (-len(near[each]), each))
    groups = _clusters(near)
    component, sizes = _components(near)
    between = _bridges(near, component, sizes)
    bridges = [Bridge(arc, smaller) for arc in arcs if (smaller := between.get(frozenset((arc.source, arc.target)), 0))]
    bridges.sort(key=lambda each: (-each.smaller, each.arc.source, each.arc.target))
    orphans = sorted((each for each in ids if not near[each]), key=lambda each: _newest(graph, each))
    known = set(ids)
    dangling = [(each, link.target) for each, link in graph.dangling() if each in known]
    return GraphOverview(
        memories=len(ids),
        links=len(arcs),
        types=dict(Counter(arc.type for arc in arcs).most_common()),
        components=sum(size > 1 for size in sizes.values()),
        cluster_count=len(groups),
        clusters=[GraphCluster(len(group), _node(graph, _hub(near, group)), group) for group in groups[:TOP]],
        hubs=[(_node(graph, each), len(near[each])) for each in linked[:TOP]],
        bridge_count=len(bridges),
        bridges=bridges[:TOP],
        orphan_count=len(orphans),
        orphans=[_node(graph, each) for each in orphans[:TOP]],
        dangling_count=len(dangling),
        dangling=[(_node(graph, each), target) for each, target in dangling[:TOP]],
        titles={end: graph.title(end) for each in bridges[:TOP] for end in (each.arc.source, each.arc.target)},
        stale=freshness.stale,
        pending=freshness.pending,
    )


def _shown(graph: Graph, id_: str, public_only: bool) -> bool:
    return not (public_only and graph.note(id_).private)


def _newest(graph: Graph, id_: str) -> tuple[float, str]:
    return -graph.note(id_).created, id_


def _node(graph: Graph, id_: str, depth: int = 0) -> GraphNode:
    note = graph.note(id_)
    return GraphNode(id_, note.title, note.private, note.episode, depth)


def _arcs(graph: Graph, depths: dict[str, int]) -> list[GraphLink]:
    """The links among these memories, each once, seen from the end that is nearer to the centre."""
    found = []
    for id_, depth in depths.items():
        for edge in graph.edges(id_):
            other = depths.get(edge.target)
            if other is not None and (depth, id_) < (other, edge.target):
                found.append(GraphLink(id_, edge.target, edge.link.type, edge.link.confidence))
    return found


def _neighbours(ids: Iterable[str], arcs: list[GraphLink]) -> _Near:
    near: _Near = {id_: {} for id_ in ids}
    for arc in arcs:
        weight = 1.0 if arc.confidence is None else arc.confidence
        near[arc.source][arc.target] = near[arc.target][arc.source] = weight
    return near


def _hub(near: _Near, group: list[str]) -> str:
    return max(group, key=lambda each: (len(near[each]), each))


def _clusters(near: _Near) -> list[list[str]]:
    """Groups by label propagation: each takes the label with most weight among its neighbours, until none changes.

    Memories with few links go first, so that clusters form around hubs and not around whichever came first.
    """
    label = {id_: id_ for id_ in near}
    order = sorted((id_ for id_ in near if near[id_]), key=lambda id_: (len(near[id_]), id_))
    unsettled = set(order)
    for _ in range(PASSES):
        for id_ in [each for each in order if each in unsettled]:
            unsettled.discard(id_)
            weights: dict[str, float] = {}
            for other, weight in near[id_].items():
                weights[label[other]] = weights.get(label[other], 0.0) + weight
            best = max(weights.values())
            if weights.get(label[id_], 0.0) < best:
                label[id_] = min(name for name, weight in weights.items() if weight == best)
                unsettled.update(near[id_])
        if not unsettled:
            break
    groups: dict[str, list[str]] = {}
    for id_ in near:
        groups.setdefault(label[id_], []).append(id_)
    return sorted((group for group in groups.values() if len(group) > 1), key=lambda group: (-len(group), group[0]))


def _components(near: _Near) -> tuple[dict[str, str], dict[str, int]]:
    """The connected part each memory is in, named by one of its memories, and the sizes of the parts."""
    part: dict[str, str] = {}
    sizes: dict[str, int] = {}
    for start in near:
        if start in part:
            continue
        part[start] = start
        waiting = [start]
        for id_ in waiting:  # grows while it is read
            for other in near[id_]:
                if other not in part:
                    part[other] = start
                    waiting.append(other)
        sizes[start] = len(waiting)
    return part, sizes


def _bridges(near: _Near, part: dict[str, str], sizes: dict[str, int]) -> dict[frozenset[str], int]:
    """Links whose loss would split a part, with the size of the smaller piece, unless that is a single memory.

    Tarjan's algorithm, without recursion: a bridge leads to a child from whose subtree no link goes back above it.
    """
    entered: dict[str, int] = {}
    low: dict[str, int] = {}
    below: dict[str, int] = {}
    found: dict[frozenset[str], int] = {}
    for root in near:
        if root in entered:
            continue
        entered[root] = low[root] = len(entered)
        below[root] = 1
        path = [(root, "", iter(near[root]))]
        while path:
            id_, parent, others = path[-1]
            for other in others:
                if other not in entered:
                    entered[other] = low[other] = len(entered)
                    below[other] = 1
                    path.append((other, id_, iter(near[other])))
                    break
                if other != parent:
                    low[id_] = min(low[id_], entered[other])
            else:
                path.pop()
                if not parent:
                    continue
                low[parent] = min(low[parent], low[id_])
                below[parent] += below[id_]
                smaller = min(below[id_], sizes[part[id_]] - below[id_])
                if low[id_] > entered[parent] and smaller > 1:
                    found[frozenset((id_, parent))] = smaller
    return found
