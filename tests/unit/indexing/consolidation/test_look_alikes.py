from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.types import Entity
from hoptrail.indexing.consolidation.look_alikes import group_look_alikes


def entity(name: str, type_: str = "", passages: int = 1) -> Entity:
    chunks = tuple(f"{name}{place}" for place in range(passages))
    return Entity(name, name, type_, chunk_ids=chunks)


def ids(groups: list[list[Entity]]) -> list[list[str]]:
    return [[one.id for one in group] for group in groups]


ALIKE = np.array([[1, 0], [0.8, 0.6], [0.9, 0.435]], dtype=np.float32)


def test_the_best_attested_entity_leads_and_the_nearest_comes_first() -> None:
    found = group_look_alikes([entity("a", passages=3), entity("b"), entity("c")], ALIKE)
    assert ids(found) == [["a", "c", "b"]]


def test_types_of_different_families_stay_apart() -> None:
    found = group_look_alikes(
        [entity("a", "person", 3), entity("b", "city"), entity("c", "actor")], ALIKE
    )
    assert ids(found) == [["a", "c"]]


def test_a_pair_that_was_decided_is_left_out() -> None:
    found = group_look_alikes(
        [entity("a", passages=3), entity("b"), entity("c")],
        ALIKE,
        lambda one, other: {one.id, other.id} != {"a", "c"},
    )
    assert ids(found) == [["a", "b"]]


def test_entities_without_a_vector_are_like_nothing() -> None:
    vectors = np.zeros((2, 4), dtype=np.float32)
    assert group_look_alikes([entity("a"), entity("b")], vectors) == []


@given(st.integers(0, 30), st.integers(0, 1000), st.floats(0.2, 0.95))
def test_groups_are_disjoint_and_near_their_leader(size: int, seed: int, least: float) -> None:
    vectors = np.random.default_rng(seed).standard_normal((size, 3)).astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    entities = [entity(str(place)) for place in range(size)]
    found = group_look_alikes(entities, vectors, similarity=least)
    members = [int(one.id) for group in found for one in group]
    assert len(members) == len(set(members))
    for leader, *others in ([int(one.id) for one in group] for group in found):
        assert np.all(vectors[others] @ vectors[leader] >= least - 1e-4)
