"""Relation paths: which sequences of predicates lead away from a node, and where to.

A step is one number, twice the predicate's plus its direction, so that steps can be sorted, counted
and used as indices. Edges are listed by node in CSR form (`indptr`, `incident`), both ends: those
of thousands of nodes are gathered in one go. All arrays are int32.

The paths of one length are extended together: their walks stand in flat arrays, one element a walk,
with the number of its path. A walk's path and step are told by one number, its kind, below the
number of paths times that of the steps in use, so that a table finds the distinct kinds without
sorting. Where paths end is looked up only for those that are extended or asked for: most are
neither.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray

_WALKS_AT_ONCE = 100_000  # between two looks at the clock


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


@dataclass(frozen=True)
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
        places = np.repeat(np.arange(len(nodes), dtype=np.int32), counts)
        edges = self.incident[_runs(starts, counts)]
        here = nodes[places]
        steps, others = self._taken(here, edges)
        kept = others != here
        return places[kept], edges[kept], steps[kept], others[kept]

    @cached_property
    def ways(self) -> tuple[IntArray, IntArray]:
        """Step and other end of each of `incident`, in that order, so that a node's are one slice.

        Half the memory of the graph itself; derived when paths are first looked for in all of it.
        """
        nodes = np.arange(len(self.indptr) - 1, dtype=np.int32)
        return self._taken(np.repeat(nodes, np.diff(self.indptr)), self.incident)

    def _taken(self, here: IntArray, edges: IntArray) -> tuple[IntArray, IntArray]:
        """Return the step that each edge is from the node beside it, and the other end."""
        target = self.target[edges]
        backwards = target == here
        others: IntArray = np.where(backwards, self.source[edges], target)
        steps: IntArray = 2 * self.predicate[edges] + backwards.astype(np.int32)
        return steps, others


@dataclass(frozen=True, slots=True)
class _Walks:
    """The walks of one more step than some paths have, in the order of the paths.

    Attributes:
        owners: Place of the path that each walk goes on from, shape (walks,).
        steps: Its last step.
        ends: Where it leads.
        counts: How many walks it stands for.
    """

    owners: IntArray
    steps: IntArray
    ends: IntArray
    counts: IntArray


@dataclass(frozen=True, slots=True)
class _Level:
    """The paths of one length.

    Attributes:
        steps: Of each path, shape (paths, length).
        walks: Those that the paths are made of.
        kinds: The path of each walk.
    """

    steps: IntArray
    walks: _Walks
    kinds: IntArray

    @classmethod
    def of(cls, before: IntArray, walks: _Walks) -> _Level:
        """Return the distinct paths of walks that go on from those before, shape (b, length - 1).

        They are in the order of the paths before them, then of their last step.
        """
        is_used = np.zeros(int(walks.steps.max(initial=-1)) + 1, dtype=np.bool_)
        is_used[walks.steps] = True
        used = np.flatnonzero(is_used)
        numbers = np.cumsum(is_used) - 1
        codes = walks.owners * np.int64(len(used)) + numbers[walks.steps]
        is_path = np.zeros(len(before) * len(used), dtype=np.bool_)
        is_path[codes] = True
        paths = np.flatnonzero(is_path)
        number_of = np.empty(len(is_path), dtype=np.int32)
        number_of[paths] = np.arange(len(paths), dtype=np.int32)
        owners, last = np.divmod(paths, max(len(used), 1))
        steps = np.column_stack([before[owners], used[last].astype(np.int32)])
        return cls(steps, walks, number_of[codes])

    def ends_of(self, paths: IntArray) -> _Ends:
        """Return where some paths lead."""
        place_of = np.full(len(self.steps), -1, dtype=np.int32)
        place_of[paths] = np.arange(len(paths), dtype=np.int32)
        places = place_of[self.kinds]
        kept = np.flatnonzero(places >= 0)
        ends, counts = self.walks.ends[kept], self.walks.counts[kept]
        width = int(ends.max(initial=0)) + 1
        keys = places[kept] * np.int64(width) + ends
        order = np.argsort(keys)
        keys = keys[order]
        firsts = np.flatnonzero(np.diff(keys, prepend=-1))
        walks = np.add.reduceat(counts[order].astype(np.int64), firsts) if len(firsts) else firsts
        owners, distinct = np.divmod(keys[firsts], width)
        return _Ends(
            np.searchsorted(owners, np.arange(len(paths) + 1)),
            distinct.astype(np.int32),
            np.minimum(walks, np.iinfo(np.int32).max).astype(np.int32),
        )

    def paths(self, rows: IntArray) -> Iterator[RelationPath]:
        """Yield some of the paths."""
        ends = self.ends_of(rows)
        bounds = ends.indptr.tolist()
        for steps, first, last in zip(self.steps[rows].tolist(), bounds, bounds[1:], strict=False):
            yield RelationPath(tuple(steps), ends.nodes[first:last], ends.counts[first:last])


@dataclass(frozen=True, slots=True)
class _Ends:
    """Where paths lead: path i to `nodes[indptr[i]:indptr[i + 1]]`, each by so many walks."""

    indptr: NDArray[np.intp]
    nodes: IntArray
    counts: IntArray

    def walks_on(
        self, edges: LabelledEdges, start: int, limit: int, deadline: float
    ) -> tuple[_Walks, int]:
        """Return the walks of one more step, and of how many paths: all, but for the deadline."""
        bounds = edges.indptr[self.nodes].astype(np.int64)
        degrees = edges.indptr[self.nodes + 1].astype(np.int64) - bounds
        sums = np.add.reduceat(degrees, self.indptr[:-1])
        for path in np.flatnonzero(sums > limit).tolist():
            own = slice(self.indptr[path], self.indptr[path + 1])
            degrees[own] = _capped(degrees[own], limit)
        numbers = np.cumsum(np.minimum(sums, limit)) // _WALKS_AT_ONCE
        parts, first = [_NO_WALKS], 0
        for last in [*(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(sums)]:
            if time.monotonic() > deadline:
                break
            parts.append(self._walks_of(edges, start, bounds, degrees, first, last))
            first = last
        columns = zip(*((w.owners, w.steps, w.ends, w.counts) for w in parts), strict=True)
        return _Walks(*map(np.concatenate, columns)), first

    def _walks_of(
        self,
        edges: LabelledEdges,
        start: int,
        bounds: NDArray[np.int64],
        degrees: NDArray[np.int64],
        first: int,
        last: int,
    ) -> _Walks:
        """Return the walks on from the paths of a range."""
        own = slice(self.indptr[first], self.indptr[last])
        degrees = degrees[own]
        runs = _runs(bounds[own], degrees)
        of_path = np.arange(first, last, dtype=np.int32)
        owners = np.repeat(of_path, np.diff(self.indptr[first : last + 1]))
        steps, others = edges.ways
        ends = others[runs]
        here = np.repeat(self.nodes[own], degrees)
        kept = (ends != start) & (ends != here)
        return _Walks(
            np.repeat(owners, degrees)[kept],
            steps[runs][kept],
            ends[kept],
            np.repeat(self.counts[own], degrees)[kept],
        )


_NONE: IntArray = np.zeros(0, dtype=np.int32)
_NO_WALKS = _Walks(_NONE, _NONE, _NONE, _NONE)


class RelationPaths:
    """The relation paths from a node, shortest first; made as they are asked for.

    Attributes:
        steps: Of each path, shape (paths, hops), -1 behind its end.
    """

    def __init__(self, levels: list[_Level], hops: int) -> None:
        self._levels = levels
        counts = [len(level.steps) for level in levels]
        self._firsts = np.cumsum([0, *counts])
        self.steps: IntArray = np.full((sum(counts), hops), -1, dtype=np.int32)
        for level, first in zip(levels, self._firsts.tolist(), strict=False):
            paths, length = level.steps.shape
            self.steps[first : first + paths, :length] = level.steps

    def __len__(self) -> int:
        """Return the number of paths."""
        return len(self.steps)

    def __iter__(self) -> Iterator[RelationPath]:
        """Yield all paths."""
        for level in self._levels:
            yield from level.paths(np.arange(len(level.steps), dtype=np.int32))

    def at(self, place: int) -> RelationPath:
        """Return the path at a place."""
        number = int(np.searchsorted(self._firsts, place, side="right")) - 1
        row = place - int(self._firsts[number])
        (path,) = self._levels[number].paths(np.array([row], dtype=np.int32))
        return path


def relation_paths(
    edges: LabelledEdges,
    start: int,
    *,
    hops: int,
    width: int,
    limit: int,
    rank: Callable[[IntArray], FloatArray],
    deadline: float = math.inf,
) -> RelationPaths:
    """Return the relation paths of up to `hops` steps from a node, shortest first.

    No walk returns to the start. Of each length the `width` paths that rank best are extended.

    Args:
        edges: The graph.
        start: Row of the node.
        hops: Most steps.
        width: How many paths of each length are extended.
        limit: How many edges are looked at to extend one path.
        rank: Gives paths of one length, shape (paths, length) by their steps, a score each: the
            higher, the sooner extended.
        deadline: When no path is extended any more, as `time.monotonic()`; the first step is always
            taken.
    """
    levels: list[_Level] = []
    before = np.zeros((1, 0), dtype=np.int32)
    ends = _Ends(np.arange(2), np.array([start], np.int32), np.ones(1, np.int32))
    for hop in range(hops):
        until = deadline if hop else math.inf
        walks, extended = ends.walks_on(edges, start, limit, until)
        level = _Level.of(before, walks)
        levels.append(level)
        if extended < len(before) or len(level.steps) == 0 or hop + 1 == hops:
            break
        chosen = np.arange(len(level.steps), dtype=np.int32)
        if len(chosen) > width:
            chosen = np.argsort(-rank(level.steps), kind="stable")[:width].astype(np.int32)
        before, ends = level.steps[chosen], level.ends_of(chosen)
    return RelationPaths(levels, hops)


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


def _runs(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of runs one after another, each given by its first and its length."""
    runs = np.repeat(starts - (np.cumsum(counts) - counts), counts)
    runs += np.arange(len(runs))
    return runs


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
