from __future__ import annotations

from typing import Any

from opentelemetry import trace
from starlette.types import Message, Receive, Scope, Send

from hoptrail.core.tracing.spans import span
from hoptrail.web.traced_requests import TracedRequests
from tests.recorded import Recorded

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


async def answer(status: int = 200, path: str = "/bases/secret", **headers: str) -> dict[str, str]:
    """Answer one request, and return the headers of the response."""
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        with span("work"):
            await send({"type": "http.response.start", "status": status, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": path,
        "scheme": "http",
        "query_string": b"q=secret",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    traced = TracedRequests(
        app, route_of=lambda _: "/bases/{name}", is_quiet=lambda scope: scope["path"] == "/ready"
    )
    await traced(scope, receive, send)
    return {name.decode(): value.decode() for name, value in sent[0]["headers"]}


async def test_request_is_part_of_the_callers_trace_which_is_told_back(recorded: Recorded) -> None:
    headers = await answer(traceparent=CALLER)

    request = recorded.named("GET /bases/{name}")
    assert request.parent is not None and f"{request.parent.span_id:016x}" == CALLER.split("-")[2]
    assert recorded.parent("work") == "GET /bases/{name}"
    assert headers["traceresponse"].split("-")[1:3] == [
        CALLER.split("-")[1],
        f"{request.context.span_id:016x}",
    ]


async def test_neither_path_nor_query_is_told(recorded: Recorded) -> None:
    await answer()
    assert "secret" not in recorded.texts()


async def test_request_is_a_chain_to_services_that_know_only_kinds(recorded: Recorded) -> None:
    await answer()
    assert recorded.attributes("GET /bases/{name}")["openinference.span.kind"] == "CHAIN"


async def test_fault_of_the_server_marks_the_span(recorded: Recorded) -> None:
    await answer(status=503)
    assert recorded.attributes("GET /bases/{name}")["error.type"] == "503"
    assert recorded.attributes("GET /bases/{name}")["http.response.status_code"] == 503


async def test_request_within_the_span_of_an_application_makes_no_second_one(
    recorded: Recorded,
) -> None:
    with trace.get_tracer("host").start_as_current_span("GET /host"):
        await answer()
    assert recorded.names == ["work", "GET /host"]


async def test_quiet_path_and_untraced_process_leave_the_response_alone(recorded: Recorded) -> None:
    assert await answer(path="/ready") == {}
    assert recorded.names == ["work"]


async def test_without_a_provider_nothing_is_added() -> None:
    assert await answer(traceparent=CALLER) == {}
