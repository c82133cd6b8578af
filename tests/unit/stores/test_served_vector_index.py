from __future__ import annotations

import numpy as np
import pytest

from hoptrail.stores import served_vector_index
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.local.local_view import SearchedVectors
from hoptrail.stores.served_vector_index import ServedVectorIndex
from hoptrail.stores.vector_search import Keys, ServedKind
from tests.servers.bases import TownBase
from tests.unit.stores.memory_vectors import MemoryVectors

QUERY = "Town 2 has a mill."


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return TownBase(tmp_path_factory.mktemp("towns") / "kb", towns=12).kb


@pytest.fixture
def shown(kb: KnowledgeBase) -> MemoryVectors:
    return MemoryVectors(kb.change(None))


def relation_index(kb: KnowledgeBase, shown: MemoryVectors) -> ServedVectorIndex:
    index = kb.index
    is_bare = np.char.startswith(index.relation_ids, "b")
    keys = Keys.of_relations(index, is_bare)
    return ServedVectorIndex("relation", index.relation_ids, keys, shown, kb.embedder.dim)


def index_of(
    kind: ServedKind, kb: KnowledgeBase, shown: MemoryVectors, *, is_part: bool = False
) -> ServedVectorIndex:
    ids = kb.index.chunk_ids if kind == "chunk" else kb.index.entity_ids
    if is_part:
        searched = SearchedVectors(shown, kb.embedder.dim, kb.embed_query(QUERY), {})
        return searched.of({kind: (ids, Keys.own(ids))}, kb.index)[kind]
    return ServedVectorIndex(kind, ids, Keys.own(ids), shown, kb.embedder.dim)


@pytest.mark.parametrize("k", [1, 3, 100])
def test_relations_that_share_a_vector_are_ranked_as_the_folder_ranks_them(
    kb: KnowledgeBase, shown: MemoryVectors, k: int
) -> None:
    query = kb.embed_query("mentions Town 0")
    ids, scores = relation_index(kb, shown).search(query, k)
    expected, similar = kb.vectors("relation").search(query, k)
    assert ids.tolist() == expected.tolist()
    assert np.allclose(scores, similar, atol=1e-5)


@pytest.mark.parametrize("is_part", [True, False])
def test_similarities_are_those_of_the_folder(
    kb: KnowledgeBase, shown: MemoryVectors, is_part: bool
) -> None:
    queries = np.stack([kb.embed_query(QUERY), kb.embed_query("a tower")], axis=1)
    index, folder = index_of("chunk", kb, shown, is_part=is_part), kb.vectors("chunk")
    ids = kb.index.chunk_ids
    assert np.allclose(index.similarities(queries, ids), folder.similarities(queries, ids))
    some = [str(ids[3]), "unknown", str(ids[0])]
    assert np.allclose(index.similarities(queries[:, 0], some)[1], 0)
    assert np.allclose(
        index.similarities(queries[:, 0], some), folder.similarities(queries[:, 0], some)
    )
    assert np.allclose(index.vectors(some), folder.vectors(some), atol=1e-6)
    within, _ = index.search(queries[:, 0], 2, within=some)
    assert within.tolist() == folder.search(queries[:, 0], 2, within=some)[0].tolist()


def test_a_query_is_asked_once(kb: KnowledgeBase, shown: MemoryVectors) -> None:
    index, query = index_of("chunk", kb, shown), kb.embed_query(QUERY)
    index.search(query, 5)
    index.similarities(query, kb.index.chunk_ids)
    index.similarities_at(query, np.array([4, 2], dtype=np.int32))
    assert shown.rounds == ["nearest chunk"]


def test_what_is_further_away_counts_half_as_much_until_it_is_asked_for(
    kb: KnowledgeBase, shown: MemoryVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(served_vector_index.DEPTHS, "chunk", 3)
    index, query = index_of("chunk", kb, shown), kb.embed_query(QUERY)
    exact = kb.vectors("chunk").similarities(query, kb.index.chunk_ids)
    found = index.similarities(query, kb.index.chunk_ids)
    assert np.count_nonzero(np.isclose(found, np.sort(exact)[-3] / 2)) == len(found) - 3
    assert np.allclose(np.sort(found)[-3:], np.sort(exact)[-3:])
    places = np.arange(10, dtype=np.int32)
    assert np.allclose(index.similarities_at(query, places), exact[:10])
    assert shown.rounds == ["nearest chunk", "scores chunk"]
    nearest, _ = index.search(query, 7)
    assert nearest.tolist() == kb.vectors("chunk").search(query, 7)[0].tolist()


def test_what_a_search_needs_next_is_asked_for_with_the_rest(
    kb: KnowledgeBase, shown: MemoryVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(served_vector_index.DEPTHS, "chunk", 1)
    ids, query = kb.index.chunk_ids, kb.embed_query(QUERY)
    index = ServedVectorIndex(
        "chunk", ids, Keys.own(ids), shown, kb.embedder.dim, around=lambda places: places + 1
    )
    for place in (2, 3):
        index.similarities_at(query, np.array([place], dtype=np.int32))
    assert shown.rounds == ["scores chunk"]


def test_of_a_part_several_kinds_are_asked_for_at_once(
    kb: KnowledgeBase, shown: MemoryVectors
) -> None:
    query, graph = kb.embed_query(QUERY), kb.index
    searched = SearchedVectors(shown, kb.embedder.dim, query, {})
    passages, relations = graph.chunk_ids, graph.relation_ids
    is_bare = np.char.startswith(relations, "b")
    keys = Keys.of_relations(graph, is_bare)
    indexes = searched.of(
        {"chunk": (passages, Keys.own(passages)), "relation": (relations, keys)}, graph
    )
    indexes["relation"].similarities_at(query, np.array([0], dtype=np.int32))
    for kind in ("chunk", "relation"):
        ids = passages if kind == "chunk" else relations
        assert np.allclose(
            indexes[kind].similarities(query, ids), kb.vectors(kind).similarities(query, ids)
        )
    assert shown.rounds == ["scores chunk relation"]


def test_vectors_that_are_needed_next_come_with_the_first(
    kb: KnowledgeBase, shown: MemoryVectors
) -> None:
    index = index_of("chunk", kb, shown, is_part=True)
    places = np.arange(len(kb.index.chunk_ids), dtype=np.int32)
    for place in places:
        index.vectors_at(places[place : place + 1])
    assert shown.rounds == ["vectors chunk"]


def test_an_empty_kind_is_not_asked_for(kb: KnowledgeBase, shown: MemoryVectors) -> None:
    nothing = kb.index.chunk_ids[:0]
    index = ServedVectorIndex("chunk", nothing, Keys.own(nothing), shown, kb.embedder.dim)
    ids, scores = index.search(kb.embed_query(QUERY), 5)
    assert (len(ids), len(scores), len(index)) == (0, 0, 0)
    assert shown.rounds == []
