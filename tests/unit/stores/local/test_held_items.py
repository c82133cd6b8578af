"""Items that a process holds."""

from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.types import Chunk, Entity, Relation
from hoptrail.stores.local import held_items as module
from hoptrail.stores.local.held_items import (
    Arrived,
    CollectionFigures,
    HeldChunk,
    HeldEntity,
    HeldItems,
    HeldWords,
    VectorSlab,
)
from hoptrail.stores.snapshot.lexicon import Collection, word_tables

TEXTS = {
    "a": ("The mill", "The mill stands at the river. A mill of 1862, No. 4, has 3 wheels."),
    "b": ("River", "The river Tamber. It is a river."),
    "c": ("", ""),
    "d": ("Wheels", "Wheels of oak; the mill's wheels."),
}
COLLECTION = Collection(9, 4.5, {"mill": 7})


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


def passage(id_: str) -> Chunk:
    title, text = TEXTS[id_]
    return Chunk(id_, "doc", title, text, 0, len(text), 1)


def assert_as_built(words: HeldWords, ids: str) -> None:
    found = words.lexicon([passage(id_) for id_ in ids], COLLECTION)
    built = word_tables(TEXTS[id_] for id_ in ids).lexicon
    assert found.words.tolist() == built.words.tolist()
    assert found.chunk_length.tolist() == built.chunk_length.tolist()
    assert found.word_chunks.indptr.tolist() == built.word_chunks.indptr.tolist()
    assert found.word_chunks.indices.tolist() == built.word_chunks.indices.tolist()
    assert found.word_chunks.data is not None and built.word_chunks.data is not None
    assert found.word_chunks.data.tolist() == built.word_chunks.data.tolist()
    assert found.frequency("mill", 1) == 7


def test_a_lexicon_is_that_of_a_folder_with_the_same_passages() -> None:
    words = HeldWords()
    for ids in ("abcd", "db", "c", "", "ad"):
        assert_as_built(words, ids)


def test_it_is_the_same_once_passages_were_let_go_of() -> None:
    words = HeldWords()
    assert_as_built(words, "abcd")
    assert_as_built(words.within(["d", "unknown"]), "bd")


def test_vectors_of_several_blocks_are_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 3)
    slab = VectorSlab(2)
    for number in range(8):
        slab.add(f"v{number}", np.array([number / 7, -number / 7], dtype=np.float32))
    vectors, row_of = slab.gathered(["v7", "none", "v2", "v7", "v3"])
    assert len(slab) == 8
    assert row_of.tolist() == [2, -1, 0, 2, 1]
    expected = np.array([[2, -2], [3, -3], [7, -7]]) / 7
    assert np.allclose(vectors, expected, atol=2e-5)


def test_the_first_vector_of_an_id_stays() -> None:
    slab = VectorSlab(1)
    slab.add("v", np.ones(1, dtype=np.float32))
    slab.add("v", np.zeros(1, dtype=np.float32))
    assert slab.gathered(["v"])[0].tolist() == [[1.0]]


def test_nothing_is_gathered_where_there_are_no_vectors() -> None:
    vectors, row_of = VectorSlab(0).gathered(["v"])
    assert vectors.shape == (0, 0)
    assert row_of.tolist() == [-1]


def test_a_part_of_the_vectors_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 3)
    slab = VectorSlab(1)
    for number in range(5):
        slab.add(f"v{number}", [number / 4])
    kept = slab.within(["v4", "none", "v1"])
    assert len(kept) == 2
    assert np.allclose(kept.gathered(["v4"])[0], 1.0)
    kept.take(slab)
    assert len(kept) == 5
    assert np.allclose(kept.gathered(["v3"])[0], 0.75, atol=2e-5)
