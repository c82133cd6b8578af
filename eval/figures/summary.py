"""The figures of a run, computed from its rows alone (docs/evaluation.md, "Figures").

Errors by cause after Zarrinkia, "The Reasoning Bottleneck in Graph-RAG", 2026, section 4.5.3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.statistics import bootstrap_ci95, mean
from hoptrail.eval.metrics.registry import METRICS
from hoptrail.eval.run_folder import has_crashed

Verdict = Literal["right plain", "right perhaps", "wrong plain", "wrong perhaps", "abstained"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

ErrorClass = Literal["correct", "abstained", "retrieval_failure", "reasoning_failure", "undecided"]
FAILED = "failed"
"""The share of questions that broke."""


def summarize(rows: Sequence[JsonDict]) -> JsonDict:
    """Return `summary.json`: means, shares, costs, breakdowns and 95 % intervals.

    A figure is None where no row says anything about it.
    """
    return {
        **_figures(rows),
        "by_type": _breakdown(rows, "type"),
        "by_hops": _breakdown(rows, "hops"),
        "ci95": {metric.name: bootstrap_ci95(_scores(rows, metric.name)) for metric in METRICS},
    }


def _figures(rows: Sequence[JsonDict]) -> JsonDict:
    costs = {name: _values(rows, cost) for name, cost in COSTS.items()}
    seconds = costs["seconds"]
    return {
        "n": len(rows),
        "n_failed": sum(row["failure"] is not None for row in rows),
        "n_unjudged": sum(_is_unjudged(row) for row in rows),
        **{metric.name: mean(_scores(rows, metric.name)) for metric in METRICS},
        "unanswerable_f1": _unanswerable_f1(rows),
        "reasoning_share": reasoning_share(rows),
        "errors": error_shares(rows),
        "verdicts": verdict_shares(rows),
        "supported_share": mean(
            [hop["supported"] for row in rows for hop in row.get("trail") or ()]
        ),
        "llm_calls_mean": mean(costs["llm_calls"]),
        "tokens_mean": mean(costs["tokens"]),
        "seconds_p50": float(np.quantile(seconds, 0.5)) if seconds else None,
        "seconds_p95": float(np.quantile(seconds, 0.95)) if seconds else None,
        "usd_mean": mean(costs["usd"]),
    }


def _breakdown(rows: Sequence[JsonDict], field: str) -> JsonDict:
    values = sorted({row[field] for row in rows if row[field] is not None})
    return {str(value): _figures([row for row in rows if row[field] == value]) for value in values}


def _scores(rows: Iterable[JsonDict], name: str) -> list[float]:
    return [score for row in rows if (score := row["scores"].get(name)) is not None]


def _is_unjudged(row: JsonDict) -> bool:
    """Return whether a judge was asked about the answer and could not tell."""
    judged = row.get("judged")
    return judged is not None and judged["equivalent"] is None


def _values(rows: Iterable[JsonDict], value: Callable[[JsonDict], float | None]) -> list[float]:
    return [amount for row in rows if (amount := value(row)) is not None]


def _unanswerable_f1(rows: Iterable[JsonDict]) -> float | None:
    """Return the F1 of abstaining as a detector of unanswerable questions."""
    judged = [row for row in rows if row["scores"]["abstain_rate"] is not None]
    unanswerable = sum(row["unanswerable"] for row in judged)
    if not unanswerable:
        return None
    abstained = sum(row["scores"]["abstain_rate"] for row in judged)
    both = sum(row["unanswerable"] and row["scores"]["abstain_rate"] for row in judged)
    return float(2 * both / (unanswerable + abstained))


def verdict_of(row: JsonDict) -> Verdict | None:
    """Return the verdict on a row, None where nothing was answered to, or the run broke.

    An answer with reserve is right or wrong by its text. An abstention is none of the two, not even
    from a question that has no answer: `accuracy` counts that one as right.
    """
    scores = row["scores"]
    if scores["accuracy"] is None or has_crashed(row):
        return None
    if scores["abstain_rate"] == 1:
        return "abstained"
    if row.get("perhaps"):
        return "right perhaps" if scores["accuracy"] == 1 else "wrong perhaps"
    return "right plain" if scores["accuracy"] == 1 else "wrong plain"


def verdict_shares(rows: Iterable[JsonDict]) -> dict[str, float] | None:
    """Return the share of each verdict over the rows that have one; they add up to 1."""
    counts = Counter(verdict for row in rows if (verdict := verdict_of(row)) is not None)
    total = counts.total()
    return {name: counts[name] / total for name in VERDICTS} if total else None


def _seconds(row: JsonDict) -> float | None:
    """Return what the question took, retrievals that the cache served at their first duration."""
    usage = row.get("usage")
    measured: float | None = usage["seconds"] if usage else row.get("seconds")
    return None if measured is None else measured + (row.get("seconds_cached") or 0.0)


def _spent(row: JsonDict, *names: str) -> float | None:
    usage = row.get("usage")
    return sum(usage[name] for name in names) if usage else None


COSTS: Mapping[str, Callable[[JsonDict], float | None]] = {
    "llm_calls": lambda row: _spent(row, "llm_calls"),
    "tokens": lambda row: _spent(row, "prompt_tokens", "completion_tokens"),
    "seconds": _seconds,
    "usd": lambda row: _spent(row, "usd"),
}
"""Each cost of a question by name; the less the better."""


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
    return mean(covered)
