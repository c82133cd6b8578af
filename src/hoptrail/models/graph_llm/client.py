"""Requests of a chat model to a graph language model: one of a server, or one of this process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from hoptrail.core.errors import ModelReplyError
from hoptrail.core.optional import require
from hoptrail.core.types import JsonDict
from hoptrail.models.graph_llm.generation import GenerationRequest, ReplyPart, SamplingOptions
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.loop_resources import loop_resources

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk

    from hoptrail.models.graph_llm.engine import GraphEngine

_NO_KEY = "none"
MOST_TOKENS = 512
"""Longest reply to a request that sets no limit."""
_load_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call.

    Attributes:
        messages: In the OpenAI form, `role` and `content`, texts only.
        graph: Subgraph for the question in the last user message; without one the messages are
            for the plain base model.
        options: `max_tokens`, `temperature`, `top_p`, `seed` and `stop` where they are set.
        timeout: Seconds to wait for what comes next.
    """

    messages: tuple[dict[str, str], ...]
    graph: GraphInput | None
    options: JsonDict
    timeout: float


class GraphLlmClient(Protocol):
    """Passes requests to a graph language model; safe to share between threads and event loops."""

    def prepare(self) -> None:
        """Do now what the first request would wait for."""

    def astream(self, request: ChatRequest) -> AsyncIterator[ReplyPart]:
        """Yield the reply as it is written; closing the iterator ends the writing."""
        ...


class ServedGraphLlm:
    """A model behind `hoptrail serve-llm`, by the OpenAI chat protocol.

    Nothing is opened or sent before the first request.

    Args:
        url: Address of the server; a bare one is completed by `/v1`.
        api_key: The server's key, if it asks for one.
        served_name: The model's name there; by default the first that the server lists.
        max_retries: Tries after a transient failure.
    """

    def __init__(
        self, url: str, api_key: str | None, served_name: str | None, max_retries: int
    ) -> None:
        self._options: JsonDict = {
            "base_url": url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/v1",
            "api_key": api_key or _NO_KEY,
            "max_retries": max_retries,
        }
        self._served_name = served_name
        self._listed_name: str | None = None

    def prepare(self) -> None:
        """Import what speaks to the server; nothing is sent."""
        import_module("openai")

    async def astream(self, request: ChatRequest) -> AsyncIterator[ReplyPart]:
        """Yield the reply; see `GraphLlmClient.astream`."""
        async with await self._create(request) as chunks:
            async for chunk in chunks:
                yield _part(chunk)

    async def _create(self, request: ChatRequest) -> AsyncStream[ChatCompletionChunk]:
        """Send a request; the listed name is looked up again where the server serves another."""
        client = await self._client()
        from openai import NotFoundError

        if name := self._served_name or self._listed_name:
            try:
                return await _sent(client, request, name)
            except NotFoundError:
                if name == self._served_name:
                    raise
        listed = await client.models.list(timeout=request.timeout)
        self._listed_name = _first_name([model.id for model in listed.data])
        return await _sent(client, request, self._listed_name)

    async def _client(self) -> AsyncOpenAI:
        # A pooled connection must not outlive its event loop, so the loop's own pool is used.
        connections = (await loop_resources()).client
        # The library imports its parts when they are first used, which would block the loop.
        return await asyncio.to_thread(self._connect, connections)

    def _connect(self, connections: Any) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        client = AsyncOpenAI(**self._options, http_client=connections)
        _ = client.models, client.chat.completions
        return client


def _first_name(names: list[str]) -> str:
    if not names:
        raise ModelReplyError("the server lists no model", hint="is it a hoptrail serve-llm?")
    return names[0]


async def _sent(
    client: AsyncOpenAI, request: ChatRequest, name: str
) -> AsyncStream[ChatCompletionChunk]:
    chunks: AsyncStream[ChatCompletionChunk] = await client.chat.completions.create(
        **_body(request, name)
    )
    return chunks


def _body(request: ChatRequest, name: str) -> dict[str, Any]:
    graph = {} if request.graph is None else {"extra_body": {"graph": request.graph.to_json()}}
    return {
        "model": name,
        "messages": list(request.messages),
        "stream": True,
        "stream_options": {"include_usage": True},
        "timeout": request.timeout,
        **request.options,
        **graph,
    }


def _part(chunk: ChatCompletionChunk) -> ReplyPart:
    choice = chunk.choices[0] if chunk.choices else None
    usage = chunk.usage
    return ReplyPart(
        text=(choice.delta.content or "") if choice else "",
        finish_reason=choice.finish_reason if choice else None,
        prompt_tokens=usage.prompt_tokens if usage else None,
        completion_tokens=usage.completion_tokens if usage else None,
    )


class LocalGraphLlm:
    """A checkpoint that this process loads on the first request and then shares.

    Requests that come while others are answered join them in one batch.

    Args:
        folder: Of the checkpoint.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder).expanduser().resolve()

    def prepare(self) -> None:
        """Load the checkpoint.

        Raises:
            CheckpointError: If there is none, or it cannot be used.
            MissingExtraError: If the extra `graph-llm` is not installed.
        """
        self._engine()

    async def astream(self, request: ChatRequest) -> AsyncIterator[ReplyPart]:
        """Yield the reply; see `GraphLlmClient.astream`."""
        engine = await asyncio.to_thread(self._engine)
        async with aclosing(
            engine.astream(_as_generation(request), timeout=request.timeout)
        ) as parts:
            async for part in parts:
                yield part

    def _engine(self) -> GraphEngine:
        with _load_lock:
            return _load_engine(self._folder)


@cache
def _load_engine(folder: Path) -> GraphEngine:
    require("torch_geometric", extra="graph-llm", purpose="the graph LLM in this process")
    import torch

    from hoptrail.models.graph_llm.checkpoint import load_checkpoint
    from hoptrail.models.graph_llm.engine import GraphEngine

    device = "cuda" if torch.cuda.is_available() else "cpu"
    return GraphEngine(load_checkpoint(folder, device=device))


def _as_generation(request: ChatRequest) -> GenerationRequest:
    given: dict[str, Any] = dict(request.options)
    stop = tuple(given.pop("stop", ()))
    options = SamplingOptions(max_new_tokens=given.pop("max_tokens", MOST_TOKENS), **given)
    return GenerationRequest(request.messages, request.graph, options, stop)
