from __future__ import annotations

from hoptrail.core.render import entity_line, relation_line
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Entity, Hit, Relation
from hoptrail.core.types.graph import CO_OCCURS
from hoptrail.retrievers.ranking.graph_ranking import in_turns, take_turns

ENTITIES = [Hit(Entity(f"e{n}", f"Harbour of Averil {n}"), 1.0, "test") for n in range(6)]
TOLD = [
    Hit(Relation(f"r{n}", "e0", "lies in", "e1", subject="Averil", object=f"Dorrin {n}"), 1.0, "t")
    for n in range(6)
]
SHARED = [
    Hit(Relation(f"s{n}", "e0", CO_OCCURS, "e1", subject="Averil", object=f"Quay {n}"), 1.0, "t")
    for n in range(6)
]
OF_ENTITY = estimate_tokens(entity_line(ENTITIES[0].item))
OF_RELATION = estimate_tokens(relation_line(TOLD[0].item))


def test_all_are_kept_where_they_fit() -> None:
    entities, relations, spent = take_turns(ENTITIES, TOLD, 1000)
    assert (len(entities), len(relations)) == (6, 6)
    assert 0 < spent <= 6 * (OF_ENTITY + OF_RELATION)


def test_both_kinds_take_turns_where_they_do_not() -> None:
    budget = 2 * (OF_ENTITY + OF_RELATION) + OF_ENTITY
    entities, relations, spent = take_turns(ENTITIES, TOLD, budget)
    assert (len(entities), len(relations)) == (3, 2)
    assert spent == budget


def test_a_relation_that_is_not_rendered_beside_passages_takes_nothing() -> None:
    entities, relations, spent = take_turns(ENTITIES, SHARED, 1000, beside_passages=True)
    assert (len(entities), len(relations)) == (6, 6)
    assert spent == take_turns(ENTITIES, [], 1000)[2]
    assert spent < take_turns(ENTITIES, SHARED, 1000)[2]


def test_orders_take_turns_and_no_row_comes_twice() -> None:
    assert list(in_turns(([1, 2, 3, 4], 2), ([9, 1, 8], 1))) == [1, 2, 9, 3, 4, 8]


def test_the_longer_order_ends_alone() -> None:
    assert list(in_turns(([1], 1), ([2, 3, 4], 1))) == [1, 2, 3, 4]


def test_nothing_comes_of_nothing() -> None:
    assert list(in_turns(([], 2), ([], 1))) == []
