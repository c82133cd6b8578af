"""Costs of a question, read off its row; None where the row does not tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hoptrail.core.types import JsonDict


def seconds(row: JsonDict) -> float | None:
    """Return what the question took, retrievals that the cache served at their first duration."""
    usage = row.get("usage")
    measured: float | None = usage["seconds"] if usage else row.get("seconds")
    return None if measured is None else measured + (row.get("seconds_cached") or 0.0)


def llm_calls(row: JsonDict) -> float | None:
    """Return the number of model calls."""
    usage = row.get("usage")
    return usage["llm_calls"] if usage else None


def tokens(row: JsonDict) -> float | None:
    """Return the tokens that models read and wrote."""
    usage = row.get("usage")
    return usage["prompt_tokens"] + usage["completion_tokens"] if usage else None


def usd(row: JsonDict) -> float | None:
    """Return the dollars that the model calls cost."""
    usage = row.get("usage")
    return usage["usd"] if usage else None


COSTS: Mapping[str, Callable[[JsonDict], float | None]] = {
    "llm_calls": llm_calls,
    "tokens": tokens,
    "seconds": seconds,
    "usd": usd,
}
"""Each cost of a question by name; the less the better."""
