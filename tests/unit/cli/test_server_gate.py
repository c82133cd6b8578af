from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from hoptrail.cli.gate_rules import LARGEST_BODY, GateRules
from hoptrail.cli.server_gate import ServerGate
from hoptrail.cli.server_stop import ServerStop

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
