from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from hoptrail.core.types import Chunk, Entity, Relation
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.snapshot.graph_index import Csr, GraphIndex, rows_of

Put = Callable[[str, str, str], Chunk]


@pytest.fixture
def world(kb: KnowledgeBase, put: Put) -> tuple[list[Entity], list[Relation], list[Chunk]]:
    """A random graph over random passages, published; some entities stand in no passage."""
    random.seed(7)
    chunks = [put(f"s/{i}", f"Title {i}", "word " * (i + 1)) for i in range(12)]
    ids = [chunk.id for chunk in chunks]
    entities = [
        Entity(f"e{i:02}", f"Name {i}", chunk_ids=tuple(random.sample(ids, i % 4)))
        for i in range(20)
    ]
    relations = [
        Relation(
            f"r{i:02}",
            random.choice(entities).id,
            f"knows {i % 3}",
            random.choice(entities).id,
            weight=float(i),
            chunk_ids=tuple(random.sample(ids, i % 3)),
        )
        for i in range(40)
    ]
    kb.replace_graph(entities, relations, [])
    kb.publish()
    return entities, relations, chunks


def as_sets(matrix: Csr) -> list[set[int]]:
    return [set(matrix.row(i).tolist()) for i in range(len(matrix.indptr) - 1)]


def test_ids_are_sorted_and_know_their_document(
    kb: KnowledgeBase, world: tuple[list[Entity], list[Relation], list[Chunk]]
) -> None:
    index, chunks = kb.index, world[2]
    assert index.chunk_ids.tolist() == sorted(chunk.id for chunk in chunks)
    for chunk in chunks:
        (row,) = rows_of(index.chunk_ids, [chunk.id])
        assert index.doc_ids[index.chunk_doc[row]] == chunk.doc_id
        assert index.chunk_tokens[row] == chunk.tokens


def test_relations_know_their_ends_and_weight(
    kb: KnowledgeBase, world: tuple[list[Entity], list[Relation], list[Chunk]]
) -> None:
    index = kb.index
    for row, relation in enumerate(world[1]):
        assert index.relation_ids[row] == relation.id
        assert index.entity_ids[index.relation_source[row]] == relation.source
        assert index.entity_ids[index.relation_target[row]] == relation.target
        assert index.relation_weight[row] == relation.weight
        assert index.predicates[index.relation_predicate[row]] == relation.predicate


def test_predicates_are_sorted(
    kb: KnowledgeBase, world: tuple[list[Entity], list[Relation], list[Chunk]]
) -> None:
    assert kb.index.predicates.tolist() == ["knows 0", "knows 1", "knows 2"]


def test_an_entity_lists_the_relations_at_either_end_once(
    kb: KnowledgeBase, world: tuple[list[Entity], list[Relation], list[Chunk]]
) -> None:
    entities, relations, _ = world
    expected = [
        {row for row, r in enumerate(relations) if entity.id in (r.source, r.target)}
        for entity in entities
    ]
    assert as_sets(kb.index.entity_relations) == expected
    assert len(kb.index.entity_relations.indices) == sum(map(len, expected))


def test_incidences_agree_in_both_directions(
    kb: KnowledgeBase, world: tuple[list[Entity], list[Relation], list[Chunk]]
) -> None:
    entities, relations, _ = world
    index: GraphIndex = kb.index
    for items, forward, backward in (
        (entities, index.entity_chunks, index.chunk_entities),
        (relations, index.relation_chunks, index.chunk_relations),
    ):
        expected = [set(rows_of(index.chunk_ids, item.chunk_ids).tolist()) for item in items]
        assert as_sets(forward) == expected
        assert as_sets(backward) == [
            {row for row, places in enumerate(expected) if chunk in places}
            for chunk in range(len(index.chunk_ids))
        ]


def test_a_passage_that_is_not_there_is_left_out(
    kb: KnowledgeBase, put: Put, publish: Callable[[], int]
) -> None:
    chunk = put("s/1", "T", "Text.")
    kb.replace_graph([Entity("e1", "Name", chunk_ids=("gone", chunk.id))], [], [])
    publish()
    assert kb.index.entity_chunks.row(0).tolist() == [0]
