"""Entities and relations of a local graph as hits, under a budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

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
    spent, kept_entities, kept_relations = 0, 0, 0
    for line, is_entity in _lines(entities, relations):
        tokens = estimate_tokens(line)
        if spent + tokens > budget:
            break
        spent += tokens
        kept_entities += is_entity
        kept_relations += not is_entity
    return tuple(entities[:kept_entities]), tuple(relations[:kept_relations]), spent


def _lines(
    entities: Sequence[Hit[Entity]], relations: Sequence[Hit[Relation]]
) -> Iterator[tuple[str, bool]]:
    """Yield an entity's and a relation's line by turns, as rendered, and which it is."""
    told: set[str] = set()
    for entity, relation in zip_longest(entities, relations):
        if entity is not None:
            yield entity_line(entity.item), True
        if relation is not None:
            description = relation.item.description
            yield relation_line(relation.item, described=description not in told), False
            told.add(description)


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
