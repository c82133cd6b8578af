from __future__ import annotations

import subprocess
import sys

import pytest
from opentelemetry import baggage, context, trace
from opentelemetry.trace import SpanKind, StatusCode

from hoptrail.core.errors import InputError
from hoptrail.core.tracing.spans import (
    NO_SPAN,
    capturing,
    context_of,
    hand_on,
    in_thread,
    request,
    request_span,
    span,
    untraced,
)
from tests.recorded import Recorded

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_nothing_is_recorded_where_no_provider_is_set() -> None:
    with span("work") as one:
        one.set({"a": 1})
        one.fail("late")
    assert one is NO_SPAN
    assert one.trace_header is None


def test_opentelemetry_is_not_imported() -> None:
    code = (
        "import sys; from hoptrail.core.tracing import metrics, spans\n"
        "with spans.span('work') as one: one.set_text('a', 'b')\n"
        "metrics.add('hoptrail.questions', 1, {}); spans.hand_on({})\n"
        "assert not any(name.startswith('opentelemetry') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_span_is_part_of_the_span_around_it(recorded: Recorded) -> None:
    with trace.get_tracer("host").start_as_current_span("request"), span("work"):
        pass
    assert recorded.parent("work") == "request"


def test_failure_tells_its_kind_and_no_text(recorded: Recorded) -> None:
    with pytest.raises(InputError), span("work"):
        raise InputError("the question 'secret' is too long")
    failed = recorded.named("work")
    assert failed.status.status_code is StatusCode.ERROR
    assert failed.status.description == InputError.code
    assert recorded.attributes("work")["error.type"] == InputError.code
    assert "secret" not in recorded.texts()


def test_texts_are_told_only_where_they_may(recorded: Recorded) -> None:
    with span("first") as first:
        first.set_text("text", "a question")
        first.set_json("json", ["a question"])
    with capturing(True), span("second") as second:
        second.set_text("text", "a question")
        second.set_json("json", ["é"])
    assert dict(recorded.attributes("first")) == {}
    assert dict(recorded.attributes("second")) == {"text": "a question", "json": '["é"]'}


def test_shown_input_and_output_are_texts_or_json_where_they_may_be_told(
    recorded: Recorded,
) -> None:
    with span("first") as first:
        first.set_shown("input", ["a question"])
        first.set_shown("output", "an answer")
    with capturing(True), span("second") as second:
        second.set_shown("input", ["a question"])
        second.set_shown("output", "an answer")
    with capturing(True), span("third") as third:
        third.set_shown("output", "")
    assert dict(recorded.attributes("first")) == dict(recorded.attributes("third")) == {}
    assert dict(recorded.attributes("second")) == {
        "input.mime_type": "application/json",
        "input.value": '["a question"]',
        "output.mime_type": "text/plain",
        "output.value": "an answer",
    }


def test_spans_within_a_conversation_name_it(recorded: Recorded) -> None:
    with in_thread("t1"), span("work"):
        pass
    with in_thread(None), span("other"):
        pass
    told = {"session.id": "t1", "langsmith.metadata.thread_id": "t1"}
    assert dict(recorded.attributes("work")) == told
    assert dict(recorded.attributes("other")) == {}


def test_request_is_known_to_what_answers_it(recorded: Recorded) -> None:
    with request("POST") as one, span("work"):
        assert request_span() is one
    assert recorded.named("POST").kind is SpanKind.SERVER
    assert request_span() is NO_SPAN


def test_untraced_work_leaves_no_span(recorded: Recorded) -> None:
    with untraced(), span("work"):
        pass
    assert recorded.spans == ()


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
