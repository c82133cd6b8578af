from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.core.types import Plan
from hoptrail.retrievers.registry import make_retriever
from hoptrail.retrievers.setwise import Selection
from hoptrail.retrievers.setwise_candidates import Candidates, Sign
from hoptrail.stores.knowledge_base import KnowledgeBase

QUESTION = "Where was the founder of the yard that built the Morning Tern born?"

_COMMON, _RARE = 0, 1


def test_a_passage_names_the_entity_that_links_it_with_one_before_it(ships: KnowledgeBase) -> None:
    evidence = make_retriever("setwise", ships).retrieve(QUESTION)
    names = {hit.item.id: hit.item.name for hit in evidence.entities}
    link_of = {hit.item.title: hit.provenance for hit in evidence.chunks}
    assert link_of["Morning Tern"] == ()
    assert [names[id_] for id_ in link_of["Edda Thorn"]] == ["Edda Thorn"]


def test_more_passages_wanted_leave_the_first_ones_as_they_are(ships: KnowledgeBase) -> None:
    few = make_retriever("setwise", ships, k=3).retrieve(QUESTION)
    many = make_retriever("setwise", ships, k=9).retrieve(QUESTION)
    assert [hit.item.id for hit in many.chunks[:3]] == [hit.item.id for hit in few.chunks[:3]]
    assert len(many.chunks) == 9


def test_scores_fall_with_the_place(ships: KnowledgeBase) -> None:
    scores = [hit.score for hit in make_retriever("setwise", ships).retrieve(QUESTION).chunks]
    assert scores[0] == 1.0
    assert scores == sorted(set(scores), reverse=True)


def test_named_entities_are_at_hop_zero(ships: KnowledgeBase) -> None:
    evidence = make_retriever("setwise", ships).retrieve(QUESTION)
    assert {hit.item.name for hit in evidence.entities if hit.hop == 0} == {"Morning Tern"}


def test_a_name_of_the_plan_is_a_start(ships: KnowledgeBase) -> None:
    plan = Plan(entities=("Quay bread",))
    evidence = make_retriever("setwise", ships).retrieve("what is it made of?", plan)
    assert {hit.item.name for hit in evidence.entities if hit.hop == 0} == {"Quay bread"}


def test_a_bare_graph_gives_entities_and_relations(bare_graph: KnowledgeBase) -> None:
    retriever = make_retriever("setwise", bare_graph)
    evidence = retriever.retrieve("Who founded what built Morning Tern?")
    assert not evidence.chunks
    assert evidence.entities[0].item.name in {"Morning Tern", "Alder Yard"}
    assert len(evidence.relations) >= 2


def test_the_budget_is_filled_by_turns_with_what_is_nearest(ships: KnowledgeBase) -> None:
    found = make_retriever("setwise", ships, k=2, budget=12_000).retrieve(QUESTION).chunks
    assert len({hit.item.id for hit in found}) == len(found)
    dense = make_retriever("vector", ships, k=9).retrieve(QUESTION).chunks
    chosen = [hit.item.id for hit in found[:2]]
    nearest = next(hit.item.id for hit in dense if hit.item.id not in chosen)
    assert nearest in {hit.item.id for hit in found[2:4]}


@pytest.fixture
def candidates() -> Candidates:
    """Passages 0 and 2 mention a rare entity, by which 2 is titled; 0 and 1 a common one."""
    has_word = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=np.float32)
    return Candidates(
        rows=np.array([7, 3, 9, 4], dtype=np.int32),
        chunks={},
        features=np.zeros((4, 6), dtype=np.float32),
        has_word=has_word,
        word_weights=np.array([0.5, 0.25, 0.25], dtype=np.float32),
        mention_of=np.array([0, 0, 1, 2], dtype=np.int32),
        mentioned=np.array([_COMMON, _RARE, _COMMON, _RARE], dtype=np.int32),
        entities=np.array([40, 50], dtype=np.int32),
        entity_passages=np.array([100, 4], dtype=np.int32),
        title_entity=np.array([-1, -1, _RARE, -1], dtype=np.int32),
    )


def column(selection: Selection, sign: Sign) -> FloatArray:
    values: FloatArray = selection.features()[:, sign]
    return values


def test_all_words_are_new_until_a_passage_is_chosen(candidates: Candidates) -> None:
    selection = Selection(candidates)
    assert column(selection, Sign.NEW_WORDS).tolist() == [0.75, 0.75, 0.25, 0.0]
    selection.add(0)
    assert column(selection, Sign.NEW_WORDS).tolist() == [0.0, 0.0, 0.25, 0.0]


def test_a_shared_entity_counts_the_more_the_rarer_it_is(candidates: Candidates) -> None:
    selection = Selection(candidates)
    assert not column(selection, Sign.SHARED_ENTITY).any()
    selection.add(0)
    assert column(selection, Sign.SHARED_ENTITY)[1:].tolist() == pytest.approx([0.1, 0.5, 0.0])


def test_a_passage_titled_by_what_a_chosen_one_mentions_is_told(candidates: Candidates) -> None:
    selection = Selection(candidates)
    selection.add(0)
    titled = column(selection, Sign.TITLED_BY_MENTIONED)
    assert titled.tolist() == pytest.approx([0.0, 0.0, np.sqrt(0.5), 0.0])


def test_the_passage_that_adds_words_and_is_linked_comes_before_its_like(
    candidates: Candidates,
) -> None:
    selection = Selection(candidates)
    selection.choose(2)
    assert selection.places == [0, 2]
    assert selection.links == [None, 50]
    assert selection.rest() == [1, 3]


def test_no_more_are_chosen_than_there_are(candidates: Candidates) -> None:
    selection = Selection(candidates)
    selection.choose(10)
    assert sorted(selection.places) == [0, 1, 2, 3]
    assert selection.rest() == []
