"""Metrics, where something in this process collects them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from hoptrail.core.tracing.spans import LIBRARY, is_untraced, version

_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_TOKENS = tuple(4**power for power in range(14))


class _Form(NamedTuple):
    kind: Literal["counter", "histogram"]
    unit: str
    description: str
    buckets: tuple[float, ...] = ()


# The first two, their buckets too, are those of the GenAI conventions.
_FORMS: Mapping[str, _Form] = {
    "gen_ai.client.operation.duration": _Form(
        "histogram", "s", "Time of a call of a model, tries after failures included.", _SECONDS
    ),
    "gen_ai.client.token.usage": _Form(
        "histogram", "{token}", "Input and output tokens of a call of a model.", _TOKENS
    ),
    "hoptrail.cost": _Form("counter", "{usd}", "Dollars spent on models and embedders."),
    "hoptrail.questions": _Form(
        "counter", "{question}", "Questions by outcome: answered, abstained, failed, stopped."
    ),
    "hoptrail.question.duration": _Form("histogram", "s", "Time of a question.", _SECONDS),
    "hoptrail.index.runs": _Form("counter", "{run}", "Runs that changed a base, by outcome."),
    "hoptrail.index.duration": _Form(
        "histogram", "s", "Time of such a run.", (1, 5, 15, 60, 300, 900, 3600, 14400)
    ),
}
Labels = Mapping[str, str | None]


def is_collected() -> bool:
    """Return whether anything collects metrics here."""
    return _provider() is not None


def add(name: str, amount: float, labels: Labels) -> None:
    """Add to a counter; labels that are None are left out."""
    if (provider := _provider()) is not None:
        _instrument(provider, name).add(amount, _given(labels))


def record(name: str, value: float, labels: Labels) -> None:
    """Record a value of a histogram; labels that are None are left out."""
    if (provider := _provider()) is not None:
        _instrument(provider, name).record(value, _given(labels))


def _provider() -> Any:
    metrics: Any = sys.modules.get("opentelemetry.metrics")
    if metrics is None or is_untraced():
        return None
    provider = metrics.get_meter_provider()
    # Its class has no public name.
    is_unset = type(provider).__name__ == "_ProxyMeterProvider"
    return None if is_unset or isinstance(provider, metrics.NoOpMeterProvider) else provider


@lru_cache(maxsize=64)  # to make one twice is warned of
def _instrument(provider: Any, name: str) -> Any:
    form, meter = _FORMS[name], provider.get_meter(LIBRARY, version())
    if form.kind == "counter":
        return meter.create_counter(name, form.unit, form.description)
    return meter.create_histogram(
        name, form.unit, form.description, explicit_bucket_boundaries_advisory=form.buckets
    )


def _given(labels: Labels) -> dict[str, str]:
    return {name: value for name, value in labels.items() if value is not None}
