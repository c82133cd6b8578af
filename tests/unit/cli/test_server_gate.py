from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from hoptrail import Hoptrail
from hoptrail.cli.gate_rules import LARGEST_BODY, GateRules
from hoptrail.cli.server_gate import ServerGate, ServerStop, check_run
from hoptrail.core.errors import HoptrailError
from hoptrail.graphs.context import Context
from hoptrail.services.open_knowledge_bases import (
    forget_knowledge_base,
    register_knowledge_base,
)
from tests.ships import hashing_settings, index_ships

RUN = {"assistant_id": "hoptrail", "input": {"question": "Who?"}}


async def echo(request: Request) -> JSONResponse:
    return JSONResponse(await request.json())


@pytest.fixture
def stop() -> ServerStop:
    return ServerStop("nowhere", grace=1)


@pytest.fixture
def client(stop: ServerStop) -> TestClient:
    routes = [
        Route(path, echo, methods=["POST"])
        for path in ("/runs/wait", "/runs/batch", "/threads/{id}/commands", "/threads")
    ]
    gate = Middleware(ServerGate, rules=GateRules(), stop=stop)
    return TestClient(Starlette(routes=routes, middleware=[gate]), base_url="http://localhost")


def test_a_checked_body_reaches_the_server_unchanged(client: TestClient) -> None:
    assert client.post("/runs/wait", json=RUN).json() == RUN


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("/runs/wait", {**RUN, "input": {"question": 5}}),
        ("/runs/batch", [RUN, {**RUN, "context": {"hopps": 1}}]),
        ("/threads/1/commands", {"id": 1, "method": "run.start", "params": {"input": {"q": 1}}}),
    ],
)
def test_every_way_to_start_a_run_is_checked(client: TestClient, path: str, wrong: Any) -> None:
    assert client.post(path, json=wrong).status_code == 422


@pytest.mark.parametrize("body", ["{", "[" * 100_000])
def test_what_is_no_json_is_refused(client: TestClient, body: str) -> None:
    answer = client.post("/runs/wait", content=body, headers={"content-type": "application/json"})

    assert answer.status_code == 422
    assert answer.json() == {"detail": "the request is no JSON"}


def test_a_body_that_is_too_large_is_refused(client: TestClient) -> None:
    question = json.dumps({"input": {"question": "x" * LARGEST_BODY}})

    answer = client.post(
        "/runs/wait", content=question, headers={"content-type": "application/json"}
    )

    assert answer.status_code == 413


def test_no_run_begins_while_the_server_stops(client: TestClient, stop: ServerStop) -> None:
    stop.is_stopping = True

    assert client.post("/runs/wait", json=RUN).status_code == 503
    assert client.post("/threads", json={}).status_code == 200


def test_no_websocket_is_opened(client: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/threads/1/stream/events"):
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Context]:
    """Defaults that name a knowledge base of this process."""
    settings = hashing_settings(allowed_models=["openai:listed"])
    index_ships(tmp_path / "kb", settings)
    with Hoptrail.open(tmp_path / "kb", settings=settings) as hoptrail:
        register_knowledge_base("ships", hoptrail.knowledge_base, settings)
        yield Context(knowledge_base="ships")
        forget_knowledge_base("ships")


@pytest.mark.parametrize(
    "request_",
    [
        {"input": {"question": "Who?"}},
        {"input": {"messages": [{"role": "user", "content": "Who?"}]}},
        {"input": {"messages": {"type": "human", "content": [{"type": "text", "text": "Who?"}]}}},
        {"input": None, "command": {"resume": "yes"}},
        {"input": {"question": "Who?"}, "context": {"k": 3, "model": None}},
        {"input": {"question": "Who?"}, "context": None},
        {"config": {"configurable": {"k": 3, "thread_id": "1", "graph_id": "hoptrail"}}},
        {"config": {"configurable": {"__event_streaming_v2": True, "langgraph_request_id": "1"}}},
        {"config": {"configurable": {"x-request-id": "1", "langsmith-trace": "1"}}},
        {"config": {"configurable": None}},
        {"config": None},
        [],
    ],
)
def test_what_the_graph_can_use_passes(request_: Any) -> None:
    check_run(request_)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"input": {"question": 5}}, "no text but a number"),
        ({"input": {"question": ["Who?"]}}, "no text but a list"),
        ({"input": {"question": {"text": "Who?"}}}, "no text but an object"),
        ({"input": "Who?"}, "the input is no object"),
        ({"input": {"qestion": "Who?"}}, "did you mean 'question'"),
        ({"input": {"messages": 5}}, "the messages cannot be read"),
        ({"input": {"messages": [{"role": "king", "content": "Who?"}]}}, "cannot be read"),
        ({"input": {"messages": [{"content": "Who?"}]}}, "cannot be read"),
        ({"webhook": "http://127.0.0.1/", "input": {"question": "Who?"}}, "calls no webhooks"),
        ({"context": {"hopps": 3}}, "did you mean 'hops'"),
        ({"context": {"base_url": "http://x"}}, "unknown context field 'base_url'"),
        ({"context": {"preset": "magic"}}, "unknown preset 'magic'"),
        ({"context": {"retriever": "kett"}}, "did you mean 'ket'"),
        ({"context": {"knowledge_base": "/etc"}}, "unknown knowledge base '/etc'"),
        ({"context": {"parameters": {"alpha": []}}}, "context field parameters.alpha"),
        ({"context": {"filter": "date >"}}, "the filter cannot be read"),
        ({"config": {"configurable": {"fliter": "a = b"}}}, "did you mean 'filter'"),
        ({"config": {"configurable": {"thread_id": "1", "preset": "magic"}}}, "unknown preset"),
    ],
)
def test_what_it_cannot_is_said_in_one_line(request_: Any, message: str) -> None:
    with pytest.raises(HoptrailError) as caught:
        check_run(request_)

    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "context",
    [
        {"filter": "title = Alder Yard"},
        {"model": "openai:listed"},
        {"filter": "title = Alder Yard", "knowledge_base": "ships"},
    ],
)
def test_what_the_served_base_has_passes(served: Context, context: Any) -> None:
    check_run({"context": context}, served)
    check_run({"config": {"configurable": context}}, served)


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"filter": "titel = Alder Yard"}, "did you mean 'title'"),
        ({"filter": "title = Quay"}, "no document matches the filter"),
        ({"model": "openai:other"}, "model 'openai:other' is not listed here"),
        ({"models": {"answerer": "/etc"}}, "model '/etc' is not listed here"),
    ],
)
def test_what_the_served_base_lacks_is_refused(served: Context, context: Any, message: str) -> None:
    with pytest.raises(HoptrailError, match=message):
        check_run({"context": context}, served)
