"""One DOT: anchors, the graph around them, and the vectors of its entities."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from hoptrail.core.algorithms.yen import PathFinder
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.retrievers.path_hits import FoundPath
from hoptrail.retrievers.region import Region
from hoptrail.retrievers.view import View


@dataclass(frozen=True, slots=True)
class Dot:
    """A workspace; its vector store is a slice of the knowledge base's matrix.

    Attributes:
        region: The graph around the anchors.
        view: The generation of the knowledge base that rows belong to.
        anchors: Rows of the anchors with their weights.
        vectors: Of the region's entities, shape (n, dim); zeros without a name.
        finder: Searches paths in the region.
    """

    view: View
    region: Region
    anchors: Mapping[int, float]
    vectors: FloatArray
    finder: PathFinder

    @classmethod
    def over(cls, view: View, region: Region, anchors: Mapping[int, float]) -> Self:
        """Take up a region; every relation is one step."""
        vectors = view.vectors["entity"].vectors_at(region.entities)
        costs = np.ones(len(region.relations), dtype=np.float32)
        return cls(view, region, anchors, vectors, PathFinder(region.graph, costs))

    def targets(
        self, queries: Sequence[FloatArray], seen: Collection[int], most: int
    ) -> list[tuple[int, float]]:
        """Return the entity rows nearest to any query, with their similarity, best first.

        Args:
            queries: Unit vectors, shape (dim,) each.
            seen: Entity rows to leave out; anchors are left out anyway.
            most: How many.
        """
        if not queries or len(self.region.entities) == 0:
            return []
        scores = (self.vectors @ np.stack(queries, axis=1)).max(axis=1)
        is_open = ~np.isin(self.region.entities, [*seen, *self.anchors])
        places = np.flatnonzero(is_open & (scores > 0))
        order = np.lexsort((places, -np.round(scores[places], 5)))[:most]
        best = places[order]
        return list(zip(self.region.entities[best].tolist(), scores[best].tolist(), strict=True))

    def paths_to(
        self, targets: Sequence[tuple[int, float]], *, per_anchor: int, most: int
    ) -> list[FoundPath]:
        """Return the shortest loopless paths from every anchor to the targets.

        Those to the best targets come first; a path's score is its target's.

        Args:
            targets: Entity rows with scores, best first.
            per_anchor: Paths from one anchor to one target.
            most: Paths in all.
        """
        ends = self.region.places(row for row, _ in targets)
        starts = self.region.places(sorted(self.anchors))
        distances = self.finder.distances(ends)
        found: list[FoundPath] = []
        for (_, score), end, bound in zip(targets, ends.tolist(), distances, strict=True):
            for start in _nearest_first(starts, bound):
                for route in self.finder.shortest(start, end, per_anchor, to_target=bound):
                    entities = tuple(self.region.entities[list(route.nodes)].tolist())
                    relations = tuple(self.region.relations[list(route.edges)].tolist())
                    found.append(FoundPath(entities, relations, score))
                if len(found) >= most:
                    return found[:most]
        return found


def _nearest_first(
    starts: IntArray, distances: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> list[int]:
    order = np.lexsort((starts, distances[starts]))
    return [int(start) for start in starts[order]]
