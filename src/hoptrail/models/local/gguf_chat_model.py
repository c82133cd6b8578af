"""The chat model of a GGUF file, as its server tells of it: what is read, and who is before one."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

import httpx
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from hoptrail.models.local.gguf_server import Endpoint
from hoptrail.models.streamed_reply import TOKENS_READ

_QUEUE = re.compile(r"^llamacpp:requests_(?:processing|deferred) (\d+)", re.MULTILINE)
_QUEUE_SECONDS = 2.0  # it is answered between two batches of a prompt


class GgufChatModel(ChatOpenAI):
    """A model of a GGUF file, behind llama.cpp's server, which tells how far it has read."""

    stream_chunk_timeout: float | None = None

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], *args: Any, **kwargs: Any
    ) -> ChatGenerationChunk | None:
        generation = super()._convert_chunk_to_generation_chunk(chunk, *args, **kwargs)
        told = chunk.get("prompt_progress")
        if generation is not None and told is not None:
            generation.message.response_metadata[TOKENS_READ] = told["processed"]
        return generation


def open_gguf(name: str, endpoint: Endpoint, client: httpx.AsyncClient) -> GgufChatModel:
    """Return the model of a file whose server runs.

    Args:
        name: The model's full name, `gguf:PATH`.
        endpoint: Where it listens.
        client: Pool of connections to use.
    """
    return GgufChatModel(
        model=PurePath(name).name,
        base_url=endpoint.base_url,
        api_key=SecretStr(endpoint.key),
        timeout=None,
        max_retries=0,
        http_async_client=client,
        stream_usage=True,
        # Models that can think aloud would spend a short reply on it.
        extra_body={"chat_template_kwargs": {"enable_thinking": False}, "return_progress": True},
    )


async def count_waiting(endpoint: Endpoint, client: httpx.AsyncClient) -> int:
    """Return how many prompts a server works on or has put off; one more comes after them.

    Zero where it does not tell at once.
    """
    address = f"{endpoint.base_url.removesuffix('/v1')}/metrics"
    key = {"Authorization": f"Bearer {endpoint.key}"}
    try:
        reply = await client.get(address, headers=key, timeout=_QUEUE_SECONDS)
    except httpx.HTTPError:
        return 0
    return sum(map(int, _QUEUE.findall(reply.text)))
