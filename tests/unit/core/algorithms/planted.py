"""Graphs with groups that are known, and a naive modularity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hoptrail.core.algorithms.cluster_tree import WeightedGraph, weighted_graph

Edge = tuple[int, int, float]


def graph_of(nodes: int, edges: Sequence[Edge]) -> WeightedGraph:
    columns = np.array(edges, dtype=np.float64).reshape(-1, 3)
    source, target = columns[:, 0].astype(np.int32), columns[:, 1].astype(np.int32)
    return weighted_graph(nodes, source, target, columns[:, 2])


def groups(count: int, size: int) -> list[Edge]:
    """Complete groups of nodes, each joined to the next by a single edge."""
    edges = []
    for first in range(0, count * size, size):
        members = range(first, first + size)
        edges += [(one, other, 1.0) for one in members for other in members if one < other]
        edges += [(first - 1, first, 1.0)] if first else []
    return edges


def nested(count: int, parts: int, size: int) -> list[Edge]:
    """Groups as of `groups`, which are made of `parts` complete groups that are well joined."""
    edges = groups(count * parts, size)
    for first in range(0, count * parts * size, parts * size):
        starts = range(first, first + parts * size, size)
        edges += [
            (one + place, other + place, 1.0)
            for one in starts
            for other in starts
            if one < other
            for place in range(size)
        ]
    return edges


def modularity(graph: WeightedGraph, group: Sequence[int]) -> float:
    """Newman's modularity by its definition, over all pairs of nodes."""
    matrix = np.zeros((graph.nodes, graph.nodes))
    matrix[graph.source, graph.target] = graph.weight
    matrix += matrix.T
    degrees, total = matrix.sum(axis=0), matrix.sum()
    same = np.equal.outer(np.array(group), np.array(group))
    found = (matrix - np.outer(degrees, degrees) / total) * same
    return float(found.sum() / total)
