"""Metrics of the answers; an unanswered question scores 0."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hoptrail.eval.metrics import answer_scores as scoring
from hoptrail.eval.metrics.metric import Metric, Score
from hoptrail.eval.metrics.retrieval_metrics import is_covered
from hoptrail.eval.metrics.same_value import same_value
from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.observation import Observation, Response


def is_unresolved(response: Response | None, question: Question) -> bool:
    """Return whether an answer's words do not settle that it is right, so that a judge may."""
    if response is None or response.abstained or question.is_unanswerable or question.is_open:
        return False
    return not scoring.heuristic_match(response.answer, question.accepted)


def _accuracy(seen: Observation) -> float | None:
    if seen.response is None or seen.question.is_open:
        return None
    if seen.response.abstained:
        return float(seen.question.is_unanswerable)
    matches = scoring.heuristic_match(seen.response.answer, seen.question.accepted)
    return float(matches or bool(seen.judged))


def _answered(score: Callable[[Response, Question], float], seen: Observation) -> float | None:
    if seen.response is None or seen.question.is_unanswerable or seen.question.is_open:
        return None
    return 0.0 if seen.response.abstained else score(seen.response, seen.question)


def _accuracy_by_value(seen: Observation) -> float | None:
    accuracy = _accuracy(seen)
    return accuracy if accuracy is None or accuracy == 1 else max(accuracy, _by_value(seen) or 0.0)


def _where_covered(score: Score, seen: Observation) -> float | None:
    return score(seen) if is_covered(seen) else None


_f1 = partial(_answered, lambda got, question: scoring.token_f1(got.answer, question.accepted))
_em = partial(_answered, lambda got, question: scoring.exact_match(got.answer, question.accepted))
_by_value = partial(
    _answered,
    lambda got, question: float(same_value(got.answer, question.answers, question.text)),
)

ANSWER_METRICS = (
    Metric(
        "accuracy",
        "the answer matches by its words, else by a judge; an unanswerable question asks for an "
        "abstention",
        _accuracy,
    ),
    Metric(
        "accuracy_by_value",
        "accuracy, and where that is 0 the answer has the gold answers' value",
        _accuracy_by_value,
    ),
    Metric("f1", "SQuAD F1", _f1),
    Metric("em", "SQuAD EM", _em),
    Metric(
        "em_by_value",
        "the answer has the gold answers' value: numbers and dates however written, lists in any "
        "order",
        _by_value,
    ),
    Metric("accuracy_covered", "accuracy where coverage is 1", partial(_where_covered, _accuracy)),
    Metric("f1_covered", "SQuAD F1 where coverage is 1", partial(_where_covered, _f1)),
    Metric("em_covered", "SQuAD EM where coverage is 1", partial(_where_covered, _em)),
    Metric(
        "hits@1",
        "the first answer is in the gold set",
        partial(_answered, lambda got, question: scoring.hit_at(1, got.answers, question.answers)),
    ),
    Metric(
        "hit",
        "any answer is in the gold set",
        partial(
            _answered,
            lambda got, question: scoring.hit_at(len(got.answers), got.answers, question.answers),
        ),
    ),
    Metric(
        "set_f1",
        "F1 of the set of answers and the gold set",
        partial(_answered, lambda got, question: scoring.set_f1(got.answers, question.answers)),
    ),
    Metric(
        "abstain_rate",
        "the system did not answer",
        lambda seen: None if seen.response is None else float(seen.response.abstained),
    ),
)
