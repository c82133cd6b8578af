from __future__ import annotations

from opentelemetry import baggage, context

from hoptrail.core.tracing.propagation import context_of, hand_on
from hoptrail.core.tracing.spans import span
from tests.recorded import Recorded

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_trace_of_the_caller_is_continued_and_handed_on(recorded: Recorded) -> None:
    headers: dict[str, str] = {}
    with span("work", caller=context_of({"traceparent": CALLER})) as one:
        hand_on(headers)
    assert headers == {"traceparent": one.trace_header}
    assert one.trace_header is not None
    assert one.trace_header.split("-")[1] == CALLER.split("-")[1]
    parent = recorded.named("work").parent
    assert parent is not None and f"{parent.span_id:016x}" == CALLER.split("-")[2]


def test_broken_context_of_a_caller_begins_a_new_trace(recorded: Recorded) -> None:
    with span("work", caller=context_of({"traceparent": "00-nonsense"})):
        pass
    assert recorded.named("work").parent is None


def test_baggage_is_handed_on_to_nobody(recorded: Recorded) -> None:
    token = context.attach(baggage.set_baggage("user", "ada"))
    headers: dict[str, str] = {}
    try:
        with span("work"):
            hand_on(headers)
    finally:
        context.detach(token)
    assert list(headers) == ["traceparent"]


def test_nothing_is_handed_on_outside_of_a_span() -> None:
    headers: dict[str, str] = {}
    hand_on(headers)
    assert headers == {}
