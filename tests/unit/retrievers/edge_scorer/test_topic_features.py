from __future__ import annotations

import numpy as np

from hoptrail.core.types import Plan
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.edge_scorer.topic_features import (
    EdgeTopics,
    mask_spans,
    name_spans,
    topic_features,
)
from hoptrail.stores.knowledge_base import KnowledgeBase
from tests.views import view_of


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
