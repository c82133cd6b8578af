"""An undirected weighted graph as arrays: what communities are found in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import IntArray

WeightArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WeightedGraph:
    """Edges between nodes 0 to `nodes` - 1; each pair is there once, in order, lower node first.

    Attributes:
        nodes: Number of nodes.
        source: Lower node of each edge, shape (edges,).
        target: Higher node of each edge, shape (edges,).
        weight: Positive weight of each edge, shape (edges,).
    """

    nodes: int
    source: IntArray
    target: IntArray
    weight: WeightArray

    @property
    def degrees(self) -> WeightArray:
        """Sum of the weights at each node, shape (nodes,)."""
        return self._degrees(self.weight)

    def degrees_within(self, group: IntArray) -> WeightArray:
        """Return the degrees that edges inside a group give; `group` has the shape (nodes,)."""
        inside = group[self.source] == group[self.target]
        return self._degrees(np.where(inside, self.weight, 0.0))

    def among(self, nodes: IntArray) -> WeightedGraph:
        """Return the graph of these nodes (ascending) alone, numbered by their place."""
        place_of = np.full(self.nodes, -1, dtype=np.int32)
        place_of[nodes] = np.arange(len(nodes), dtype=np.int32)
        source, target = place_of[self.source], place_of[self.target]
        kept = (source >= 0) & (target >= 0)
        return WeightedGraph(len(nodes), source[kept], target[kept], self.weight[kept])

    def _degrees(self, weight: WeightArray) -> WeightArray:
        sums = np.bincount(self.source, weight, self.nodes)
        sums += np.bincount(self.target, weight, self.nodes)
        return sums.astype(np.float64)


def weighted_graph(
    nodes: int, source: IntArray, target: IntArray, weight: NDArray[np.floating]
) -> WeightedGraph:
    """Return the graph of directed relations: parallel ones add up, loops are dropped.

    Args:
        nodes: Number of nodes.
        source: Node that each relation leaves, shape (relations,).
        target: Node that each relation reaches, shape (relations,).
        weight: Shape (relations,); relations without a positive weight are left out.
    """
    kept = (source != target) & (weight > 0)
    lower = np.minimum(source, target)[kept]
    higher = np.maximum(source, target)[kept]
    return WeightedGraph(nodes, *summed_pairs(lower, higher, weight[kept], nodes))


def summed_pairs(
    first: IntArray, second: IntArray, weight: NDArray[np.floating], size: int
) -> tuple[IntArray, IntArray, WeightArray]:
    """Return each pair of numbers below `size` once, in order, with the sum of its weights."""
    keys = first.astype(np.int64) * size + second
    pairs, place = np.unique(keys, return_inverse=True)
    sums = np.bincount(place, weight.astype(np.float64), len(pairs))
    # Sums in another order differ in the last bits, and so might what is compared with them.
    rounded = np.round(sums, 6).astype(np.float64)
    size = max(size, 1)
    return (pairs // size).astype(np.int32), (pairs % size).astype(np.int32), rounded
