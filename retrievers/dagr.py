"""DAGR: a connected subgraph for each sub-question, and their union."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from hoptrail.core.algorithms.neighbourhood import Caps
from hoptrail.core.algorithms.steiner import prize_collecting_tree
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.types import Evidence
from hoptrail.retrievers.anchors import anchor_entities
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.edge_ranking import known_scorer, rank_by_walks
from hoptrail.retrievers.paths import Region
from hoptrail.retrievers.ppr import Surfer
from hoptrail.retrievers.ranking.graph_ranking import assemble, ranking_of
from hoptrail.retrievers.ranking.passage_ranking import Similarities

_TREE_WEIGHT = 0.02
_STATED_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class _Step:
    """A sub-question with its own similarities, and those of its mix with the question."""

    query: Query
    own: Similarities
    mixed: Similarities
    entities: FloatArray


@dataclass(frozen=True, slots=True)
class _Found:
    """Scores by row of what one step found."""

    entities: dict[int, float]
    relations: dict[int, float]
    chunks: FloatArray


class DagrRetriever(Retriever):
    """Finds a connected subgraph for each sub-question and returns their union.

    Nodes and edges are scored by their similarity to `alpha` times the question plus 1 - `alpha`
    times the sub-question, into which the caller writes the previous answer. The best ones get
    prizes (the i-th best of k gets k - i), and a prize-collecting Steiner tree joins them. Without
    sub-questions in the plan the question itself is the only one.

    On a text corpus passages are ranked too, by PageRank from the sub-question's names and its
    tree, those behind the tree's edges ahead of others alike: triples alone miss many an answer.

    Source: "DAGR: decomposition-augmented graph retrieval", with the prizes of He et al.,
    "G-Retriever: retrieval-augmented generation for textual graph understanding", NeurIPS 2024.

    Attributes:
        alpha: Weight of the whole question beside the sub-question.
        nodes: Entities with a prize for each sub-question.
        edges: Relations with a prize.
        edge_cost: What an edge of the tree costs.
        region: Most entities around the prizes that a tree may use.
        scorer: What chooses the relations with a prize: `learned` on a bare graph whose embedder
            the scorer knows, where a sub-question is read alone, else `similarity`.
    """

    name_in_registry: ClassVar[str] = "dagr"
    plans_by_sub_question: ClassVar[bool] = True

    alpha: float = Field(0.7, ge=0, le=1)
    nodes: int = Field(3, ge=0)
    edges: int = Field(5, ge=0)
    edge_cost: float = Field(0.5, ge=0)
    region: int = Field(2_000, ge=1)
    scorer: Literal["learned", "similarity"] = "learned"

    def _search(self, query: Query, view: View) -> Evidence:
        found = [self._find(view, step) for step in self._steps(query, view)]
        return assemble(
            view,
            "subgraph",
            k=self.k,
            budget=self.budget,
            entities=ranking_of(_best(step.entities for step in found)),
            relations=ranking_of(_best(step.relations for step in found)),
            chunks=ranking_of(np.max([step.chunks for step in found], axis=0)),
        )

    def _steps(self, query: Query, view: View) -> list[_Step]:
        """Return the sub-questions, all of whose vectors are searched in one product."""
        texts = query.plan.sub_questions or (query.text,)
        own = np.stack(
            [query.unit if text == query.text else self.kb.embed_query(text) for text in texts]
        )
        mixed = (self.alpha * query.unit + (1 - self.alpha) * own).astype(np.float32)
        similar = Similarities.of_each(view, np.concatenate([own, mixed]))
        entities = view.vectors["entity"].similarities(mixed.T, view.index.entity_ids)
        return [
            _Step(
                replace(query, text=text, vector=own[place]),
                similar[place],
                similar[len(texts) + place],
                entities[:, place],
            )
            for place, text in enumerate(texts)
        ]

    def _find(self, view: View, step: _Step) -> _Found:
        entities, relations = self._tree(view, step)
        seeds = anchor_entities(step.query, view)
        for row in entities.tolist():
            seeds[row] = seeds.get(row, 0.0) + _TREE_WEIGHT
        chunks = Surfer().rank(self.kb, view, seeds, step.own).chunks
        places, stated = view.index.relation_chunks.gather(relations)
        scores = step.mixed.relations[relations]
        np.maximum.at(chunks, stated, _STATED_SHARE * scores[places])
        return _Found(
            dict(zip(entities.tolist(), step.entities[entities].tolist(), strict=True)),
            dict(zip(relations.tolist(), scores.tolist(), strict=True)),
            chunks,
        )

    def _tree(self, view: View, step: _Step) -> tuple[IntArray, IntArray]:
        """Return the rows of the entities and relations of a sub-question's subgraph."""
        nodes = ranking_of(step.entities, most=self.nodes).rows
        edges = self._edges(view, step)
        ends = view.index.relation_source[edges], view.index.relation_target[edges]
        region = Region.around(
            view,
            np.concatenate([nodes, *ends]).tolist(),
            lambda rows: step.mixed.relations[rows] + np.isin(rows, edges),
            Caps(nodes=self.region),
        )
        node_prizes = np.zeros(len(region.entities), dtype=np.float32)
        node_prizes[region.places(nodes.tolist())] = np.arange(len(nodes), 0, -1)
        edge_prizes = np.zeros(len(region.relations), dtype=np.float32)
        inside = np.isin(edges, region.relations)
        prizes = np.arange(len(edges), 0, -1)[inside]
        edge_prizes[np.searchsorted(region.relations, edges[inside])] = prizes
        graph = region.graph
        tree = prize_collecting_tree(
            graph.source, graph.target, node_prizes, edge_prizes, edge_cost=self.edge_cost
        )
        return region.entities[tree.nodes], region.relations[tree.edges]

    def _edges(self, view: View, step: _Step) -> IntArray:
        """Return the rows of the relations with a prize, best first."""
        scorer = known_scorer(self.kb, view) if self.scorer == "learned" else None
        if scorer is None:
            return ranking_of(step.mixed.relations, most=self.edges).rows
        return rank_by_walks(self.kb, step.query, view, scorer, most=self.edges).rows


def _best(found: Iterable[Mapping[int, float]]) -> dict[int, float]:
    """Return the highest score of each row."""
    best: dict[int, float] = {}
    for scores in found:
        for row, score in scores.items():
            best[row] = max(score, best.get(row, score))
    return best
