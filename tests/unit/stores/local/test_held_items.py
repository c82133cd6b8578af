"""Items that a process holds."""

from __future__ import annotations

from hoptrail.core.types import Chunk, Entity, Relation
from hoptrail.stores.local.held_items import (
    Arrived,
    CollectionFigures,
    HeldChunk,
    HeldEntity,
    HeldItems,
)
from hoptrail.stores.local.vector_slab import VectorSlab


def held_items() -> HeldItems:
    arrived = Arrived(1)
    for name in "abc":
        relation = Relation(f"r{name}", name, f"p{name}", "x", "", 1.0, (), name, "x")
        entity = Entity(name, name, "town", "", (), (f"c{name}",))
        arrived.relations[relation.id] = relation
        arrived.entities[name] = HeldEntity(entity, (relation.id,), name != "c", None)
        arrived.chunks[f"c{name}"] = HeldChunk(Chunk(f"c{name}", "d", "", "", 0, 0, 1), (name,))
        arrived.entity_vectors.add(name, [1.0])
        arrived.predicate_vectors.add(f"p{name}", [1.0])
    held = HeldItems(7, 1, CollectionFigures(3, 1.0), [], VectorSlab(1))
    held.take(arrived)
    return held


def test_entities_with_a_part_of_their_relations_are_not_held() -> None:
    assert sorted(held_items().entities) == ["a", "b"]


def test_a_part_has_all_that_its_entities_name() -> None:
    held = held_items()
    kept = held.within(["ca", "unknown"], ["b", "c"])
    assert (kept.generation, kept.figures) == (held.generation, held.figures)
    assert list(kept.chunks) == ["ca"]
    assert list(kept.entities) == ["b"]
    assert list(kept.relations) == ["rb"]
    assert "b" in kept.entity_vectors and "a" not in kept.entity_vectors
    assert "pb" in kept.predicate_vectors and "pa" not in kept.predicate_vectors
    assert len(held.chunks) == 3  # who reads meanwhile has them


def test_a_part_has_relations_whose_entities_are_not_held() -> None:
    kept = held_items().within([], [], ["rc", "unknown"])
    assert list(kept.relations) == ["rc"]
    assert "pc" in kept.predicate_vectors
