"""The surroundings of an entity as a bounded graph: what a picture of it shows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from hoptrail.core.embedding import IntArray
from hoptrail.core.errors import UnknownNameError
from hoptrail.core.types import Chunk, JsonDict, Relation
from hoptrail.core.types.graph import CO_OCCURS
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.snapshot.graph_index import GraphIndex

MOST_NODES = 200
"""Entities of a picture: more can be neither read nor moved smoothly."""

_EDGES_A_NODE = 3
_BRANCHES = 40  # relations followed from an entity besides the one in the middle


def show_neighbourhood(kb: KnowledgeBase, entity_id: str, *, nodes: int) -> JsonDict:
    """Return the entities around one with their relations; see `Hoptrail.neighbourhood`."""
    with kb.pinned():
        index = kb.index
        row = int(index.entity_rows([entity_id])[0])
        if row < 0:
            raise UnknownNameError("entity", entity_id, (), listing="search for it by its name")
        rings, joining = _gather(index, row, max(1, min(nodes, MOST_NODES)))
        edges = _edges(index, list(rings), joining)
        entities = kb.store.entities([str(index.entity_ids[one]) for one in rings])
        relations = kb.store.relations([str(index.relation_ids[one]) for one in edges])
        told = [one.chunk_ids[0] for one in relations if one.chunk_ids]
        passages = {one.id: one for one in kb.store.chunks(list(dict.fromkeys(told)))}
    ring_of = {str(index.entity_ids[one]): ring for one, ring in rings.items()}
    degree = {str(index.entity_ids[one]): len(index.entity_relations.row(one)) for one in rings}
    return {
        "id": entity_id,
        "nodes": [
            {
                "id": one.id,
                "name": one.name,
                "type": one.type,
                "relations": degree[one.id],
                "ring": ring_of[one.id],
            }
            for one in entities
        ],
        "edges": [_edge(one, passages) for one in relations],
        "relations_total": degree[entity_id],
    }


def _gather(index: GraphIndex, centre: int, most: int) -> tuple[dict[int, int], list[int]]:
    """Return the rows of entities by their distance, and the relations that led to each.

    Facts are followed first, the ones that most passages tell before the others. What room is left
    is for names of which no more is known than that they share a sentence with the one in the
    middle, and for facts about these.
    """
    rings: dict[int, int] = {centre: 0}
    joining: list[int] = []

    def reach(row: int, ring: int, relations: IntArray) -> Iterator[int]:
        for relation, other in _ends(index, row, relations):
            if len(rings) < most and other not in rings:
                rings[other] = ring
                joining.append(relation)
                yield other

    facts, joins = _ordered(index, centre)
    for near in (facts, joins):
        for row in list(reach(centre, 1, near[: 2 * most])):
            further, _ = _ordered(index, row)
            list(reach(row, 2, further[:_BRANCHES]))
    return rings, joining


def _ordered(index: GraphIndex, row: int) -> tuple[IntArray, IntArray]:
    """Return an entity's facts and its mere co-occurrences, each by how many passages tell them."""
    relations = index.entity_relations.row(row)
    relations = relations[np.argsort(-index.relation_chunks.counts(relations), kind="stable")]
    only_joins = index.predicates[index.relation_predicate[relations]] == CO_OCCURS
    return relations[~only_joins], relations[only_joins]


def _ends(index: GraphIndex, row: int, relations: IntArray) -> Iterator[tuple[int, int]]:
    """Yield each relation with the row of its other end."""
    for relation in relations.tolist():
        source, target = int(index.relation_source[relation]), int(index.relation_target[relation])
        yield relation, target if source == row else source


def _edges(index: GraphIndex, rows: list[int], joining: list[int]) -> list[int]:
    """Return the relations among these entities: those that join them, then other facts."""
    _, near = index.entity_relations.gather(np.asarray(rows, dtype=np.int32))
    near = np.unique(near)
    inside = np.isin(index.relation_source[near], rows) & np.isin(index.relation_target[near], rows)
    is_fact = index.predicates[index.relation_predicate[near]] != CO_OCCURS
    near = near[inside & is_fact]
    near = near[np.argsort(-index.relation_chunks.counts(near), kind="stable")]
    return list(dict.fromkeys(chain(joining, near.tolist())))[: _EDGES_A_NODE * len(rows)]


def _edge(relation: Relation, passages: dict[str, Chunk]) -> JsonDict:
    chunk = passages.get(relation.chunk_ids[0]) if relation.chunk_ids else None
    return {
        "id": relation.id,
        "source": relation.source,
        "subject": relation.subject,
        "predicate": relation.predicate,
        "target": relation.target,
        "object": relation.object,
        "passages": len(relation.chunk_ids),
        "passage": None
        if chunk is None
        else {
            "doc_id": chunk.doc_id,
            "title": chunk.title,
            "start": chunk.start,
            "end": chunk.end,
            "section": chunk.section,
            "place": chunk.place,
        },
    }
