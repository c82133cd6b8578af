"""The named metrics of a question: each one value with one definition (CONTRACT 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from hoptrail.eval import scoring
from hoptrail.eval.questions import Question


@dataclass(frozen=True, slots=True)
class Response:
    """What a system answered; `answers` best first, empty where it abstained."""

    answer: str = ""
    answers: tuple[str, ...] = ()
    abstained: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """What the metrics see of one question.

    `gold` is empty where the data has none, `ranking` holds distinct document ids. `context` is the
    rendered evidence at the budget, `context_retrieved` the same before compression and
    `context_random` the chance floor; `response` is None where only retrieval is measured.
    """

    question: Question
    gold: tuple[str, ...] = ()
    ranking: tuple[str, ...] = ()
    context: str = ""
    context_retrieved: str | None = None
    context_random: str | None = None
    response: Response | None = None


Score = Callable[[Observation], float | None]


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure per question; `score` gives None where the question says nothing about it."""

    name: str
    description: str
    score: Score


def measure(observation: Observation) -> dict[str, float | None]:
    """Return every metric's score of one question, by metric name."""
    return {metric.name: metric.score(observation) for metric in METRICS}


def _recall(k: int, seen: Observation) -> float | None:
    return scoring.recall_at(k, seen.ranking, seen.gold) if seen.gold else None


def _all_support(k: int, seen: Observation) -> float | None:
    return scoring.all_support_at(k, seen.ranking, seen.gold) if seen.gold else None


def _covered(context: str | None, question: Question) -> float | None:
    if context is None or question.is_yes_no or question.is_unanswerable:
        return None
    return scoring.covers(context, question.accepted)


def _accuracy(seen: Observation) -> float | None:
    if seen.response is None:
        return None
    if seen.response.abstained:
        return float(seen.question.is_unanswerable)
    return float(scoring.heuristic_match(seen.response.answer, seen.question.accepted))


def _answered(score: Callable[[Response, Question], float], seen: Observation) -> float | None:
    if seen.response is None or seen.question.is_unanswerable:
        return None
    return 0.0 if seen.response.abstained else score(seen.response, seen.question)


def _answer_metric(
    name: str, description: str, score: Callable[[Response, Question], float]
) -> Metric:
    return Metric(name, description, partial(_answered, score))


METRICS: tuple[Metric, ...] = (
    *(
        Metric(f"recall@{k}", f"gold documents in the first {k} / gold documents", score)
        for k, score in ((k, partial(_recall, k)) for k in (2, 5, 10))
    ),
    *(
        Metric(f"all_support@{k}", f"every gold document is in the first {k}", score)
        for k, score in ((k, partial(_all_support, k)) for k in (5, 8, 10))
    ),
    Metric(
        "coverage",
        "an accepted answer stands in the rendered evidence that an answerer is sent",
        lambda seen: _covered(seen.context, seen.question),
    ),
    Metric(
        "coverage_retrieved",
        "the same before compression",
        lambda seen: _covered(seen.context_retrieved, seen.question),
    ),
    Metric(
        "coverage_random",
        "the same with the budget filled by random passages",
        lambda seen: _covered(seen.context_random, seen.question),
    ),
    Metric(
        "accuracy",
        "the answer matches by its words; an unanswerable question asks for an abstention",
        _accuracy,
    ),
    _answer_metric("f1", "SQuAD F1", lambda got, q: scoring.token_f1(got.answer, q.accepted)),
    _answer_metric("em", "SQuAD EM", lambda got, q: scoring.exact_match(got.answer, q.accepted)),
    _answer_metric(
        "hits@1",
        "the first answer is in the gold set",
        lambda got, q: scoring.hit_at(1, got.answers, q.answers),
    ),
    _answer_metric(
        "hit",
        "any answer is in the gold set",
        lambda got, q: scoring.hit_at(len(got.answers), got.answers, q.answers),
    ),
    _answer_metric(
        "set_f1",
        "F1 of the set of answers and the gold set",
        lambda got, q: scoring.set_f1(got.answers, q.answers),
    ),
    Metric(
        "abstain_rate",
        "the system did not answer",
        lambda seen: None if seen.response is None else float(seen.response.abstained),
    ),
)
