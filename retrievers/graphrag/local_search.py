"""Local search of GraphRAG: entities near the question, what surrounds them, their communities."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

import numpy as np
from pydantic import Field

from hoptrail.core.embedding import IntArray
from hoptrail.core.render import report_block
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Community, Evidence, Hit
from hoptrail.retrievers.anchors.named_entities import named_entities
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.graphrag.report_selection import ScoredHierarchy
from hoptrail.retrievers.graphrag.report_sources import read_reports
from hoptrail.retrievers.ranking.graph_ranking import (
    Ranking,
    entity_hits,
    ranking_of,
    relation_hits,
    take_turns,
)
from hoptrail.retrievers.ranking.passage_ranking import fill_budget, load_passages
from hoptrail.retrievers.ranking.passages_behind import passages_behind
from hoptrail.retrievers.text.vector import chunk_similarities

_CHANNEL = "community"
_TOKENS_PER_TURN = 25  # an entity and a relation with short names


class CommunityRetriever(Retriever):
    """Searches around the entities nearest to the question, with the reports of their communities.

    The entities are those that the question or its plan names and those nearest to it. Relations
    between them come first, then the ones nearest to the question; passages are ranked by
    similarity and by what they hold of both. A report counts the entities that its community has.
    Without communities, text takes their share of the budget; without passages, the graph does.

    Source: Edge et al., "From local to global", 2024 (arXiv:2404.16130), as Microsoft GraphRAG's
    local search builds its context.

    Attributes:
        items: Entities to take as nearest.
        neighbors: Most relations that each entity brings in.
        report_share: Share of the budget for reports.
        text_share: Share of the budget for passages.
        level: Level of the communities, 0 is the coarsest; None takes the finest ones.
    """

    name_in_registry: ClassVar[str] = "community"

    items: int = Field(10, ge=1)
    neighbors: int = Field(10, ge=0)
    report_share: float = Field(0.15, ge=0, le=1)
    text_share: float = Field(0.5, ge=0, le=1)
    level: int | None = Field(None, ge=0)

    def _search(self, query: Query, view: View) -> Evidence:
        entities = self._entities(query, view)
        relations = self._relations(query, view, entities.rows)
        reports, spent = self._reports(query, view, entities.rows)
        left = self.budget - spent
        room = left - round(self.text_share * self.budget) if view.has_passages else left
        most = max(room, 0) // _TOKENS_PER_TURN
        kept_entities, kept_relations, used = take_turns(
            entity_hits(view, entities.first(most), _CHANNEL),
            relation_hits(view, relations.first(most), _CHANNEL),
            room,
            beside_passages=view.has_passages,
        )
        similar = chunk_similarities(view, query.unit)
        chunks = passages_behind(view, entities, relations, similar)
        best = chunks.first(len(fill_budget(view.index, chunks.rows, left - used, at_least=self.k)))
        passages = load_passages(view, best.rows, best.scores, channel=_CHANNEL)
        return Evidence(kept_entities, kept_relations, passages, (), reports)

    def _entities(self, query: Query, view: View) -> Ranking:
        """Return the named entities, then the nearest ones, each kind by falling score."""
        near, scores = view.vectors["entity"].search(query.unit, self.items)
        named = named_entities(query, view, near)
        ranks = {row: 1.0 + weight for row, weight in named.items()}
        for row, score in zip(view.index.entity_rows(near).tolist(), scores.tolist(), strict=True):
            ranks.setdefault(row, float(score))
        return ranking_of(ranks)

    def _relations(self, query: Query, view: View, entities: IntArray) -> Ranking:
        """Return the relations of these entities: those between them first, then the nearest."""
        index = view.index
        positions, rows = index.entity_relations.gather(entities)
        similar = view.vectors["relation"].similarities_at(query.unit, rows)
        inner = np.isin(index.relation_source[rows], entities) & np.isin(
            index.relation_target[rows], entities
        )
        scores = similar + inner
        order = np.lexsort((rows, -np.round(scores, 5), positions))
        place = np.arange(len(rows)) - np.searchsorted(positions[order], positions[order])
        kept = order[place < self.neighbors]
        return ranking_of(dict(zip(rows[kept].tolist(), scores[kept].tolist(), strict=True)))

    def _reports(
        self, query: Query, view: View, entities: IntArray
    ) -> tuple[tuple[Hit[Community], ...], int]:
        """Return the reports that fit their share, and the tokens they take.

        Those of the communities with most of the entities come first, then the higher rated.
        """
        counted = self._communities(ScoredHierarchy.of(view, query.text, query.unit), entities)
        found = read_reports(view.store, list(counted))
        found.sort(key=lambda report: (-counted[report.id], -report.rating, report.id))
        room = round(self.report_share * self.budget)
        hits: list[Hit[Community]] = []
        spent = 0
        for report in found:
            tokens = estimate_tokens(report_block(report))
            if spent + tokens <= room:
                hits.append(Hit(report, counted[report.id] / len(entities), _CHANNEL))
                spent += tokens
        return tuple(hits), spent

    def _communities(self, scored: ScoredHierarchy, entities: IntArray) -> Counter[str]:
        """Return how many of the entities each reported community has, by its id.

        An entity counts for the finest of its communities that has a report.
        """
        communities = scored.communities
        rows = communities.of_entity[entities]
        if self.level is not None:
            rows = communities.raised(rows, self.level)
        rows = rows[rows >= 0]
        while len(silent := np.flatnonzero(~scored.reported[rows])):
            rows[silent] = communities.parent[rows[silent]]
            rows = rows[rows >= 0]
        return Counter(str(communities.ids[row]) for row in rows.tolist())
