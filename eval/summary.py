"""The figures of a run, computed from its rows alone (keys: CONTRACT 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from hoptrail.core.types import JsonDict
from hoptrail.eval.metrics import METRICS

_RESAMPLES = 2000
_SEED = 42


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


def bootstrap_ci95(scores: Sequence[float]) -> tuple[float, float] | None:
    """Return the 2.5 % and 97.5 % quantiles of the mean over resampled questions."""
    if not scores:
        return None
    values = np.asarray(scores, dtype=np.float64)
    draws = np.random.default_rng(_SEED).integers(0, len(values), (_RESAMPLES, len(values)))
    low, high = np.quantile(values[draws].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def _figures(rows: Sequence[JsonDict]) -> JsonDict:
    seconds = [value for row in rows if (value := _seconds(row)) is not None]
    return {
        "n": len(rows),
        "n_failed": sum(row["failure"] is not None for row in rows),
        **{metric.name: _mean(_scores(rows, metric.name)) for metric in METRICS},
        "unanswerable_f1": _unanswerable_f1(rows),
        "reasoning_share": _reasoning_share(rows),
        "supported_share": _mean([hop["supported"] for row in rows for hop in _trail(row)]),
        "llm_calls_mean": _mean(_usage(rows, lambda usage: usage["llm_calls"])),
        "tokens_mean": _mean(
            _usage(rows, lambda usage: usage["prompt_tokens"] + usage["completion_tokens"])
        ),
        "seconds_p50": float(np.quantile(seconds, 0.5)) if seconds else None,
        "seconds_p95": float(np.quantile(seconds, 0.95)) if seconds else None,
        "usd_mean": _mean(_usage(rows, lambda usage: usage["usd"])),
    }


def _breakdown(rows: Sequence[JsonDict], field: str) -> JsonDict:
    values = sorted({row[field] for row in rows if row[field] is not None})
    return {str(value): _figures([row for row in rows if row[field] == value]) for value in values}


def _scores(rows: Iterable[JsonDict], name: str) -> list[float]:
    return [score for row in rows if (score := row["scores"][name]) is not None]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _trail(row: JsonDict) -> list[JsonDict]:
    hops: list[JsonDict] = row.get("trail") or []
    return hops


def _seconds(row: JsonDict) -> float | None:
    usage = row.get("usage")
    seconds: float | None = usage["seconds"] if usage else row.get("seconds")
    return seconds


def _usage(rows: Iterable[JsonDict], amount: Callable[[JsonDict], float]) -> list[float]:
    return [amount(row["usage"]) for row in rows if row.get("usage")]


def _reasoning_share(rows: Iterable[JsonDict]) -> float | None:
    """Return wrong and covered / wrong, over the questions that coverage is defined for."""
    wrong = [row["scores"] for row in rows if row["scores"]["accuracy"] == 0]
    return _mean([scores["coverage"] for scores in wrong if scores["coverage"] is not None])


def _unanswerable_f1(rows: Iterable[JsonDict]) -> float | None:
    """Return the F1 of abstaining as a detector of unanswerable questions."""
    judged = [row for row in rows if row["scores"]["abstain_rate"] is not None]
    unanswerable = sum(row["unanswerable"] for row in judged)
    if not unanswerable:
        return None
    abstained = sum(row["scores"]["abstain_rate"] for row in judged)
    both = sum(row["unanswerable"] and row["scores"]["abstain_rate"] for row in judged)
    return float(2 * both / (unanswerable + abstained))
