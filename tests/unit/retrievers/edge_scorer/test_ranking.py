from __future__ import annotations

import numpy as np

from hoptrail.core.types import Plan
from hoptrail.models.edge_scorer import EdgeScorer
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.edge_scorer.ranking import answer_features, known_scorer, rank_by_walks
from hoptrail.stores.knowledge_base import KnowledgeBase
from tests.views import view_of

DIM, HOPS = 64, 3


def similarity_scorer(predicate: float = 10.0) -> EdgeScorer:
    """Return a scorer of named topics and of predicates by their similarity; long walks are bad."""
    hidden = np.zeros((1, 10), dtype=np.float32)
    hidden[0, 0] = 1
    return EdgeScorer(
        question=np.zeros((HOPS, 2, 1, DIM), dtype=np.float16),
        predicate=np.zeros((1, DIM), dtype=np.float16),
        length=np.zeros((HOPS, DIM), dtype=np.float16),
        bias=np.zeros((HOPS, 2), dtype=np.float32),
        length_bias=-np.arange(HOPS, dtype=np.float32),
        similarity=np.array(predicate, dtype=np.float32),
        topic_hidden=hidden,
        topic_out=np.full(1, 20, dtype=np.float32),
        node=np.zeros(4, dtype=np.float32),
        embedder=np.array("hashing-64"),
    )


def predicates(kb: KnowledgeBase, question: str, most: int) -> list[str]:
    query = Query(question, kb.embed_query(question), Plan())
    view = view_of(kb)
    found = rank_by_walks(kb, query, view, similarity_scorer(), most=most, seeds=2)
    ids = [str(id_) for id_ in view.index.relation_ids[found.rows]]
    return [relation.predicate for relation in kb.store.relations(ids)]


def test_a_relation_brings_along_the_walk_that_leads_to_it(bare_graph: KnowledgeBase) -> None:
    question = "born in which town was the maker of Morning Tern"
    assert predicates(bare_graph, question, 3) == ["built at", "founded by", "born in"]


def test_no_more_relations_than_asked_for(bare_graph: KnowledgeBase) -> None:
    assert len(predicates(bare_graph, "what is around Alder Yard", 2)) == 2


def test_nothing_is_found_in_an_empty_base(empty: KnowledgeBase) -> None:
    assert predicates(empty, "what is around Alder Yard", 2) == []


def test_the_shipped_scorer_judges_only_vectors_that_it_knows(bare_graph: KnowledgeBase) -> None:
    assert known_scorer(bare_graph, view_of(bare_graph)) is None


def test_answers_are_described_by_name_and_place_in_the_question() -> None:
    names = np.array([[1, 0], [0, 0], [0, 1]], dtype=np.float32)
    question = np.array([1, 0], dtype=np.float32)
    features = answer_features(question, names, np.array([0]), np.array([0, 2]))
    assert features.tolist() == [[1, 0, 1, 1], [0, 1, 0, 0], [0, 0, 0, 1]]
