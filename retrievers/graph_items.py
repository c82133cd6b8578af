"""Entities and relations of a local graph as hits, under a budget."""

from __future__ import annotations

from hoptrail.core.render import entity_line, relation_line
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Entity, Hit, Relation
from hoptrail.retrievers.ket_entity import LocalGraph
from hoptrail.retrievers.view import View

_TOKENS_PER_TURN = 25  # an entity and a relation with short names
_CHANNEL = "entity"
_DECIMALS = 5


def load_graph_items(
    view: View, graph: LocalGraph, budget: int
) -> tuple[tuple[Hit[Entity], ...], tuple[Hit[Relation], ...], int]:
    """Return the entities and relations that fit, and the tokens they take when rendered.

    They take turns, best first, so that neither crowds the other out.
    """
    most = max(budget, 0) // _TOKENS_PER_TURN
    entities = _entity_hits(view, graph, most)
    relations = _relation_hits(view, graph, most)
    told: set[str] = set()
    costs = {
        "relation": [_relation_cost(hit.item, told) for hit in relations],
        "entity": [estimate_tokens(entity_line(hit.item)) + 1 for hit in entities],
    }
    turns = sorted(
        (place, kind, cost) for kind, all_ in costs.items() for place, cost in enumerate(all_)
    )
    kept = {"relation": 0, "entity": 0}
    spent = 0
    for _, kind, cost in turns:
        if spent + cost > budget:
            break
        spent += cost
        kept[kind] += 1
    return tuple(entities[: kept["entity"]]), tuple(relations[: kept["relation"]]), spent


def _relation_cost(relation: Relation, told: set[str]) -> int:
    line = relation_line(relation, described=relation.description not in told)
    told.add(relation.description)
    return estimate_tokens(line) + 1


def _entity_hits(view: View, graph: LocalGraph, most: int) -> list[Hit[Entity]]:
    rows = graph.entities[:most].tolist()
    ids = [str(id_) for id_ in view.index.entity_ids[rows]]
    found = {entity.id: entity for entity in view.store.entities(ids)}
    walk = graph.walk
    hits: list[Hit[Entity]] = []
    for row, id_, score in zip(rows, ids, graph.entity_scores.tolist(), strict=False):
        if id_ in found:
            via = walk.via_relation.get(row)
            reason = () if via is None else (str(view.index.relation_ids[via]),)
            hits.append(
                Hit(found[id_], round(score, _DECIMALS), _CHANNEL, walk.entities.get(row), reason)
            )
    return hits


def _relation_hits(view: View, graph: LocalGraph, most: int) -> list[Hit[Relation]]:
    rows = graph.relations[:most].tolist()
    ids = [str(id_) for id_ in view.index.relation_ids[rows]]
    found = {relation.id: relation for relation in view.store.relations(ids)}
    walk = graph.walk
    hits: list[Hit[Relation]] = []
    for row, id_, score in zip(rows, ids, graph.relation_scores.tolist(), strict=False):
        if id_ in found:
            reason = (str(view.index.entity_ids[walk.via_entity[row]]),)
            hop = walk.relations[row]
            hits.append(Hit(found[id_], round(score, _DECIMALS), _CHANNEL, hop, reason))
    return hits
