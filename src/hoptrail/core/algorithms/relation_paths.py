"""Relation paths: which sequences of predicates lead away from a node, and where to.

A step is one number, twice the predicate's plus its direction, so that steps can be sorted, counted
and used as indices. Edges are listed by node in CSR form (`indptr`, `incident`), both ends: those
of thousands of nodes are gathered in one go. All arrays are int32; paths themselves are tuples,
since they are keys of dictionaries.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class RelationPath:
    """A sequence of steps from a start, each a predicate followed along or against its direction.

    Attributes:
        steps: Step numbers: twice the predicate's, plus 1 where it is followed backwards.
        ends: Rows of the nodes that it leads to, ascending.
        counts: How many walks lead to each of them, or a lower bound.
    """

    steps: tuple[int, ...]
    ends: IntArray
    counts: IntArray


@dataclass(frozen=True, slots=True)
class LabelledEdges:
    """Directed edges with predicates, listed by node.

    Attributes:
        indptr: Where each node's edges start in `incident`, shape (nodes + 1,).
        incident: Edge rows by node, either end.
        source: Source node by edge.
        target: Target node by edge.
        predicate: Predicate by edge.
    """

    indptr: IntArray
    incident: IntArray
    source: IntArray
    target: IntArray
    predicate: IntArray

    def steps_from(
        self, nodes: IntArray, limit: int
    ) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return place in `nodes`, edge, step and other end for edges of these nodes.

        At most `limit` edges are looked at, an equal number of each node; a self-loop leads
        nowhere.
        """
        starts = self.indptr[nodes].astype(np.int64)
        counts = self.indptr[nodes + 1].astype(np.int64) - starts
        counts = _capped(counts, limit)
        places = np.repeat(np.arange(len(nodes)), counts)
        offsets = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
        edges = self.incident[starts[places] + offsets]
        here = nodes[places]
        backwards = self.target[edges] == here
        others = np.where(backwards, self.source[edges], self.target[edges])
        steps = 2 * self.predicate[edges] + backwards
        kept = others != here
        return (
            places[kept].astype(np.int32),
            edges[kept],
            steps[kept].astype(np.int32),
            others[kept],
        )


def relation_paths(
    edges: LabelledEdges,
    start: int,
    *,
    hops: int,
    width: int,
    limit: int,
    rank: Callable[[Sequence[tuple[int, ...]]], FloatArray],
    deadline: float = math.inf,
) -> list[RelationPath]:
    """Return the relation paths of up to `hops` steps from a node, shortest first.

    No walk returns to the start. Of each length the `width` paths that rank best are extended.

    Args:
        edges: The graph.
        start: Row of the node.
        hops: Most steps.
        width: How many paths of each length are extended.
        limit: How many edges are looked at to extend one path.
        rank: Gives each of several sequences of steps a score: the higher, the sooner extended.
        deadline: When no path is extended any more, as `time.monotonic()`; the first step is always
            taken.
    """
    found: list[RelationPath] = []
    level = [RelationPath((), np.array([start], np.int32), np.ones(1, np.int32))]
    for hop in range(hops):
        if hop and len(level) > width:
            scores = rank([path.steps for path in level])
            level = [level[place] for place in np.argsort(-scores, kind="stable")[:width]]
        children: list[RelationPath] = []
        for path in level:
            if hop and time.monotonic() > deadline:
                return found + children
            children += _extend(edges, path, start, limit)
        found += children
        level = children
    return found


@dataclass(frozen=True, slots=True)
class Walk:
    """One way along a relation path: edge i joins nodes i and i + 1."""

    nodes: tuple[int, ...]
    edges: tuple[int, ...]


def walks_along(
    edges: LabelledEdges,
    start: int,
    steps: Sequence[int],
    targets: IntArray | None = None,
    *,
    limit: int,
) -> list[Walk]:
    """Return one walk along the steps to each target that is reached, in the targets' order.

    Args:
        edges: The graph.
        start: Row of the first node.
        steps: As in `RelationPath`.
        targets: Rows of last nodes; None stands for all that the steps lead to, ascending.
        limit: As in `relation_paths`, with whose result this agrees where it is equal.
    """
    came: list[dict[int, tuple[int, int]]] = []
    nodes = np.array([start], dtype=np.int32)
    for step in steps:
        places, rows, found, ends = edges.steps_from(nodes, limit)
        kept = (found == step) & (ends != start)
        ends, firsts = np.unique(ends[kept], return_index=True)
        before, via = nodes[places[kept]][firsts], rows[kept][firsts]
        pairs = zip(before.tolist(), via.tolist(), strict=True)
        came.append(dict(zip(ends.tolist(), pairs, strict=True)))
        nodes = ends
    wanted = nodes if targets is None else targets
    return [_walk_back(came, int(node)) for node in wanted if not came or int(node) in came[-1]]


def _walk_back(came: Sequence[dict[int, tuple[int, int]]], target: int) -> Walk:
    nodes, edges = [target], []
    for back in reversed(came):
        node, edge = back[nodes[-1]]
        nodes.append(node)
        edges.append(edge)
    return Walk(tuple(reversed(nodes)), tuple(reversed(edges)))


def _extend(edges: LabelledEdges, path: RelationPath, start: int, limit: int) -> list[RelationPath]:
    places, _, steps, ends = edges.steps_from(path.ends, limit)
    kept = ends != start
    keys = steps[kept].astype(np.int64) << 32 | ends[kept]
    pairs, inverse = np.unique(keys, return_inverse=True)
    walks = np.bincount(inverse, weights=path.counts[places[kept]], minlength=len(pairs))
    counts: IntArray = np.minimum(walks, np.iinfo(np.int32).max).astype(np.int32)
    pair_steps, pair_ends = (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)
    distinct, first = np.unique(pair_steps, return_index=True)
    bounds = [*first.tolist(), len(pairs)]
    return [
        RelationPath((*path.steps, step), pair_ends[left:right], counts[left:right])
        for step, left, right in zip(distinct.tolist(), bounds, bounds[1:], strict=False)
    ]


def _capped(counts: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Return the counts cut at the highest level at which their sum is within the limit."""
    if int(counts.sum()) <= limit:
        return counts
    low, high = 0, int(counts.max())
    while low < high:
        level = (low + high + 1) // 2
        if int(np.minimum(counts, level).sum()) <= limit:
            low = level
        else:
            high = level - 1
    return np.minimum(counts, low)
