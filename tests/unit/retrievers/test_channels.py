"""The parts that the entity and the keyword channel are made of."""

from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.embedding import IntArray
from hoptrail.core.text import content_words
from hoptrail.retrievers.ket import rank_by_keywords
from hoptrail.retrievers.ket_entities import Subgraph, walk_from
from hoptrail.retrievers.ranking.passage_ranking import chunk_similarities, fill_budget, ranked_rows
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from tests.views import view_of

VECTOR = HashingEmbedder().embed(["Where was the founder of the Alder Yard born?"])[0]


def entity_row(kb: KnowledgeBase, name: str) -> int:
    return int(kb.index.entity_rows(kb.store.find_entities([name])[name])[0])


def test_the_walk_follows_relations_hop_by_hop(bare_graph: KnowledgeBase) -> None:
    start = entity_row(bare_graph, "Morning Tern")
    walk = walk_from(view_of(bare_graph), VECTOR, [start], hops=2, limit=10)
    assert list(walk.entities.values()) == [0, 1, 2]
    assert list(walk.relations.values()) == [0, 1]
    assert walk.via_entity[next(iter(walk.relations))] == start


def test_the_walk_follows_the_most_similar_relations_only(ships: KnowledgeBase) -> None:
    view = view_of(ships)
    start = entity_row(ships, "Edda Thorn")
    incident = view.index.entity_relations.row(start)
    scores = view.vectors["relation"].similarities(VECTOR, view.index.relation_ids[incident])
    assert len(incident) > 1
    walk = walk_from(view, VECTOR, [start], hops=1, limit=1)
    assert list(walk.relevance.values()) == [pytest.approx(scores.max(), abs=1e-5)]


def test_a_joined_walk_adds_what_is_new_without_distance(bare_graph: KnowledgeBase) -> None:
    view = view_of(bare_graph)
    walk = walk_from(view, VECTOR, [entity_row(bare_graph, "Alder Yard")], hops=1, limit=10)
    before = dict(walk.entities)
    walk.join(walk_from(view, VECTOR, [entity_row(bare_graph, "Quay bread")], hops=1, limit=10))
    assert {row: hop for row, hop in walk.entities.items() if hop is not None} == before
    assert walk.entities[entity_row(bare_graph, "rye")] is None


def test_ranks_equal_the_visits_of_pagerank_on_the_same_graph(ships: KnowledgeBase) -> None:
    view = view_of(ships)
    index = view.index
    similarities = chunk_similarities(view, VECTOR)
    start = entity_row(ships, "Alder Yard")
    walk = walk_from(view, VECTOR, [start], hops=2, limit=10)
    subgraph = Subgraph.around(index, walk, ranked_rows(similarities)[:3], similarities)

    nx = pytest.importorskip("networkx")
    reference = nx.Graph()
    reference.add_nodes_from(("e", row) for row in subgraph.entities.tolist())
    reference.add_nodes_from(("c", row) for row in subgraph.chunks.tolist())
    for row in walk.relations:
        ends = ("e", int(index.relation_source[row])), ("e", int(index.relation_target[row]))
        weight = reference.get_edge_data(*ends, {"weight": 0.0})["weight"]
        reference.add_edge(*ends, weight=weight + max(walk.relevance[row], 0.01) ** 2)
    for row in subgraph.entities.tolist():
        for chunk in index.entity_chunks.row(row).tolist():
            weight = 2 * max(float(similarities[chunk]), 0.01) ** 0.5
            reference.add_edge(("e", row), ("c", chunk), weight=weight)
    near = np.exp((similarities[subgraph.chunks] - similarities[subgraph.chunks].max()) / 0.03)
    jump = {node: 0.0 for node in reference}
    jump[("e", start)] = 1.0
    for row, weight in zip(subgraph.chunks.tolist(), near / near.sum(), strict=True):
        jump[("c", row)] = 0.5 * float(weight)
    expected = nx.pagerank(reference, alpha=0.5, personalization=jump, tol=1e-10)
    strength = dict(reference.degree(weight="weight"))
    for node in [("c", row) for row in subgraph.chunks.tolist()]:
        # A passage's rank is what comes along its edges, without the visits that start there.
        came = (
            expected[one] * edge["weight"] / strength[one] for one, edge in reference[node].items()
        )
        expected[node] = 0.5 * sum(came)

    entity_ranks, chunk_ranks = subgraph.spread({start: 1.0}, similarities)
    for kind, rows, ranks in (
        ("e", subgraph.entities, entity_ranks),
        ("c", subgraph.chunks, chunk_ranks),
    ):
        naive = np.array([expected[(kind, row)] for row in rows.tolist()])
        np.testing.assert_allclose(ranks, naive / naive.max(), atol=2e-3)


def test_keyword_passages_hold_the_word_that_brought_them(ships: KnowledgeBase) -> None:
    view = view_of(ships)
    ranking = rank_by_keywords(view, VECTOR, chunk_similarities(view, VECTOR), 1_000)
    assert set(ranking.rows.tolist()) == set(ranking.words)
    for row, word in ranking.words.items():
        [chunk] = ships.store.chunks([str(view.index.chunk_ids[row])])
        assert word in content_words(chunk.embedded_text)


def test_keyword_passages_are_ranked_by_similarity(ships: KnowledgeBase) -> None:
    view = view_of(ships)
    similarities = chunk_similarities(view, VECTOR)
    rows = rank_by_keywords(view, VECTOR, similarities, 1_000).rows
    assert np.all(np.diff(np.round(similarities[rows], 5)) <= 0)


def test_the_keyword_channel_gathers_twice_its_budget(ships: KnowledgeBase) -> None:
    view = view_of(ships)
    rows = rank_by_keywords(view, VECTOR, chunk_similarities(view, VECTOR), 20).rows
    tokens: IntArray = view.index.chunk_tokens[rows]
    assert tokens.sum() >= 40 > tokens.sum() - tokens.max()
    assert len(rank_by_keywords(view, VECTOR, chunk_similarities(view, VECTOR), 0).rows) == 0


def test_a_budget_takes_the_first_that_fit(ships: KnowledgeBase) -> None:
    rows = np.arange(5, dtype=np.int32)
    costs = np.cumsum(ships.index.chunk_tokens[rows] + 18)
    assert fill_budget(ships.index, rows, int(costs[2])).tolist() == [0, 1, 2]
    assert fill_budget(ships.index, rows, int(costs[2]) - 1).tolist() == [0, 1]
    assert fill_budget(ships.index, rows, 0, at_least=4).tolist() == [0, 1, 2, 3]


def test_equal_scores_are_ordered_by_row() -> None:
    scores = np.array([0.1, 0.5, 0.1000000001, 0.5], dtype=np.float32)
    assert ranked_rows(scores).tolist() == [1, 3, 0, 2]
    assert ranked_rows(scores, np.array([9, 8, 7, 6], dtype=np.int32)).tolist() == [6, 8, 7, 9]


def test_a_view_holds_one_generation(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("view")
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True) as kb:
        kb.publish()
        view = view_of(kb)
        assert view.index is kb.index
        assert view.lexicon is kb.lexicon
