"""Which question says something about which metric."""

from __future__ import annotations

from hoptrail.eval.metrics import METRICS, Observation, Response, measure
from hoptrail.eval.questions import Question

QUESTION = Question("q", "Where?", (("Paris",),), line=1)
YES = Question("q", "Is it?", (("yes",),), line=1)
NULL = Question("q", "Where?", (("Insufficient information",),), line=1, type="Null")
PARIS = Response("Paris", ("Paris",))
SILENT = Response("I don't know: nothing bears on it.", (), abstained=True)


def test_every_metric_has_its_own_name() -> None:
    assert len({metric.name for metric in METRICS}) == len(METRICS)


def test_a_retriever_has_no_answer_scores() -> None:
    scores = measure(Observation(QUESTION, ("d1",), ("d2", "d1"), "in Paris"))
    assert (scores["recall@2"], scores["all_support@5"], scores["coverage"]) == (1, 1, 1)
    assert [name for name, score in scores.items() if score is None] == [
        "coverage_retrieved",
        "coverage_random",
        "accuracy",
        "f1",
        "em",
        "hits@1",
        "hit",
        "set_f1",
        "abstain_rate",
    ]


def test_without_gold_documents_there_is_no_recall() -> None:
    assert measure(Observation(QUESTION, ranking=("d1",)))["recall@5"] is None


def test_yes_no_and_unanswerable_questions_have_no_coverage() -> None:
    assert measure(Observation(YES, context="yes"))["coverage"] is None
    assert measure(Observation(NULL, context="Insufficient information"))["coverage"] is None


def test_the_three_coverages_look_at_their_own_context() -> None:
    scores = measure(
        Observation(QUESTION, context="", context_retrieved="Paris", context_random="Rome")
    )
    names = ("coverage", "coverage_retrieved", "coverage_random")
    assert [scores[name] for name in names] == [0, 1, 0]


def test_a_right_answer_scores_everywhere() -> None:
    scores = measure(Observation(QUESTION, response=PARIS))
    names = ("accuracy", "f1", "em", "hits@1", "hit", "set_f1")
    assert [scores[name] for name in names] == [1] * 6
    assert scores["abstain_rate"] == 0


def test_an_unanswered_question_scores_zero_everywhere() -> None:
    scores = measure(Observation(QUESTION, response=SILENT))
    names = ("accuracy", "f1", "em", "hits@1", "hit", "set_f1")
    assert [scores[name] for name in names] == [0] * 6
    assert scores["abstain_rate"] == 1


def test_an_unanswerable_question_asks_for_an_abstention() -> None:
    assert measure(Observation(NULL, response=SILENT))["accuracy"] == 1
    assert measure(Observation(NULL, response=PARIS))["accuracy"] == 0
    assert measure(Observation(NULL, response=PARIS))["f1"] is None
