"""The part of the knowledge graph that one search works on, as a small graph of its own.

Rows of the whole graph are kept ascending (int32), and the small graph numbers nodes and edges by
their place among them. So a row becomes a place by binary search and a place becomes a row by
indexing, vectors of a region are one gather, and what is computed on it costs its own size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hoptrail.core.algorithms.incidence import Incidence, ScoreEdges
from hoptrail.core.algorithms.neighbourhood import Caps, Neighbourhood, expand, expand_each
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.stores.snapshot.graph_index import GraphIndex


@dataclass(frozen=True, slots=True)
class Region:
    """Entities and relations of a neighbourhood; node and edge i of `graph` are row i of each.

    Attributes:
        entities: Rows as in `GraphIndex`, ascending, shape (n,).
        hops: Distance of each to the nearest start, shape (n,).
        relations: Rows as in `GraphIndex`, ascending, shape (m,).
        graph: The same with places as numbers.
    """

    entities: IntArray
    hops: IntArray
    relations: IntArray
    graph: Incidence

    @classmethod
    def around(cls, view: View, starts: Iterable[int], score: ScoreEdges, caps: Caps) -> Region:
        """Expand from entities along the best scored relations, as far as the caps allow.

        Args:
            view: The knowledge base.
            starts: Rows of entities.
            score: Gives the score of relation rows; those that share a vector must score the same.
            caps: The bounds.
        """
        rows = np.array(sorted(set(starts)), dtype=np.int32)
        return cls._of(view.index, expand(view.index.graph, rows, score, caps, view.hubs))

    @classmethod
    def around_each(
        cls, view: View, entities: Sequence[int], score: ScoreEdges, caps: Caps
    ) -> list[Region]:
        """Return the region around each of some entities, expanded in one run.

        The caps are those of each region, but they share the seconds.
        """
        starts = [np.array([entity], dtype=np.int32) for entity in entities]
        found = expand_each(view.index.graph, starts, score, caps, view.hubs)
        return [cls._of(view.index, neighbourhood) for neighbourhood in found]

    @classmethod
    def _of(cls, index: GraphIndex, found: Neighbourhood) -> Region:
        order = np.argsort(found.nodes)
        entities = found.nodes[order]
        source = np.searchsorted(entities, index.relation_source[found.edges])
        target = np.searchsorted(entities, index.relation_target[found.edges])
        graph = Incidence.of(source.astype(np.int32), target.astype(np.int32), len(entities))
        return cls(entities, found.hops[order], found.edges, graph)

    def without(self, entities: Iterable[int]) -> Region:
        """Return the region without some entity rows and the relations that touch them."""
        is_kept = ~np.isin(self.entities, np.fromiter(entities, dtype=np.int32))
        graph = self.graph
        edges = np.flatnonzero(is_kept[graph.source] & is_kept[graph.target])
        places = np.cumsum(is_kept).astype(np.int32) - 1
        rest = Incidence.of(
            places[graph.source[edges]], places[graph.target[edges]], int(is_kept.sum())
        )
        return Region(self.entities[is_kept], self.hops[is_kept], self.relations[edges], rest)

    def between_starts(self, length: int) -> Region:
        """Return the region with only those relations that a path between starts may take.

        Args:
            length: Most relations in such a path.
        """
        graph = self.graph
        kept = np.flatnonzero(self.hops[graph.source] + 1 + self.hops[graph.target] <= length)
        rest = Incidence.of(graph.source[kept], graph.target[kept], len(self.entities))
        return Region(self.entities, self.hops, self.relations[kept], rest)

    def places(self, rows: Iterable[int]) -> IntArray:
        """Return the node numbers of those entity rows that the region holds, in their order."""
        wanted = np.fromiter(rows, dtype=np.int32)
        if len(self.entities) == 0:
            return np.zeros(0, dtype=np.int32)
        places = np.minimum(np.searchsorted(self.entities, wanted), len(self.entities) - 1)
        found: IntArray = places[self.entities[places] == wanted].astype(np.int32)
        return found


def relation_scorer(view: View, vector: FloatArray) -> ScoreEdges:
    """Return what scores relation rows by their similarity to a vector, shape (dim,)."""
    return view.vectors["relation"].scorer(vector)
