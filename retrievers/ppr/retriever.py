"""Personalised PageRank over entities, relations and passages."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from hoptrail.core.types import Evidence
from hoptrail.retrievers.anchors.named_entities import anchor_entities
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ppr.passage_pagerank import Surfer
from hoptrail.retrievers.ranking.evidence_assembly import assemble
from hoptrail.retrievers.ranking.graph_ranking import ranking_of
from hoptrail.retrievers.ranking.similarity import Similarities


class PprRetriever(Retriever):
    """Ranks passages by personalised PageRank from the entities that the question names.

    The surfer starts at named entities (the rarer, the likelier), at the ends of the relations
    nearest to the question, and at all passages by their similarity to it; it follows mentions and
    relations, the ones that resemble the question more often. So a passage is found that resembles
    the question in nothing but is two relations away from what it names.

    Source: Gutierrez et al., "From RAG to memory: non-parametric continual learning for large
    language models" (HippoRAG 2), ICML 2025; seeds of spelled names as in Zhuang et al.,
    "LinearRAG", 2025. Both start at nearest relations or at named entities alone.

    Attributes:
        damping: Probability of following an edge instead of starting again.
        text_share: Start weight of all passages together, per weight of the named entities.
        relations: Nearest relations to start from.
        relation_share: Start weight of these together, per weight of the named entities.
    """

    name_in_registry: ClassVar[str] = "ppr"

    damping: float = Field(0.7, ge=0, lt=1)
    text_share: float = Field(0.5, ge=0)
    relations: int = Field(5, ge=0)
    relation_share: float = Field(0.1, ge=0)

    def _search(self, query: Query, view: View) -> Evidence:
        similar = Similarities.of(view, query.unit)
        seeds = anchor_entities(query, view)
        surfer = Surfer(self.damping, self.text_share, self.relations, self.relation_share)
        ranks = surfer.rank(self.kb, view, seeds, similar)
        return assemble(
            view,
            "pagerank",
            k=self.k,
            budget=self.budget,
            entities=ranks.entity_ranking(seeds),
            relations=ranks.relation_ranking(view.index, similar.relations),
            chunks=ranking_of(ranks.chunks),
        )
