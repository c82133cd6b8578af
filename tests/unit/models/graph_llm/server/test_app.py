from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
import torch
from fastapi import FastAPI

from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.engine import GraphEngine
from hoptrail.models.graph_llm.generation import GenerationRequest, SamplingOptions
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.models.graph_llm.server.app import create_app
from hoptrail.models.graph_llm.server.metrics import Metrics
from hoptrail.models.graph_llm.server.options import ServerOptions
from hoptrail.models.loop_resources import background_loop
from hoptrail.testing.embedder import HashingEmbedder
from hoptrail.testing.tiny_llama import tiny_base_model

GRAPH = {"nodes": ["Ane Lund", "Varde"], "edges": [[0, "born in", 1]]}
QUESTION = {"role": "user", "content": "Where was Ane Lund born?"}
OPTIONS = ServerOptions(
    "tiny", reply_tokens=64, prompt_characters=4000, body_bytes=20_000, nodes=50, edges=60
)
HALF_A_CHARACTER = b'"\\ud800"'


@pytest.fixture(scope="module")
def model() -> GraphLlama:
    config = GraphLlamaConfig(hidden=16, layers=2, heads=2, projector_hidden=32, graph_tokens=10)
    return GraphLlama(tiny_base_model(), config, HashingEmbedder(16)).eval()


@pytest.fixture(scope="module")
def engine(model: GraphLlama) -> Iterator[GraphEngine]:
    engine = GraphEngine(model, most_running=8)
    yield engine
    engine.close()


def client_of(app: FastAPI, **options: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://server", **options)


@pytest.fixture
async def client(engine: GraphEngine) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(create_app(engine, OPTIONS)) as client:
        yield client


def asked(**changes: Any) -> dict[str, Any]:
    return {"model": "tiny", "messages": [QUESTION], "graph": GRAPH, "max_tokens": 9, **changes}


def expected(engine: GraphEngine, tokens: int = 9) -> str:
    graph = GraphInput.from_json(GRAPH)
    request = GenerationRequest((QUESTION,), graph, SamplingOptions(tokens))
    return "".join(part.text for part in background_loop().iterate(engine.astream(request)))


def events(response: httpx.Response) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in response.text.splitlines() if line]
    assert lines.pop() == "[DONE]"
    return [json.loads(line) for line in lines]


async def test_a_reply_is_that_of_the_engine(
    client: httpx.AsyncClient, engine: GraphEngine
) -> None:
    response = await client.post("/v1/chat/completions", json=asked())
    reply = response.json()
    assert reply["choices"][0]["message"] == {"role": "assistant", "content": expected(engine)}
    assert reply["choices"][0]["finish_reason"] == "length"
    usage = reply["usage"]
    assert usage["completion_tokens"] == 9
    assert usage["total_tokens"] == usage["prompt_tokens"] + 9


async def test_a_stream_has_the_text_of_the_whole_reply(
    client: httpx.AsyncClient, engine: GraphEngine
) -> None:
    body = asked(stream=True, stream_options={"include_usage": True})
    response = await client.post("/v1/chat/completions", json=body)
    *chunks, last = events(response)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert response.headers["content-type"].startswith("text/event-stream")
    assert deltas[0] == {"role": "assistant", "content": ""}
    assert "".join(delta.get("content", "") for delta in deltas) == expected(engine)
    assert chunks[-1]["choices"][0]["finish_reason"] == "length"
    assert all(chunk["usage"] is None for chunk in chunks)
    assert (last["choices"], last["usage"]["completion_tokens"]) == ([], 9)


async def test_a_stream_without_usage_has_none(client: httpx.AsyncClient) -> None:
    response = await client.post("/v1/chat/completions", json=asked(stream=True))
    assert all("usage" not in chunk for chunk in events(response))


async def test_replies_with_a_graph_without_edges_or_nodes_are_written(
    client: httpx.AsyncClient,
) -> None:
    graphs: list[dict[str, Any]] = [{}, {"nodes": [], "edges": []}, {"nodes": ["Varde"]}]
    responses = [
        await client.post("/v1/chat/completions", json=asked(graph=graph)) for graph in graphs
    ]
    assert [response.status_code for response in responses] == [200, 200, 200]


@pytest.mark.parametrize(
    "changes",
    [
        {"graph": None},
        {"temperature": 1, "top_p": 0.5, "seed": -1},
        {"max_tokens": None, "max_completion_tokens": 5},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Where?"}]}]},
        {"messages": [{"role": "developer", "content": "Be brief."}, QUESTION]},
        {"n": 1, "user": "me", "tools": [], "frequency_penalty": 0.0, "logprobs": False},
        {"stop": ["; ", "\n"], "response_format": {"type": "text"}},
        {"temperature": 1e-300},
    ],
)
async def test_what_openai_clients_send_is_taken(
    client: httpx.AsyncClient, changes: dict[str, Any]
) -> None:
    response = await client.post("/v1/chat/completions", json=asked(**changes))
    assert response.status_code == 200, response.text


async def test_the_server_has_a_seed_for_requests_without_one(engine: GraphEngine) -> None:
    async with client_of(create_app(engine, replace(OPTIONS, seed=7))) as client:
        drawn = [
            (await client.post("/v1/chat/completions", json=asked(temperature=1, **seed))).json()
            for seed in ({}, {"seed": 7}, {"seed": 8})
        ]
    own, same, other = (reply["choices"][0]["message"]["content"] for reply in drawn)
    assert own == same != other


@pytest.mark.parametrize(
    ("changes", "status", "param"),
    [
        ({"model": "gpt-4"}, 404, "model"),
        ({"model": 5}, 400, "model"),
        ({"messages": []}, 400, "messages"),
        ({"messages": "Where?"}, 400, "messages"),
        ({"messages": [{"role": "tool", "content": "x"}]}, 400, "messages.0.role"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, 400, None),
        ({"messages": [{"role": "system", "content": "x"}]}, 400, None),
        ({"messages": [{"role": "user", "content": "x " * 1500}]}, 400, None),
        ({"messages": [{"role": "user", "content": "x " * 2500}]}, 400, "messages"),
        ({"max_tokens": 0}, 400, "max_tokens"),
        ({"max_tokens": 65}, 400, "max_tokens"),
        ({"max_tokens": "9"}, 400, "max_tokens"),
        ({"temperature": -1}, 400, "temperature"),
        ({"top_p": 0}, 400, "top_p"),
        ({"seed": 2**70}, 400, "seed"),
        ({"stop": [""]}, 400, "stop"),
        ({"stop": list("abcde")}, 400, "stop"),
        ({"n": 2}, 400, "n"),
        ({"tools": [{"type": "function"}]}, 400, "tools"),
        ({"grahp": GRAPH}, 400, "grahp"),
        ({"graph": []}, 400, "graph"),
        ({"graph": {"nodes": ["a"], "edges": [[0, "p", 1]]}}, 400, "graph"),
        ({"graph": {"nodes": ["a"], "edges": [["b", "p", 0]]}}, 400, "graph"),
        ({"graph": {"nodes": ["a"] * 51}}, 400, "graph"),
        ({"graph": {"nodes": ["a"], "edges": [[0, "p", 0]] * 61}}, 400, "graph"),
        ({"graph": {"nodes": [{"name": "a", "vector": [1, 2]}]}}, 400, "graph"),
        ({"graph": {"nodes": [{"name": "a", "vector": [1, "x"]}]}}, 400, "graph"),
    ],
)
async def test_bad_fields_are_named_in_the_openai_shape(
    client: httpx.AsyncClient, changes: dict[str, Any], status: int, param: str | None
) -> None:
    response = await client.post("/v1/chat/completions", json=asked(**changes))
    error = response.json()["error"]
    assert (response.status_code, error["param"] if param else None) == (status, param), error
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"   ", 400),
        (b"{", 400),
        (b"[]", 400),
        (b"\xff\xfe{}", 400),
        (b"[" * 15_000, 400),
        (b'{"seed": ' + b"9" * 5000 + b"}", 400),
        (json.dumps(asked(temperature=float("nan"))).encode(), 400),
        (json.dumps(asked(graph={"nodes": [{"name": "a", "vector": [1e999]}]})).encode(), 400),
        (
            json.dumps(asked(graph={"nodes": [{"vector": [1] * 16}]}))
            .replace("1]", "1e999]")
            .encode(),
            400,
        ),
        (
            json.dumps(asked()).encode().replace(b'"Where was Ane Lund born?"', HALF_A_CHARACTER),
            400,
        ),
        (json.dumps(asked()).encode().replace(b'"Varde"', HALF_A_CHARACTER), 400),
        (b" " * 20_001, 413),
    ],
)
async def test_bodies_that_are_no_request_are_refused(
    client: httpx.AsyncClient, body: bytes, status: int
) -> None:
    response = await client.post("/v1/chat/completions", content=body)
    assert (response.status_code, set(response.json())) == (status, {"error"}), response.text


async def test_a_body_of_unknown_length_is_cut_off(client: httpx.AsyncClient) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1000
            yield b" " * 1000

    response = await client.post("/v1/chat/completions", content=endless())
    assert (response.status_code, sent) == (413, 21_000)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/v1/nothing", 404), ("GET", "/v1/chat/completions", 405), ("PUT", "/health", 405)],
)
async def test_unknown_paths_and_methods_have_the_openai_shape(
    client: httpx.AsyncClient, method: str, path: str, status: int
) -> None:
    response = await client.request(method, path)
    assert (response.status_code, set(response.json()["error"])) == (
        status,
        {"message", "type", "param", "code"},
    )


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (None, 401),
        ("Bearer wrong", 401),
        ("Bearer ", 401),
        ("Basic sesam", 401),
        ("Bearer sesäm".encode(), 401),
        ("Bearer sesam", 200),
    ],
)
async def test_the_key_opens_the_openai_endpoints(
    engine: GraphEngine, header: str | bytes | None, status: int
) -> None:
    app = create_app(engine, ServerOptions("tiny", api_key="sesam"))
    async with client_of(app) as client:
        headers: Any = {"Authorization": header} if header else {}
        response = await client.get("/v1/models", headers=headers)
        assert response.status_code == status
        assert (await client.get("/health")).status_code == 200


async def test_metrics_count_requests_tokens_and_times(model: GraphLlama) -> None:
    metrics = Metrics()
    engine = GraphEngine(model, on_step=metrics.batch.observe)
    async with client_of(create_app(engine, OPTIONS, metrics)) as client:
        await client.post("/v1/chat/completions", json=asked())
        await client.post("/v1/chat/completions", json=asked(model="other"))
        text = (await client.get("/metrics")).text
    engine.close()
    for line in (
        'hoptrail_graph_llm_requests_total{status="200"} 1.0',
        'hoptrail_graph_llm_requests_total{status="404"} 1.0',
        "hoptrail_graph_llm_completion_tokens_total 9.0",
        "hoptrail_graph_llm_request_seconds_count 1.0",
        "hoptrail_graph_llm_first_token_seconds_count 1.0",
        "hoptrail_graph_llm_batch_size_count 9.0",
        "hoptrail_graph_llm_queue_length 0.0",
    ):
        assert line in text


async def test_a_full_queue_says_when_to_come_back(model: GraphLlama) -> None:
    engine = GraphEngine(model, most_running=1, queue_limit=0)
    running = engine.astream(GenerationRequest((QUESTION,), None, SamplingOptions(600)))
    await anext(running)
    async with client_of(create_app(engine, OPTIONS)) as client:
        response = await client.post("/v1/chat/completions", json=asked())
    await running.aclose()
    engine.close()
    assert (response.status_code, response.headers["retry-after"]) == (429, "1")
    assert response.json()["error"]["code"] == "overloaded"


async def test_a_server_that_shuts_down_refuses_and_is_not_ready(model: GraphLlama) -> None:
    engine = GraphEngine(model)
    async with client_of(create_app(engine, OPTIONS)) as client:
        ready = await client.get("/ready")
        engine.stop_accepting()
        responses = [
            await client.get("/ready"),
            await client.post("/v1/chat/completions", json=asked()),
            await client.get("/health"),
        ]
    engine.close()
    assert [ready.status_code, *(response.status_code for response in responses)] == [
        200,
        503,
        503,
        200,
    ]


async def test_a_model_that_breaks_down_is_an_error_event_or_a_500(model: GraphLlama) -> None:
    engine = GraphEngine(model)
    letter = model.base.token_ids("a")[0]
    hook = model.llm.lm_head.register_forward_hook(WritesThenBreaksDown(3, letter))
    async with client_of(create_app(engine, OPTIONS)) as client:
        stream = await client.post("/v1/chat/completions", json=asked(stream=True))
        whole = await client.post("/v1/chat/completions", json=asked())
        hook.remove()
        later = await client.post("/v1/chat/completions", json=asked())
    engine.close()
    last = json.loads(stream.text.strip().splitlines()[-1].removeprefix("data: "))
    assert (stream.status_code, last["error"]["type"]) == (200, "server_error")
    assert (whole.status_code, whole.json()["error"]["type"]) == (500, "server_error")
    assert later.status_code == 200


class WritesThenBreaksDown:
    """A forward hook that makes a token the likeliest so many times, and then fails."""

    def __init__(self, times: int, token: int) -> None:
        self._left, self._token = times, token

    def __call__(self, module: object, inputs: object, logits: torch.Tensor) -> torch.Tensor:
        if self._left == 0:
            raise RuntimeError("out of memory")
        self._left -= 1
        return logits.index_fill(-1, torch.tensor(self._token), 1e4)
