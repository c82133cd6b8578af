from __future__ import annotations

import numpy as np

from hoptrail.core.types import Plan
from hoptrail.models.graph_scorers import EdgeScorer
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.edge_ranking import (
    EdgeTopics,
    answer_features,
    known_scorer,
    mask_spans,
    name_spans,
    rank_by_walks,
    topic_features,
)
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


def topics_of(kb: KnowledgeBase, question: str, plan: Plan | None = None) -> EdgeTopics:
    query = Query(question, kb.embed_query(question), plan or Plan())
    return EdgeTopics.of(query, view_of(kb), nearest=2)


def names_of(kb: KnowledgeBase, rows: np.ndarray) -> set[str]:
    ids = [str(id_) for id_ in kb.index.entity_ids[rows]]
    return {entity.name for entity in kb.store.entities(ids)}


def test_named_entities_are_topics_in_any_case(bare_graph: KnowledgeBase) -> None:
    topics = topics_of(bare_graph, "who founded alder yard")
    assert names_of(bare_graph, topics.named) == {"Alder Yard"}
    assert topics.masked == "who founded X"


def test_of_two_names_of_one_entity_the_same_is_masked_each_time(
    bare_graph: KnowledgeBase,
) -> None:
    topics = topics_of(bare_graph, "who founded the alder yard")
    assert topics.masked == "who founded X"


def test_the_nearest_entities_are_topics_too(bare_graph: KnowledgeBase) -> None:
    topics = topics_of(bare_graph, "where was thorn born")
    assert len(topics.named) == 0
    assert "Edda Thorn" in names_of(bare_graph, topics.rows)


def test_entities_of_the_plan_count_as_named(bare_graph: KnowledgeBase) -> None:
    topics = topics_of(bare_graph, "who founded it", Plan(entities=("Alder Yard",)))
    assert names_of(bare_graph, topics.named) == {"Alder Yard"}
    assert topics.masked == "who founded it"


def test_stop_words_name_nothing() -> None:
    assert "who" not in name_spans("who did it")


def test_of_names_that_overlap_the_longest_is_masked() -> None:
    question = "who is the governor of oregon"
    assert mask_spans(question, [(11, 29), (23, 29)]) == "who is the X"


def test_a_name_inside_a_longer_one_is_known_as_such() -> None:
    question = "who is the governor of oregon"
    spans = [(11, 29), (23, 29), None]
    features = topic_features(
        question, ["governor of oregon", "oregon", "texas"], spans, np.zeros(3, dtype=np.float32)
    )
    assert features[:, 0].tolist() == [1, 1, 0]
    assert features[:, 1].tolist() == [0, 1, 0]
    assert features[:, 8].tolist() == [0, 1, 0]


def test_a_misspelled_name_shares_letters_with_the_question() -> None:
    names, spans = ["draco malfoy", "harry potter"], [None, None]
    features = topic_features(
        "who did draco malloy marry", names, spans, np.zeros(2, dtype=np.float32)
    )
    assert features[0, 4] > 0.6 > features[1, 4]
