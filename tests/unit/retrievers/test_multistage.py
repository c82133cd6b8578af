from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.types import Evidence, Relation
from hoptrail.retrievers.multistage import (
    edge_similarities,
    edge_string,
    factored_similarities,
)
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from tests.views import view_of


def predicates(evidence: Evidence) -> list[str]:
    return [hit.item.predicate for hit in evidence.relations]


QUESTION = "Who founded what built Morning Tern?"


def test_candidates_are_merged_without_repetition(bare_graph: KnowledgeBase) -> None:
    relations = make_retriever("multistage", bare_graph).retrieve(QUESTION).relations
    assert len({hit.item.id for hit in relations}) == len(relations) == 4


def test_the_edges_most_similar_to_the_question_are_kept(bare_graph: KnowledgeBase) -> None:
    whole = make_retriever("multistage", bare_graph).retrieve(QUESTION).relations
    kept = make_retriever("multistage", bare_graph, edges=2).retrieve(QUESTION).relations
    assert kept == whole[:2]
    assert [hit.score for hit in whole] == sorted((hit.score for hit in whole), reverse=True)


def test_only_the_best_candidates_count(bare_graph: KnowledgeBase) -> None:
    retriever = make_retriever("multistage", bare_graph, candidates=1, hops=3)
    names = {hit.item.predicate for hit in retriever.retrieve("Quay bread made of rye").relations}
    assert names == {"made of"}


@pytest.mark.parametrize(
    ("hops", "reached"),
    [
        (1, {"built at"}),
        (2, {"built at", "founded by"}),
        (3, {"built at", "founded by", "born in"}),
    ],
)
def test_a_candidate_reaches_so_many_hops_from_its_seed(
    bare_graph: KnowledgeBase, hops: int, reached: set[str]
) -> None:
    retriever = make_retriever("multistage", bare_graph, seeds=1, hops=hops)
    assert set(predicates(retriever.retrieve("Morning Tern"))) == reached


def test_an_entity_that_the_question_names_is_a_seed_beside_the_nearest(
    bare_graph: KnowledgeBase,
) -> None:
    retriever = make_retriever("multistage", bare_graph, seeds=1, hops=1)
    question = "Brackenholm Brackenholm Brackenholm Quay bread"
    assert set(predicates(retriever.retrieve(question))) == {"born in", "made of"}


def test_without_strings_edges_are_ranked_by_their_predicates(bare_graph: KnowledgeBase) -> None:
    question = "Morning Tern Alder Yard Edda Thorn: born in"
    by_predicate = make_retriever("multistage", bare_graph, strings=0).retrieve(question)
    by_string = make_retriever("multistage", bare_graph).retrieve(question)
    assert predicates(by_predicate)[0] == "born in"
    assert predicates(by_string)[0] == "founded by"


def test_the_ends_of_an_edge_score_no_less_than_the_edge(bare_graph: KnowledgeBase) -> None:
    evidence = make_retriever("multistage", bare_graph).retrieve(QUESTION)
    score_of = {hit.item.id: hit.score for hit in evidence.entities}
    assert evidence.relations
    for hit in evidence.relations:
        assert score_of[hit.item.source] >= hit.score
        assert score_of[hit.item.target] >= hit.score


def test_the_passages_behind_the_edges_come_first(ships: KnowledgeBase) -> None:
    chunks = (
        make_retriever("multistage", ships, k=2, budget=0)
        .retrieve("The Alder Yard was founded by Edda Thorn")
        .chunks
    )
    assert [hit.item.title for hit in chunks] == ["Alder Yard", "Edda Thorn"]


@pytest.mark.parametrize(
    ("subject", "predicate", "object_", "expected"),
    [
        ("Alder Yard", "founded_by", "Edda Thorn", "Alder Yard founded by Edda Thorn"),
        ("m.0abc", "film.performance.actor", "Edda Thorn", "film performance actor Edda Thorn"),
        ("Alder Yard", "owner", "", "Alder Yard owner"),
    ],
)
def test_ends_without_a_name_are_left_out(
    subject: str, predicate: str, object_: str, expected: str
) -> None:
    relation = Relation("r", "s", predicate, "t", subject=subject, object=object_)
    assert edge_string(relation) == expected


def test_edges_of_a_bare_graph_are_read_with_their_ends(bare_graph: KnowledgeBase) -> None:
    view = view_of(bare_graph)
    question = bare_graph.embed_query("Edda Thorn born in Brackenholm")
    rows = np.arange(len(view.index.relation_ids), dtype=np.int32)
    found = edge_similarities(bare_graph, view, question, rows)
    best = view.store.relations([str(view.index.relation_ids[found.argmax()])])[0]
    assert (best.subject, best.object) == ("Edda Thorn", "Brackenholm")
    assert found.max() == pytest.approx(1.0, abs=1e-5)


def test_relations_with_a_text_keep_their_vectors(ships: KnowledgeBase) -> None:
    view = view_of(ships)
    question = ships.embed_query("Who founded the Alder Yard?")
    rows = np.arange(len(view.index.relation_ids), dtype=np.int32)
    np.testing.assert_array_equal(
        edge_similarities(ships, view, question, rows),
        view.vectors["relation"].similarities_at(question, rows),
    )


def test_the_parts_of_an_edge_count_without_embedding_it(bare_graph: KnowledgeBase) -> None:
    view = view_of(bare_graph)
    question = bare_graph.embed_query("Quay bread")
    rows = np.arange(len(view.index.relation_ids), dtype=np.int32)
    best = factored_similarities(view, question, rows).argmax()
    assert view.store.relations([str(view.index.relation_ids[best])])[0].predicate == "made of"
