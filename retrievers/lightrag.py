"""LightRAG: entities by low-level keywords, relations by high-level ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from hoptrail.core.embedding import FloatArray
from hoptrail.core.text import content_words
from hoptrail.core.types import Evidence
from hoptrail.retrievers.anchors import spelled_names
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.graph_ranking import (
    Ranking,
    assemble,
    in_turns,
    passages_behind,
    ranking_of,
)


class LightRagRetriever(Retriever):
    """Searches entities and relations at two levels, with the passages behind both.

    Low-level keywords name entities: the nearest ones come with their relations. High-level
    keywords name themes: the nearest relations come with their ends. Keywords of a level are
    embedded together as one text. A plan's `entities` are the low-level keywords, its `keywords`
    the high-level ones; without them the names that the question spells and its other content words
    are taken.

    Source: Guo et al., "LightRAG: simple and fast retrieval-augmented generation", 2024
    (arXiv:2410.05779); its mode that also searches passages by similarity.

    Attributes:
        items: Entities, and relations, to take as nearest.
        neighbors: Most relations that each entity brings in.
    """

    name_in_registry: ClassVar[str] = "lightrag"

    items: int = Field(40, ge=1)
    neighbors: int = Field(10, ge=0)

    def _search(self, query: Query, view: View) -> Evidence:
        low, high = self._levels(query)
        entities = self._nearest(view, "entity", low)
        relations = self._nearest(view, "relation", high)
        all_entities = _joined(entities, self._ends(view, relations))
        all_relations = _joined(relations, self._incident(view, entities, high))
        return assemble(
            view,
            "keywords",
            k=self.k,
            budget=self.budget,
            entities=all_entities,
            relations=all_relations,
            chunks=passages_behind(view, all_entities, all_relations, query.unit),
        )

    def _levels(self, query: Query) -> tuple[FloatArray, FloatArray]:
        """Return the vectors of the low-level and of the high-level keywords."""
        names = query.plan.entities or spelled_names(query.text)
        inside = {word for name in names for word in content_words(name)}
        themes = query.plan.keywords or [
            word for word in content_words(query.text) if word not in inside
        ]
        return self._embed(names, query), self._embed(themes, query)

    def _embed(self, keywords: Sequence[str], query: Query) -> FloatArray:
        text = ", ".join(dict.fromkeys(keywords))
        return self.kb.embed_query(text) if text.strip() else query.unit

    def _nearest(self, view: View, kind: str, vector: FloatArray) -> Ranking:
        if kind == "entity":
            ids, scores = view.vectors["entity"].search(vector, self.items)
            return Ranking(view.index.entity_rows(ids), scores)
        ids, scores = view.vectors["relation"].search(vector, self.items)
        return Ranking(view.index.relation_rows(ids), scores)

    def _ends(self, view: View, relations: Ranking) -> Ranking:
        """Return the ends of relations, each with the score of its best one."""
        index = view.index
        rows = np.concatenate(
            [index.relation_source[relations.rows], index.relation_target[relations.rows]]
        )
        scores = np.tile(relations.scores, 2)
        best: dict[int, float] = {}
        for row, score in zip(rows.tolist(), scores.tolist(), strict=True):
            best[row] = max(score, best.get(row, score))
        return ranking_of(best)

    def _incident(self, view: View, entities: Ranking, vector: FloatArray) -> Ranking:
        """Return the relations of entities that are most similar to the themes, with scores."""
        positions, rows = view.index.entity_relations.gather(entities.rows)
        similar = view.vectors["relation"].similarities_at(vector, rows)
        order = np.lexsort((rows, -similar, positions))
        positions, rows, similar = positions[order], rows[order], similar[order]
        place = np.arange(len(rows)) - np.searchsorted(positions, positions, side="left")
        kept = place < self.neighbors
        best = dict(zip(rows[kept].tolist(), similar[kept].tolist(), strict=True))
        return ranking_of(best)


def _joined(first: Ranking, second: Ranking) -> Ranking:
    """Return both rankings by turns, each row once; it scores by its place."""
    turns = in_turns((first.rows.tolist(), 1), (second.rows.tolist(), 1))
    rows = np.fromiter(turns, dtype=np.int32)
    return Ranking(rows, (1.0 / np.arange(1, len(rows) + 1)).astype(np.float32))
