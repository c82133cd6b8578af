"""The soft match of nodes and answers."""

from __future__ import annotations

import pytest

from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.nearest_node import nearest_node
from hoptrail.eval.systems.retrieved_graph import RetrievedGraph
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder

QUESTION = Question("q", "Which river?", (("River Seine", "Seine"),), line=1)


def make_graph(*names: str) -> RetrievedGraph:
    return RetrievedGraph({name.casefold(): name for name in names})


def test_a_node_of_an_answers_name_is_at_cosine_one(kb: KnowledgeBase) -> None:
    assert nearest_node(QUESTION, make_graph("Rome", "Seine"), kb) == 1


def test_else_it_is_the_nearest_pair_of_node_and_accepted_form(kb: KnowledgeBase) -> None:
    node, form = HashingEmbedder().embed(["Seine River Museum", "River Seine"])
    found = nearest_node(QUESTION, make_graph("Rome", "Seine River Museum"), kb)
    assert found == pytest.approx(float(node @ form), abs=1e-3)


@pytest.mark.parametrize("answer", ["yes", "Insufficient information"])
def test_there_is_none_for_answers_that_are_no_names(kb: KnowledgeBase, answer: str) -> None:
    question = Question("q", "Is it?", ((answer,),), line=1)
    assert nearest_node(question, make_graph("Rome"), kb) is None


def test_there_is_none_without_nodes(kb: KnowledgeBase) -> None:
    assert nearest_node(QUESTION, make_graph(), kb) is None
    assert nearest_node(QUESTION, None, kb) is None
