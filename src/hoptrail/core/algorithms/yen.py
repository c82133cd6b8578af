"""Shortest loopless paths in an undirected multigraph."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.incidence import Incidence
from hoptrail.core.embedding import FloatArray, IntArray


@dataclass(frozen=True, slots=True, order=True)
class Route:
    """A loopless path: `edges[i]` joins `nodes[i]` and `nodes[i + 1]`."""

    cost: float
    edges: tuple[int, ...]
    nodes: tuple[int, ...]


class PathFinder:
    """Finds the cheapest loopless paths between nodes of one graph.

    Args:
        graph: The nodes and edges; paths go along an edge in either direction.
        costs: Positive cost of each edge, shape (m,).
    """

    def __init__(self, graph: Incidence, costs: FloatArray) -> None:
        self._size = graph.nodes
        self._ends = (graph.source, graph.target)
        self._costs = costs.astype(np.float64)
        self._steps: list[list[tuple[int, int, float]]] = [[] for _ in range(graph.nodes)]
        for edge, (left, right, cost) in enumerate(
            zip(graph.source.tolist(), graph.target.tolist(), self._costs.tolist(), strict=True)
        ):
            if left != right:
                self._steps[left].append((right, edge, cost))
                self._steps[right].append((left, edge, cost))

    def distances(self, targets: IntArray) -> NDArray[np.float64]:
        """Return the least cost from every node to each target, shape (targets, n); else inf."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        if len(targets) == 0 or len(self._costs) == 0:
            alone = np.full((len(targets), self._size), np.inf)
            alone[np.arange(len(targets)), targets] = 0.0
            return alone
        low, high = np.minimum(*self._ends), np.maximum(*self._ends)
        order = np.lexsort((self._costs, high, low))
        low, high, costs = low[order], high[order], self._costs[order]
        cheapest = np.ones(len(low), dtype=np.bool_)
        cheapest[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
        shape = (self._size, self._size)
        matrix = csr_array((costs[cheapest], (low[cheapest], high[cheapest])), shape=shape)
        found: NDArray[np.float64] = dijkstra(matrix, directed=False, indices=targets)
        return found

    def shortest(
        self,
        source: int,
        target: int,
        count: int,
        *,
        to_target: NDArray[np.float64] | None = None,
    ) -> list[Route]:
        """Return up to `count` loopless paths, cheapest first, ties by their edges.

        Yen's algorithm; each deviation is searched by A* with the exact distances of the whole
        graph as its bound, so that little beside the path is visited. Paths that differ in one of
        two parallel edges are different paths. From a node to itself there is none. Source: Yen,
        "Finding the k shortest loopless paths in a network", Management Science 1971.

        Args:
            source: Where to start.
            target: Where to end.
            count: How many paths.
            to_target: A row of `distances`, where the caller has it.
        """
        if source == target or count < 1:
            return []
        bound = self.distances(np.array([target]))[0] if to_target is None else to_target
        first = self._search((source,), target, bound, frozenset(), frozenset())
        if first is None:
            return []
        found, waiting, known = [first], list[Route](), {first.edges}
        while len(found) < count:
            for route in self._deviations(found, target, bound):
                if route.edges not in known:
                    known.add(route.edges)
                    heapq.heappush(waiting, route)
            if not waiting:
                break
            found.append(heapq.heappop(waiting))
        return found

    def _deviations(
        self, found: list[Route], target: int, bound: NDArray[np.float64]
    ) -> list[Route]:
        """Return the cheapest path that leaves the last one at each of its nodes."""
        last = found[-1]
        routes: list[Route] = []
        for place in range(len(last.edges)):
            root = last.edges[:place]
            closed = frozenset(
                other.edges[place]
                for other in found
                if len(other.edges) > place and other.edges[:place] == root
            )
            blocked = frozenset(last.nodes[:place])
            spur = self._search((last.nodes[place],), target, bound, closed, blocked)
            if spur is not None:
                edges = root + spur.edges
                cost = math.fsum(self._costs[edge] for edge in edges)
                routes.append(Route(round(cost, 9), edges, last.nodes[:place] + spur.nodes))
        return routes

    def _search(
        self,
        start: tuple[int],
        target: int,
        bound: NDArray[np.float64],
        closed: frozenset[int],
        blocked: frozenset[int],
    ) -> Route | None:
        """Return the cheapest path that takes no closed first edge and no blocked node."""
        [source] = start
        if math.isinf(bound[source]):
            return None
        waiting: list[tuple[float, tuple[int, ...], tuple[int, ...], float]] = [
            (float(bound[source]), (), start, 0.0)
        ]
        settled: set[int] = set()
        while waiting:
            _, edges, nodes, cost = heapq.heappop(waiting)
            node = nodes[-1]
            if node == target:
                return Route(round(cost, 9), edges, nodes)
            if node in settled:
                continue
            settled.add(node)
            for following, edge, step in self._steps[node]:
                if following in settled or following in blocked or (not edges and edge in closed):
                    continue
                if math.isinf(bound[following]):
                    continue
                total = cost + step
                estimate = round(total + float(bound[following]), 9)
                heapq.heappush(waiting, (estimate, (*edges, edge), (*nodes, following), total))
        return None
