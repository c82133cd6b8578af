"""Scores of what a graph language model answers."""

from __future__ import annotations

import pytest

from hoptrail.eval.graph_llm.evaluation import GraphAnswerScore
from hoptrail.eval.questions.question import Question
from hoptrail.models.graph_llm.example import GraphExample, reply_answers
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.training.predictions import Prediction

QUESTION = Question("q", "Which towns?", (("Oslo", "Christiania"), ("Bergen",)), line=1)


def predicted(reply: str) -> Prediction:
    example = GraphExample(QUESTION.id, QUESTION.text, QUESTION.accepted, GraphInput())
    return Prediction(example, reply, reply_answers(reply))


def test_the_forms_of_an_answer_count_as_one() -> None:
    scores = GraphAnswerScore([QUESTION]).of(predicted("christiania; Voss"))
    assert scores == {"hits@1": 1.0, "hit": 1.0, "set_f1": pytest.approx(0.5)}


def test_a_later_answer_is_a_hit_but_not_the_first() -> None:
    scores = GraphAnswerScore([QUESTION]).of(predicted("Voss; Bergen"))
    assert (scores["hits@1"], scores["hit"]) == (0.0, 1.0)


def test_no_answer_scores_nothing() -> None:
    scores = GraphAnswerScore([QUESTION]).of(predicted(""))
    assert scores == {"hits@1": 0.0, "hit": 0.0, "set_f1": 0.0}


def test_scores_are_means_over_questions() -> None:
    means = GraphAnswerScore([QUESTION])([predicted("Oslo; Bergen"), predicted("Voss")])
    assert means == {"hits@1": 0.5, "hit": 0.5, "set_f1": 0.5}
