"""PathRAG's flow-based pruning: paths along which enough of a resource arrives."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from hoptrail.core.algorithms.incidence import Incidence


@dataclass(frozen=True, slots=True)
class FlowPath:
    """A path away from a start: `edges[i]` joins `nodes[i]` and `nodes[i + 1]`.

    `reliability` is the resource of its nodes per edge.
    """

    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    reliability: float


@dataclass(frozen=True, slots=True)
class Flow:
    """The resource of each node that was reached, and the edges along which it came."""

    resource: dict[int, float]
    onward: dict[int, list[tuple[int, int]]]


def spread(
    graph: Incidence, start: int, *, decay: float = 0.8, threshold: float = 0.05, hops: int = 3
) -> Flow:
    """Let one unit of a resource flow from a start, layer by layer of its distance.

    A node gives its resource times `decay` to its neighbours in equal shares; what reaches a node
    from several sides adds up. A node whose share for one neighbour is below `threshold` gives
    nothing. Resource flows away from the start only, so that no path turns back.

    Source: Chen et al., "PathRAG: pruning graph-based retrieval augmented generation with
    relational paths", 2025 (arXiv:2502.14902), section 4.2.

    Args:
        graph: The nodes and edges; parallel edges are one neighbour.
        start: Where the resource is.
        decay: Share that is handed on.
        threshold: Least share of one neighbour that still flows.
        hops: How far it flows.
    """
    resource, onward = {start: 1.0}, dict[int, list[tuple[int, int]]]()
    layer = {start}
    for _ in range(hops):
        arriving: dict[int, float] = {}
        for node in sorted(layer):
            steps = [step for step in _steps(graph, node) if step[0] != node]
            neighbours = {neighbour for neighbour, _ in steps}
            if not neighbours or resource[node] / len(neighbours) < threshold:
                continue
            onward[node] = [step for step in steps if step[0] not in resource]
            for neighbour in sorted({neighbour for neighbour, _ in onward[node]}):
                share = decay * resource[node] / len(neighbours)
                arriving[neighbour] = arriving.get(neighbour, 0.0) + share
        resource.update(arriving)
        layer = set(arriving)
    return Flow(resource, onward)


def flow_paths(flow: Flow, start: int, targets: Collection[int], most: int) -> list[FlowPath]:
    """Return the most reliable paths from the start of a flow to the targets, best first.

    The reliability of a path is the mean flow: the resource of its nodes over the number of its
    edges. Equal ones are ordered by their nodes and edges.

    Args:
        flow: What `spread` returned for the start.
        start: Its start.
        targets: Nodes where a path may end.
        most: How many paths.
    """
    wanted = frozenset(targets) - {start}
    paths = [
        FlowPath(nodes, edges, sum(flow.resource[node] for node in nodes) / len(edges))
        for nodes, edges in _walks(flow, (start,), ())
        if nodes[-1] in wanted
    ]
    paths.sort(key=lambda path: (-round(path.reliability, 9), path.nodes, path.edges))
    return paths[:most]


def _walks(
    flow: Flow, nodes: tuple[int, ...], edges: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for neighbour, edge in flow.onward.get(nodes[-1], ()):
        longer = (*nodes, neighbour), (*edges, edge)
        yield longer
        yield from _walks(flow, *longer)


def _steps(graph: Incidence, node: int) -> list[tuple[int, int]]:
    """Return the neighbours of a node with the edge to each."""
    edges = graph.at(node)
    ends = zip(graph.source[edges].tolist(), graph.target[edges].tolist(), strict=True)
    return [
        (target if source == node else source, edge)
        for (source, target), edge in zip(ends, edges.tolist(), strict=True)
    ]
