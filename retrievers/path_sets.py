"""Paths by their predicates: what takes the same steps answers the same question."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hoptrail.core.algorithms.relation_paths import LabelledEdges, walks_along
from hoptrail.retrievers.path_hits import FoundPath
from hoptrail.retrievers.view import View

_EDGES = 20_000  # looked at for one step; bounds what a hub costs


def labelled_edges(view: View) -> LabelledEdges:
    """Return the whole graph as edges with predicates."""
    index = view.index
    return LabelledEdges(
        index.entity_relations.indptr,
        index.entity_relations.indices,
        index.relation_source,
        index.relation_target,
        index.relation_predicate,
    )


def steps_of(graph: LabelledEdges, path: FoundPath) -> tuple[int, ...]:
    """Return a path's steps as in `RelationPath`."""
    return tuple(
        2 * int(graph.predicate[row]) + (int(graph.target[row]) == here)
        for here, row in zip(path.entities, path.relations, strict=False)
    )


def with_sets(view: View, paths: Sequence[FoundPath], *, most: int) -> list[FoundPath]:
    """Return the paths and, after them, all others that take the steps of a complete one.

    The predicates of a graph without passages are a vocabulary: what holds for one path holds for
    those with the same start and steps, and a set-valued answer is the ends of all of them. A path
    that goes on where a complete one ends, or stops on the way to it, adds nothing.

    Args:
        view: The knowledge base.
        paths: Judged paths.
        most: Entities on all paths together; a path that would exceed it is left out.
    """
    graph = labelled_edges(view)
    kinds = [(path.entities[0], *steps_of(graph, path)) for path in paths]
    complete = {k for k, path in zip(kinds, paths, strict=True) if path.verdict == "complete"}
    ends = {kind for kind in complete if not _goes_beyond(kind, complete)}
    kept = [
        (kind, path)
        for kind, path in zip(kinds, paths, strict=True)
        if not _goes_beyond(kind, ends) and not any(_goes_beyond(end, {kind}) for end in ends)
    ]
    found = [path for _, path in kept]
    entities = {row for path in found for row in path.entities}
    for start, *steps in sorted(ends, key=lambda kind: (len(kind), kind)):
        alike = [path for kind, path in kept if kind == (start, *steps)]
        reached = {path.entities[-1] for path in alike}
        for walk in walks_along(graph, start, steps, limit=_EDGES):
            together = entities.union(walk.nodes)
            if walk.nodes[-1] not in reached and len(together) <= most:
                entities = together
                score = max(path.score for path in alike)
                found.append(FoundPath(walk.nodes, walk.edges, score, "complete"))
    return found


def _goes_beyond(kind: tuple[int, ...], others: Collection[tuple[int, ...]]) -> bool:
    """Return whether another kind of path (its start and steps) is a proper beginning of one."""
    return any(kind[:end] in others for end in range(2, len(kind)))
