from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from hoptrail.core.tracing.wordless import WordlessExporter


def test_message_of_an_error_is_left_out_of_any_span_and_its_type_is_not() -> None:
    sent = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(WordlessExporter(sent)))
    tracer = provider.get_tracer("some-server")

    with pytest.raises(ValueError), tracer.start_as_current_span("run", attributes={"a": 1}) as one:
        one.add_event("step", {"number": 2})
        raise ValueError("the question was: secret")

    (span,) = sent.get_finished_spans()
    assert "secret" not in span.to_json()
    step, error = span.events
    assert dict(step.attributes or {}) == {"number": 2}
    assert dict(error.attributes or {}) == {"exception.type": "ValueError"}
    assert span.status.status_code is StatusCode.ERROR
    assert (span.name, dict(span.attributes or {})) == ("run", {"a": 1})
    assert span.end_time is not None and span.instrumentation_scope is not None
    assert span.instrumentation_scope.name == "some-server"


def test_kind_of_an_error_that_stands_for_its_message_is_kept() -> None:
    sent = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(WordlessExporter(sent)))
    with provider.get_tracer("hoptrail").start_as_current_span("run") as one:
        one.add_event("exception", {"exception.message": "secret"})
        one.set_attribute("error.type", "model_unavailable")
        one.set_status(StatusCode.ERROR, "model_unavailable")
    (span,) = sent.get_finished_spans()
    assert span.status.description == "model_unavailable"
    assert "secret" not in span.to_json()


def test_span_without_an_error_is_sent_as_it_is() -> None:
    sent = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(WordlessExporter(sent)))
    with provider.get_tracer("some-server").start_as_current_span("run") as one:
        pass
    (span,) = sent.get_finished_spans()
    assert span.context.span_id == one.get_span_context().span_id
    assert span.events == ()
