from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.types import Plan
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.dotrag import DotRetriever
from hoptrail.retrievers.dotrag_workspace import Dot, Judged, SimilarityJudge
from hoptrail.retrievers.paths import FoundPath
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from tests.views import view_of

QUESTION = "Who was born where, of those who founded what built Morning Tern?"


def dot_retriever(kb: KnowledgeBase, **parameters: Any) -> DotRetriever:
    retriever = make_retriever("dot", kb, **parameters)
    assert isinstance(retriever, DotRetriever)
    return retriever


def opened(retriever: DotRetriever, question: str) -> Dot:
    """Return the workspace around what a question names."""
    names = retriever.names_in(question)
    anchors = [id_ for name in names for id_ in retriever.anchors_of(name)]
    return retriever.neighbourhood_of(question, anchors)


def test_every_path_starts_at_an_anchor_and_knows_its_verdict(bare_graph: KnowledgeBase) -> None:
    evidence = dot_retriever(bare_graph).retrieve(QUESTION)
    assert evidence.paths
    for hit in evidence.paths:
        [start] = bare_graph.store.entities(hit.provenance)
        assert start.name == "Morning Tern"
        assert hit.item.relations[0].subject == "Morning Tern"
        assert hit.item.verdict in {"complete", "partial"}


def test_the_stages_give_the_same_paths_to_a_caller(bare_graph: KnowledgeBase) -> None:
    retriever = dot_retriever(
        bare_graph, rounds=1, judge=SimilarityJudge(complete=2.0, partial=-1.0)
    )
    dot = opened(retriever, QUESTION)
    paths = retriever.search_round(dot, [QUESTION])
    anchors = [str(dot.view.index.entity_ids[row]) for row in dot.anchors]
    evidence = retriever.evidence_of(QUESTION, anchors, paths)
    alone = retriever.retrieve(QUESTION)
    assert alone.paths
    assert {hit.item.relations for hit in alone.paths} == {
        hit.item.relations for hit in evidence.paths
    }
    assert {hit.item.id for hit in evidence.entities} == {hit.item.id for hit in alone.entities}


def test_what_was_judged_is_not_searched_again(bare_graph: KnowledgeBase) -> None:
    retriever = dot_retriever(bare_graph)
    dot = opened(retriever, QUESTION)
    first = retriever.search_round(dot, [QUESTION])
    ends = [hit.item.relations[-1].target for hit in first]
    assert ends
    assert retriever.search_round(dot, [QUESTION], ends, partial=()) == ()


def test_a_plan_names_anchors_and_topics(bare_graph: KnowledgeBase) -> None:
    retriever = dot_retriever(bare_graph, topics=1)
    plan = Plan(entities=("Brackenholm",), keywords=("rye",))
    found = retriever.retrieve("where?", plan).entities
    assert {"Brackenholm", "rye"} <= {hit.item.name for hit in found if hit.hop == 0}


class Refusing:
    def judge(self, view: View, paths: Sequence[FoundPath], question: FloatArray) -> Judged:
        refused = [FoundPath(p.entities, p.relations, 0.0, "irrelevant") for p in paths]
        return Judged(tuple(refused), (question,))


def test_irrelevant_paths_are_dropped_and_anchors_are_left(bare_graph: KnowledgeBase) -> None:
    evidence = dot_retriever(bare_graph, judge=Refusing()).retrieve(QUESTION)
    assert not evidence.paths
    assert not evidence.relations
    assert evidence.entities


def test_the_judge_asks_on_from_the_ends_of_partial_paths(bare_graph: KnowledgeBase) -> None:
    view = view_of(bare_graph)
    question = bare_graph.embed_query("Alder Yard founded by Edda Thorn")
    row = next(
        row
        for row, hit in enumerate(
            bare_graph.store.relations([str(i) for i in view.index.relation_ids])
        )
        if hit.predicate == "founded by"
    )
    ends = int(view.index.relation_source[row]), int(view.index.relation_target[row])
    path = FoundPath(ends, (row,))
    judged = SimilarityJudge(complete=1.1).judge(view, [path], question)
    assert judged.paths[0].verdict == "partial"
    np.testing.assert_allclose(np.linalg.norm(judged.queries[0]), 1.0, atol=1e-5)
    assert SimilarityJudge(complete=0.5).judge(view, [path], question).queries == ()


def test_a_name_stands_for_its_own_entity_and_a_topic_for_the_nearest(
    bare_graph: KnowledgeBase,
) -> None:
    retriever = dot_retriever(bare_graph, topics=2)
    [named] = bare_graph.store.entities(retriever.anchors_of("morning tern"))
    assert named.name == "Morning Tern"
    assert len(retriever.anchors_of("Alder Yard", is_topic=True)) == 2
    assert retriever.anchors_of("zzz") == ()


def test_entities_of_other_types_are_left_out_of_the_workspace(bare_graph: KnowledgeBase) -> None:
    retriever = dot_retriever(bare_graph)
    anchors = retriever.anchors_of("Morning Tern")
    whole = retriever.neighbourhood_of(QUESTION, anchors)
    ids = [str(whole.view.index.entity_ids[row]) for row in whole.region.entities]
    typed = {entity.type for entity in bare_graph.store.entities(ids)} - {""}
    narrow = retriever.neighbourhood_of(QUESTION, anchors, ["no such type"])
    assert typed
    assert len(narrow.region.entities) < len(whole.region.entities)
    assert set(narrow.anchors) == set(whole.anchors)


def test_a_partial_path_is_led_one_relation_further(bare_graph: KnowledgeBase) -> None:
    retriever = dot_retriever(bare_graph, top=1, hops=3)
    dot = opened(retriever, "Who founded what built the Morning Tern?")
    [first] = (hit for hit in retriever.search_round(dot, ["zzz"]) if hit.hop == 1)
    seen = [str(dot.view.index.entity_ids[row]) for row in dot.region.entities]
    [onward] = retriever.search_round(dot, ["zzz"], seen, partial=[first])
    assert [relation.predicate for relation in onward.item.relations] == ["built at", "founded by"]


def test_a_name_in_the_question_wins_over_its_own_parts(bare_graph: KnowledgeBase) -> None:
    retriever = dot_retriever(bare_graph)
    question = "Who founded Alder Yard?"
    assert retriever.anchors_of("Yard", question=question) == retriever.anchors_of("Alder Yard")


def test_the_names_that_a_question_spells_are_found(bare_graph: KnowledgeBase) -> None:
    retriever = dot_retriever(bare_graph)
    assert retriever.names_in("is rye in Quay bread or on Morning Tern?") == [
        "Morning Tern",
        "Quay bread",
    ]
    assert retriever.names_in("what is made of rye?") == ["rye"]


def test_a_workspace_is_opened_once_for_all_rounds(bare_graph: KnowledgeBase) -> None:
    anchors = dot_retriever(bare_graph).anchors_of("Morning Tern")
    first = dot_retriever(bare_graph).neighbourhood_of(QUESTION, anchors)
    assert dot_retriever(bare_graph).neighbourhood_of(QUESTION, anchors) is first
    assert dot_retriever(bare_graph, hops=1).neighbourhood_of(QUESTION, anchors) is not first
