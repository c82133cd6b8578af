"""Entities and relations of KET-RAG's local graph as hits, under a budget."""

from __future__ import annotations

from hoptrail.core.types import Entity, Hit, Relation
from hoptrail.retrievers.graph_hits import Ranking, entity_hits, relation_hits, take_turns
from hoptrail.retrievers.ket_entity import LocalGraph
from hoptrail.retrievers.view import View

_TOKENS_PER_TURN = 25  # an entity and a relation with short names
_CHANNEL = "entity"


def load_graph_items(
    view: View, graph: LocalGraph, budget: int
) -> tuple[tuple[Hit[Entity], ...], tuple[Hit[Relation], ...], int]:
    """Return the entities and relations that fit, and the tokens they take when rendered."""
    most = max(budget, 0) // _TOKENS_PER_TURN
    entities = entity_hits(view, _entity_ranking(view, graph).first(most), _CHANNEL)
    relations = relation_hits(view, _relation_ranking(view, graph).first(most), _CHANNEL)
    return take_turns(entities, relations, budget)


def _entity_ranking(view: View, graph: LocalGraph) -> Ranking:
    led = graph.walk.via_relation
    reasons = {row: (str(view.index.relation_ids[via]),) for row, via in led.items()}
    return Ranking(graph.entities, graph.entity_scores, graph.walk.entities, reasons)


def _relation_ranking(view: View, graph: LocalGraph) -> Ranking:
    led = graph.walk.via_entity
    reasons = {row: (str(view.index.entity_ids[via]),) for row, via in led.items()}
    return Ranking(graph.relations, graph.relation_scores, graph.walk.relations, reasons)
