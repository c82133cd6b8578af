"""Names of the figures and outcomes on a page, and how they are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hoptrail.core.text import dollars
from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.summary import ErrorClass, classify
from hoptrail.eval.metrics.registry import METRICS
from hoptrail.eval.run_folder import MISSING_GOLD

ABSENT = "–"

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


def figure(value: float | None, name: str = "") -> str:
    """Return a figure with as many digits as it bears, a dash for None.

    Args:
        value: The figure.
        name: The metric that it belongs to, which decides on its unit.
    """
    if value is None:
        return ABSENT
    if name.startswith("usd"):
        return dollars(value)
    if name.startswith("seconds"):
        return f"{value:.3f} s" if value < 1 else f"{value:.1f} s"
    if isinstance(value, int) or (abs(value) >= 100 and name.startswith("tokens")):
        return f"{value:,.0f}"
    if name.startswith(("llm_calls", "tokens", "nodes")):
        return f"{value:.1f}"
    return f"{value:.3f}"


def signed(value: float, name: str = "") -> str:
    """Return a difference with its sign, a true minus for a negative one."""
    text = figure(abs(value), name)
    if not any(digit in "123456789" for digit in text):
        return "±0"
    return f"+{text}" if value > 0 else f"\N{MINUS SIGN}{text}"


def interval(bounds: Sequence[float] | None, name: str = "") -> str:
    """Return an interval as `low to high`, nothing for None."""
    return f"{figure(bounds[0], name)} to {figure(bounds[1], name)}" if bounds else ""


def figure_with_interval(value: float, bounds: Sequence[float] | None) -> str:
    """Return a figure followed by its interval in parentheses, where it has one."""
    return f"{figure(value)} ({interval(bounds)})" if bounds else figure(value)


def p_value(p: float) -> str:
    """Return a p-value the way papers print it."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


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


@dataclass(frozen=True, slots=True)
class OutcomeClass:
    """A class of questions; `key` is its style class, `is_good` whether nothing went wrong."""

    key: str
    label: str
    description: str
    is_good: bool = False


CORRECT = OutcomeClass("correct", "correct", "the answer is right", is_good=True)
ABSTAINED = OutcomeClass("abstained", "abstained", "no answer was given to an answerable question")
RETRIEVAL = OutcomeClass(
    "retrieval", "retrieval failure", "wrong, and the answer was not in evidence"
)
REASONING = OutcomeClass(
    "reasoning", "reasoning failure", "wrong, though the answer was in evidence"
)
WRONG = OutcomeClass("wrong", "wrong", "wrong, where coverage says nothing (yes/no, unanswerable)")
CRASHED = OutcomeClass("crashed", "failed", "the run broke on this question")
COMPLETE = OutcomeClass(
    "complete", "support complete", "every gold document is among the first 10", is_good=True
)
COVERED = OutcomeClass(
    "covered", "answer covered", "gold documents are missing, yet the answer stands in the evidence"
)
MISSED = OutcomeClass("missed", "missed", "gold documents are missing, and so is the answer")
UNSCORED = OutcomeClass("unscored", "not scored", "the data says nothing about this question")

_BY_CLASS: dict[ErrorClass, OutcomeClass] = {
    "correct": CORRECT,
    "abstained": ABSTAINED,
    "retrieval_failure": RETRIEVAL,
    "reasoning_failure": REASONING,
    "undecided": WRONG,
}

OUTCOMES = (
    CORRECT,
    COMPLETE,
    COVERED,
    ABSTAINED,
    RETRIEVAL,
    MISSED,
    REASONING,
    WRONG,
    CRASHED,
    UNSCORED,
)
"""All classes, in the order in which they are shown."""


def outcome_class(row: JsonDict) -> OutcomeClass:
    """Return the class of a row: by its answer if there is one, else by what was retrieved."""
    if row["failure"] is not None and row["failure"]["code"] != MISSING_GOLD:
        return CRASHED
    answered = classify(row["scores"])
    return _retrieved(row["scores"]) if answered is None else _BY_CLASS[answered]


def _retrieved(scores: JsonDict) -> OutcomeClass:
    complete, covered = scores.get("all_support@10"), scores.get("coverage")
    if complete is None and covered is None:
        return UNSCORED
    if complete or (complete is None and covered):
        return COMPLETE
    return COVERED if covered else MISSED
