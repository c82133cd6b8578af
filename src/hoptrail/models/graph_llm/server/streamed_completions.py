"""Requests to another server that continues prompts, and its streamed replies.

Both vLLM and llama.cpp speak the `/v1/completions` of OpenAI.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from http import HTTPStatus
from typing import Any

import httpx

from hoptrail.core.errors import (
    HoptrailError,
    InputError,
    ModelReplyError,
    ModelUnavailableError,
    OverloadedError,
)
from hoptrail.core.types import JsonDict
from hoptrail.models.graph_llm.generation import GenerationRequest, ReplyPart

_DATA = "data:"
_FINISHED = ("stop", "length")


def completion_options(request: GenerationRequest) -> JsonDict:
    """Return how a prompt is to be continued, as fields of a streamed completions request."""
    options = request.options
    fields: JsonDict = {
        "max_tokens": options.max_new_tokens,
        "temperature": 0.0 if options.is_greedy else options.temperature,
        "top_p": options.top_p,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if options.seed is not None:
        fields["seed"] = options.seed
    if request.stop:
        fields["stop"] = list(request.stop)
    return fields


async def read_parts(
    server: str, response: httpx.Response, prompt_tokens: int
) -> AsyncGenerator[ReplyPart]:
    """Yield the parts of a streamed completion.

    Args:
        server: What errors call the other server.
        response: Of `/v1/completions`, not read yet.
        prompt_tokens: Length of the prompt that was sent.

    Raises:
        ModelReplyError: If the stream reports an error or ends early.
    """
    reason: str | None = None
    written = 0
    async for line in _lines(response):
        data = line.removeprefix(_DATA).strip()
        if not line.startswith(_DATA) or data == "[DONE]":
            continue
        chunk = _chunk(server, data)
        for choice in chunk.get("choices") or ():
            reason = choice.get("finish_reason") or reason
            if text := choice.get("text"):
                yield ReplyPart(text)
        written = (chunk.get("usage") or {}).get("completion_tokens", written)
    if reason not in _FINISHED:
        raise ModelReplyError(f"{server}'s reply ended early (finish reason {reason})")
    yield ReplyPart("", reason, prompt_tokens, written)


async def _lines(response: httpx.Response) -> AsyncGenerator[str]:
    """Yield the lines; JSON may hold separators of Unicode that httpx would break them at."""
    rest = b""
    async for content in response.aiter_bytes():
        *lines, rest = (rest + content).split(b"\n")
        for line in lines:
            yield line.decode(errors="replace").rstrip("\r")
    yield rest.decode(errors="replace")


def failure_of_response(server: str, status: int, content: bytes) -> HoptrailError:
    """Return the error that a status other than 200 means to who asked."""
    message = f"{server} answers {status}: {_message(content)}"
    if status in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY):
        return InputError(message)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return OverloadedError(message)
    return ModelUnavailableError(message)


def _chunk(server: str, data: str) -> dict[str, Any]:
    try:
        chunk = json.loads(data)
    except ValueError as error:
        raise ModelReplyError(f"{server}'s reply is not JSON") from error
    if not isinstance(chunk, dict) or "error" in chunk:
        raise ModelReplyError(f"{server} broke down: {_message(data.encode())}")
    return chunk


def _message(content: bytes) -> str:
    """Return what an error body says, in OpenAI's form or in the older one of vLLM."""
    try:
        body = json.loads(content)
        return str(body.get("error", body)["message"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return content[:200].decode(errors="replace")
