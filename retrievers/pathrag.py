"""PathRAG: the most reliable paths between the entities nearest to the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from hoptrail.core.algorithms.flow import flow_paths, spread
from hoptrail.core.algorithms.neighbourhood import Caps
from hoptrail.core.types import Evidence
from hoptrail.retrievers.anchors import named_entities
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.paths import FoundPath, Region, path_hits, relation_scorer
from hoptrail.retrievers.ranking.graph_ranking import assemble, passages_behind, ranking_of

_CHANNEL = "pathrag"
_PATHS_PER_START = 20
_SHARE_OF_NAMED = 1.0


class PathRagRetriever(Retriever):
    """Returns paths between retrieved entities, pruned by the flow of a resource.

    The entities nearest to the question and those that it names are retrieved; from each a unit of
    resource flows through the relations between them, decaying, and stops where a share is too
    small. Paths that end at another retrieved entity are ranked by their mean flow, best first; a
    prompt shows them in the opposite order (`render`).

    Source: Chen et al., "PathRAG: pruning graph-based retrieval augmented generation with
    relational paths", 2025 (arXiv:2502.14902).

    Attributes:
        nodes: Entities to retrieve.
        decay: Share of the resource that a node hands on.
        threshold: Least share for one neighbour that still flows.
        hops: Most relations in a path.
        paths: Paths to return.
    """

    name_in_registry: ClassVar[str] = "pathrag"

    nodes: int = Field(40, ge=1)
    decay: float = Field(0.8, gt=0, le=1)
    threshold: float = Field(0.05, ge=0, le=1)
    hops: int = Field(3, ge=1, le=6)
    paths: int = Field(15, ge=1)

    def _search(self, query: Query, view: View) -> Evidence:
        entities = self._retrieve_entities(query, view)
        found = self._paths(query, view, entities)
        reliability: dict[int, float] = {}
        reached = dict(entities)
        for path in found:
            for row in path.relations:
                reliability[row] = max(path.score, reliability.get(row, 0.0))
            for row in path.entities:
                reached.setdefault(row, 0.0)
        for row, score in _on_paths(found).items():
            reached[row] += score
        on_paths = ranking_of(reached)
        relations = ranking_of(reliability)
        return assemble(
            view,
            _CHANNEL,
            k=self.k,
            budget=self.budget,
            entities=on_paths,
            relations=relations,
            chunks=passages_behind(view, on_paths, relations, query.unit),
            paths=path_hits(view, found, _CHANNEL),
        )

    def _retrieve_entities(self, query: Query, view: View) -> Mapping[int, float]:
        ids, scores = view.vectors["entity"].search(query.unit, self.nodes)
        rows = view.index.entity_rows(ids)
        named = dict.fromkeys(named_entities(query, view, ids), _SHARE_OF_NAMED)
        return {**dict(zip(rows.tolist(), scores.tolist(), strict=True)), **named}

    def _paths(self, query: Query, view: View, entities: Mapping[int, float]) -> list[FoundPath]:
        region = Region.around(
            view, entities, relation_scorer(view, query.unit), Caps(hops=(self.hops + 1) // 2)
        )
        region = region.between_starts(self.hops)
        targets = region.places(entities).tolist()
        found: dict[frozenset[int], FoundPath] = {}
        for start in targets:
            flow = spread(
                region.graph, start, decay=self.decay, threshold=self.threshold, hops=self.hops
            )
            for path in flow_paths(flow, start, targets, _PATHS_PER_START):
                relations = tuple(region.relations[list(path.edges)].tolist())
                rows = tuple(region.entities[list(path.nodes)].tolist())
                known = found.get(frozenset(relations))
                if known is None or path.reliability > known.score:
                    found[frozenset(relations)] = FoundPath(rows, relations, path.reliability)
        best = sorted(found.values(), key=lambda path: (-round(path.score, 9), path.relations))
        return best[: self.paths]


def _on_paths(paths: Sequence[FoundPath]) -> dict[int, float]:
    """Return the best reliability of the paths through each entity."""
    best: dict[int, float] = {}
    for path in paths:
        for row in path.entities:
            best[row] = max(path.score, best.get(row, 0.0))
    return best
