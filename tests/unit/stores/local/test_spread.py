"""A walk from a question: what it reads next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hoptrail.core.types import Chunk, Entity, Relation
from hoptrail.stores.local.held_items import HeldChunk, HeldEntity
from hoptrail.stores.local.spread import Spread


def entity(id_: str, *chunk_ids: str) -> HeldEntity:
    return HeldEntity(Entity(id_, id_, "town", "", (), chunk_ids), (), True, None)


def chunk(id_: str, *entity_ids: str) -> HeldChunk:
    return HeldChunk(Chunk(id_, "d", "", "text", 0, 4, 1), entity_ids)


def relation(source: str, target: str) -> Relation:
    return Relation(f"{source}-{target}", source, "near", target, "", 1.0, (), source, target)


def spread(
    entities: Sequence[HeldEntity] = (),
    chunks: Sequence[HeldChunk] = (),
    relations: Sequence[Relation] = (),
    near_chunks: Mapping[str, float] | None = None,
    near_relations: Mapping[str, float] | None = None,
) -> Spread:
    by_id = {one.item.id: one for one in entities}
    passages = {one.item.id: one for one in chunks}
    return Spread(
        by_id.get,
        passages.get,
        lambda id_: [one for one in relations if id_ in (one.source, one.target)],
        near_chunks or {},
        near_relations or {},
    )


def test_mass_waits_at_what_is_not_read() -> None:
    walk = spread([entity("a", "p")], relations=[relation("a", "b")])
    walk.start(["a"])
    assert walk.reached() == (["b"], ["p"])


def test_it_goes_on_once_an_item_is_read() -> None:
    read = [entity("a", "p")]
    passages: dict[str, HeldChunk] = {}
    by_id = {one.item.id: one for one in read}
    walk = Spread(by_id.get, passages.get, lambda id_: [], {}, {})
    walk.start(["a"])
    assert walk.reached() == ([], ["p"])
    passages["p"] = chunk("p", "a", "b")
    assert walk.reached() == (["b"], [])


def test_what_nearer_relations_lead_to_comes_first() -> None:
    relations = [relation("a", "b"), relation("a", "c")]
    walk = spread([entity("a")], relations=relations, near_relations={"a-b": 0.3, "a-c": 0.8})
    walk.start(["a"])
    assert walk.reached() == (["c", "b"], [])


def test_a_hub_hands_nothing_on() -> None:
    relations = [relation("hub", f"t{number}") for number in range(60_000)]
    walk = spread([entity("hub")], relations=relations)
    walk.start(["hub"])
    assert walk.reached() == ([], [])


def test_without_names_it_starts_at_the_nearest_passages() -> None:
    chunks = [chunk("p", "a"), chunk("q", "b")]
    walk = spread(chunks=chunks, near_chunks={"p": 0.6, "q": 0.5})
    walk.start([])
    assert walk.reached() == (["a", "b"], [])
