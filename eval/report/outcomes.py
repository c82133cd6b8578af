"""Classes of questions on a page: right, or wrong by which cause."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.error_decomposition import ErrorClass, classify
from hoptrail.eval.files.run_folder import MISSING_GOLD


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
