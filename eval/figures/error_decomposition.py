"""Errors by cause: the answer was not retrieved, or it was retrieved and not used.

After Zarrinkia, "The Reasoning Bottleneck in Graph-RAG", 2026, section 4.5.3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from hoptrail.core.types import JsonDict
from hoptrail.eval.files.run_folder import has_crashed

ErrorClass = Literal["correct", "abstained", "retrieval_failure", "reasoning_failure", "undecided"]
FAILED = "failed"
"""The share of questions that broke."""


def classify(scores: JsonDict) -> ErrorClass | None:
    """Return the class of a row's scores, None where nothing was answered to.

    A wrong answer is a reasoning failure where coverage is 1 and a retrieval failure where it is 0;
    for yes/no and unanswerable questions coverage decides nothing. `abstained` is an abstention
    from a question that has an answer.
    """
    if scores["accuracy"] is None:
        return None
    if scores["accuracy"] == 1:
        return "correct"
    if scores["abstain_rate"] == 1:
        return "abstained"
    if scores["coverage"] is None:
        return "undecided"
    return "reasoning_failure" if scores["coverage"] else "retrieval_failure"


def error_shares(rows: Iterable[JsonDict]) -> dict[str, float] | None:
    """Return the share of each class over the rows that have one; they add up to 1.

    A question that broke is in none of them: it is counted as `failed`.
    """
    answered = [row for row in rows if row["scores"]["accuracy"] is not None]
    if not answered:
        return None
    names = (*get_args(ErrorClass), FAILED)
    counts = Counter(FAILED if has_crashed(row) else classify(row["scores"]) for row in answered)
    return {name: counts[name] / len(answered) for name in names}


def reasoning_share(rows: Sequence[JsonDict]) -> float | None:
    """Return wrong and covered / wrong, over the questions that coverage is defined for.

    An abstention from a question that has an answer is wrong.
    """
    wrong = [row["scores"] for row in rows if row["scores"]["accuracy"] == 0]
    covered = [scores["coverage"] for scores in wrong if scores["coverage"] is not None]
    return sum(covered) / len(covered) if covered else None
