"""The W3C trace context: taken from whoever calls, and handed on to whoever is called.

Only the trace is: `baggage` may hold anything of an application's users, and is not read or sent.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, MutableMapping
from typing import TYPE_CHECKING

from hoptrail.core.tracing.spans import is_within_span

if TYPE_CHECKING:
    from opentelemetry.context import Context


def hand_on(headers: MutableMapping[str, str]) -> None:
    """Add `traceparent` and `tracestate` to the headers of a request, within a span."""
    if is_within_span():
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        TraceContextTextMapPropagator().inject(headers)


def context_of(headers: Mapping[str, str]) -> Context | None:
    """Return the caller's context that headers name; None where they name none that is valid.

    Args:
        headers: By their names in lower case.
    """
    if "traceparent" not in headers or "opentelemetry.trace" not in sys.modules:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract(headers)
