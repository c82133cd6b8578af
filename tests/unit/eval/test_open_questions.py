"""Questions about a whole corpus have no gold answer: nothing is scored against one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.eval.metrics.registry import ANSWER_METRICS, Observation, is_unresolved, measure
from hoptrail.eval.questions.question import Question
from hoptrail.eval.questions.reader import load_questions
from hoptrail.eval.systems.system import Response, RetrievedGraph, nearest_node
from hoptrail.stores.knowledge_base import KnowledgeBase

OPEN = Question("g", "How do rivers shape towns?", (), line=1, type="global")
ANSWER = Response("They bring trade.", ("They bring trade.",))
ROW = {"id": "g", "question": "How do rivers shape towns?", "persona": "teacher", "task": "Survey."}


def test_a_global_question_is_read_without_an_answer(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(json.dumps({**ROW, "type": "global"}))
    (question,) = load_questions(tmp_path / "q.jsonl")
    assert (question.type, question.answers, question.is_open) == ("global", (), True)
    assert not question.is_unanswerable


def test_any_other_question_needs_one(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(json.dumps({**ROW, "type": "bridge"}))
    with pytest.raises(InputError, match="the answer is missing"):
        load_questions(tmp_path / "q.jsonl")


def test_no_answer_is_right_or_wrong() -> None:
    scores = measure(Observation(OPEN, context="trade", context_random="trade", response=ANSWER))
    compared = {metric.name for metric in ANSWER_METRICS} - {"abstain_rate"}
    assert {scores[name] for name in compared} == {None}
    assert (scores["coverage"], scores["coverage_random"]) == (None, None)
    assert scores["abstain_rate"] == 0
    assert not is_unresolved(ANSWER, OPEN)


def test_no_node_is_near_an_answer(kb: KnowledgeBase) -> None:
    assert nearest_node(OPEN, RetrievedGraph({"seine": "Seine"}), kb) is None
