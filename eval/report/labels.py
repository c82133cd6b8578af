"""Labels and descriptions of the figures on a page."""

from __future__ import annotations

from collections.abc import Iterable

from hoptrail.eval.metrics.registry import METRICS

MAIN_METRICS = (
    "accuracy",
    "f1",
    "em",
    "hits@1",
    "set_f1",
    "coverage",
    "recall@2",
    "recall@5",
    "recall@10",
    "all_support@10",
)
"""The shares between 0 and 1 that the chart shows, where a run measures them."""

HEAT_METRICS = ("accuracy", "f1", "coverage", "recall@5", "all_support@10")
"""The shares that stand for each kind of question."""

KEY_FIGURES = (
    "accuracy",
    "f1",
    "hits@1",
    "recall@5",
    "all_support@10",
    "coverage",
    "abstain_rate",
    "supported_share",
    "llm_calls_mean",
    "tokens_mean",
    "seconds_p50",
    "usd_mean",
)
"""The figures that a reader looks for first, in that order."""

_LABELS = {
    "n": "questions",
    "n_failed": "failed",
    "f1": "F1",
    "em": "exact match",
    "f1_covered": "F1, covered",
    "em_covered": "exact match, covered",
    "accuracy_covered": "accuracy, covered",
    "node_f1": "node F1",
    "nodes_mean": "nodes",
    "n_unjudged": "unjudged",
    "hits@1": "Hits@1",
    "set_f1": "set F1",
    "unanswerable_f1": "unanswerable F1",
    "llm_calls": "model calls",
    "llm_calls_mean": "model calls",
    "tokens_mean": "tokens",
    "seconds_p50": "seconds",
    "seconds_p95": "seconds, slowest 5 %",
    "usd": "dollars",
    "usd_mean": "dollars",
}

_DESCRIPTIONS = {
    **{metric.name: metric.description for metric in METRICS},
    "n": "questions of the run",
    "n_failed": "questions on which the run broke, or whose gold documents are not indexed",
    "n_unjudged": "answers that a judge was asked about and could not tell",
    "unanswerable_f1": "F1 of abstaining as a detector of unanswerable questions",
    "reasoning_share": "wrong although the answer stood in the evidence / wrong",
    "right plain": "answers that are right, given plainly / questions",
    "right perhaps": "answers that are right, given with reserve / questions",
    "wrong plain": "answers that are wrong, given plainly / questions",
    "wrong perhaps": "answers that are wrong, given with reserve / questions",
    "abstained": "questions without an answer, those that have none included / questions",
    "supported_share": "hops of a trail whose claim the evidence supports / hops shown",
    "llm_calls": "model calls per question",
    "llm_calls_mean": "model calls per question",
    "tokens": "tokens that models read and wrote per question",
    "tokens_mean": "tokens that models read and wrote per question",
    "seconds": "seconds per question",
    "seconds_p50": "half of the questions took no longer",
    "seconds_p95": "95 % of the questions took no longer",
    "usd": "dollars per question",
    "usd_mean": "dollars per question",
}


def main_first(names: Iterable[str]) -> list[str]:
    """Return the names with the main metrics in front, in their order."""
    given = list(names)
    main = [name for name in MAIN_METRICS if name in given]
    return [*main, *(name for name in given if name not in main)]


def label(name: str) -> str:
    """Return what a figure is called, such as `all support@10`."""
    return _LABELS.get(name, name.replace("_", " "))


def description(name: str) -> str:
    """Return what a figure means in a few words, nothing if that is not known."""
    return _DESCRIPTIONS.get(name, "")
