"""The vLLM backend against a server that decodes soft prompts as vLLM does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest
import torch

from hoptrail.core.errors import (
    InputError,
    ModelReplyError,
    ModelUnavailableError,
    OverloadedError,
    SettingsError,
)
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.generation import GenerationRequest, ReplyPart, SamplingOptions
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.models.graph_llm.server.app import create_app
from hoptrail.models.graph_llm.server.options import ServerOptions
from hoptrail.models.graph_llm.server.vllm_backend import VllmBackend, api_url, try_vllm
from hoptrail.testing.embedder import HashingEmbedder
from hoptrail.testing.tiny_llama import tiny_base_model
from tests.vllm_stub import VllmStubServer

QUESTION = "Where was Ane Lund born?"
GRAPH = GraphInput.from_triples([("Ane Lund", "born in", "Varde")])
REQUEST = GenerationRequest(
    ({"role": "user", "content": QUESTION},), GRAPH, SamplingOptions(max_new_tokens=7)
)


def graph_llama(dtype: str = "float32", low_rank: int = 0) -> GraphLlama:
    config = GraphLlamaConfig(
        hidden=16, layers=2, heads=2, projector_hidden=32, graph_tokens=10, low_rank=low_rank
    )
    return GraphLlama(tiny_base_model(dtype=dtype), config, HashingEmbedder(16)).eval()


@pytest.fixture(scope="module")
def model() -> GraphLlama:
    return graph_llama()


@pytest.fixture
async def backend(model: GraphLlama) -> AsyncIterator[tuple[VllmStubServer, VllmBackend]]:
    with VllmStubServer("base", 32) as server:
        backend = VllmBackend(model, server.url, "base")
        yield server, backend
        await backend.aclose()


async def parts_of(backend: VllmBackend, request: GenerationRequest = REQUEST) -> list[ReplyPart]:
    return [part async for part in backend.astream(request)]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
async def test_the_server_decodes_the_soft_prompt_that_was_made(dtype: str) -> None:
    model = graph_llama(dtype)
    with VllmStubServer("base", 32) as server:
        backend = VllmBackend(model, server.url, "base")
        await parts_of(backend)
        await backend.aclose()
    with torch.inference_mode():
        expected = model.soft_prompts([model.prepare(QUESTION, GRAPH, reply_tokens=7)])[0]
    assert server.prompts[0].dtype == getattr(torch, dtype)
    assert torch.equal(server.prompts[0], expected)


async def test_the_body_names_model_and_options(
    backend: tuple[VllmStubServer, VllmBackend],
) -> None:
    server, vllm = backend
    options = SamplingOptions(9, temperature=0.5, top_p=0.9, seed=4)
    await parts_of(vllm, replace(REQUEST, options=options, stop=("; ",)))
    await parts_of(vllm)
    sampled, greedy = ({k: v for k, v in b.items() if k != "prompt_embeds"} for b in server.bodies)
    stream = {"model": "base", "stream": True, "stream_options": {"include_usage": True}}
    assert greedy == {**stream, "max_tokens": 7, "temperature": 0.0, "top_p": 1.0}
    assert sampled == {
        **stream,
        "max_tokens": 9,
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 4,
        "stop": ["; "],
    }


async def test_no_more_than_the_prompt_is_sent(model: GraphLlama) -> None:
    with VllmStubServer("base", 32) as server:
        backend = VllmBackend(model, server.url, "base")
        await asyncio.gather(*(parts_of(backend) for _ in range(4)))
        await backend.aclose()
    sizes = [len(body["prompt_embeds"]) for body in server.bodies]
    floats = server.prompts[0].numel() * 4
    assert max(sizes) < 4 / 3 * (floats + 4000)


async def test_the_reply_is_passed_on_with_its_counts(
    backend: tuple[VllmStubServer, VllmBackend],
) -> None:
    server, vllm = backend
    parts = await parts_of(vllm)
    length = len(server.prompts[0])
    assert parts == [ReplyPart("Var"), ReplyPart("de"), ReplyPart("", "stop", length, 3)]


async def test_separators_of_unicode_break_no_line(model: GraphLlama) -> None:
    texts = ("a\u2028b", "c\x85d", "e\u2029")
    with VllmStubServer("base", 32, reply=texts) as server:
        backend = VllmBackend(model, server.url, "base")
        parts = await parts_of(backend)
        await backend.aclose()
    assert tuple(part.text for part in parts) == (*texts, "")


async def test_the_app_serves_what_the_vllm_server_writes(
    backend: tuple[VllmStubServer, VllmBackend],
) -> None:
    _, vllm = backend
    transport = httpx.ASGITransport(create_app(vllm, ServerOptions("tiny")))
    body = {"model": "tiny", "messages": list(REQUEST.messages), "graph": GRAPH.to_json()}
    async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
        response = await client.post("/v1/chat/completions", json=body)
    assert response.json()["choices"][0]["message"]["content"] == "Varde"
    assert response.json()["usage"]["completion_tokens"] == 3


async def test_a_prompt_that_is_too_long_is_the_clients_fault(
    backend: tuple[VllmStubServer, VllmBackend],
) -> None:
    server, vllm = backend
    messages = ({"role": "user", "content": "?" * 2000},)
    with pytest.raises(InputError, match="tokens"):
        await parts_of(vllm, replace(REQUEST, messages=messages))
    assert (server.bodies, vllm.unfinished) == ([], 0)


async def test_a_model_of_another_size_is_refused_by_the_server(model: GraphLlama) -> None:
    with VllmStubServer("base", 64) as server:
        with pytest.raises(SettingsError, match="do not fit"):
            await try_vllm(model, server.url)


@pytest.mark.parametrize(
    ("server", "name", "message"),
    [
        (VllmStubServer("base", 32, enabled=False), None, "--enable-prompt-embeds"),
        (VllmStubServer("base", 32), "other", "`other` does not exist"),
        (VllmStubServer("base", 32, api_key="sesam"), "base", "401"),
        (VllmStubServer("base", 32, breaks_off=True), "base", "ended early"),
    ],
)
async def test_a_trial_tells_what_is_wrong_with_a_server(
    model: GraphLlama, server: VllmStubServer, name: str | None, message: str
) -> None:
    with server, pytest.raises(SettingsError, match=message):
        await try_vllm(model, server.url, name)


async def test_a_trial_finds_the_models_name(model: GraphLlama) -> None:
    with VllmStubServer("llama-2", 32, api_key="sesam") as server:
        assert await try_vllm(model, server.url, api_key="sesam") == "llama-2"


async def test_a_server_that_is_gone_is_unavailable(model: GraphLlama) -> None:
    with VllmStubServer("base", 32) as server:
        url = server.url
    backend = VllmBackend(model, url, "base")
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        await parts_of(backend)
    with pytest.raises(SettingsError):
        await try_vllm(model, url)
    await backend.aclose()


async def test_a_stream_that_breaks_off_is_no_reply(model: GraphLlama) -> None:
    with VllmStubServer("base", 32, breaks_off=True) as server:
        backend = VllmBackend(model, server.url, "base")
        with pytest.raises(ModelReplyError, match="ended early"):
            await parts_of(backend)
        await backend.aclose()


async def test_too_many_requests_are_refused(model: GraphLlama) -> None:
    with VllmStubServer("base", 32) as server:
        backend = VllmBackend(model, server.url, "base", most_unfinished=1)
        stream = backend.astream(REQUEST)
        await anext(stream)
        with pytest.raises(OverloadedError):
            await parts_of(backend)
        await stream.aclose()
        assert (backend.unfinished, backend.running) == (0, 0)
        await backend.aclose()


async def test_a_server_that_shuts_down_refuses_and_abandons(
    backend: tuple[VllmStubServer, VllmBackend],
) -> None:
    _, vllm = backend
    stream = vllm.astream(REQUEST)
    await anext(stream)
    vllm.abandon()
    with pytest.raises(ModelUnavailableError):
        await anext(stream)
    with pytest.raises(ModelUnavailableError):
        await parts_of(vllm)


def test_adapters_cannot_be_sent() -> None:
    with pytest.raises(SettingsError, match="low-rank"):
        VllmBackend(graph_llama(low_rank=2), "http://127.0.0.1:1/v1", "base")


@pytest.mark.parametrize("url", ["http://host:8000", "http://host:8000/", "http://host:8000/v1"])
def test_a_bare_address_is_completed(url: str) -> None:
    assert api_url(url) == "http://host:8000/v1"
