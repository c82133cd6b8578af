"""`POST /v1/chat/completions`."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from fastapi import Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.requests import ClientDisconnect

from hoptrail.models.graph_llm.generation import ReplyPart
from hoptrail.models.graph_llm.server.errors import error_body, log_failure
from hoptrail.models.graph_llm.server.metrics import Backend, Metrics
from hoptrail.models.graph_llm.server.options import ServerOptions
from hoptrail.models.graph_llm.server.reading import read_body, read_chat_call

T = TypeVar("T")

DONE = b"data: [DONE]\n\n"


class ChatCompletions:
    """Answers chat requests from a backend.

    Args:
        backend: Writes the replies.
        options: Limits and the model's name.
        metrics: Are told of each reply.
    """

    def __init__(self, backend: Backend, options: ServerOptions, metrics: Metrics) -> None:
        self._backend = backend
        self._options = options
        self._metrics = metrics

    async def answer(self, request: Request) -> Response:
        """Return the reply, or a stream of it.

        A stream begins with the reply's first part, so that all that can be wrong with a request
        has its HTTP status.
        """
        body = await read_body(request, self._options.body_bytes)
        call = await asyncio.to_thread(read_chat_call, body, self._options)
        form = CompletionForm(self._options.model_name, include_usage=call.include_usage)
        parts = self._timed(self._backend.astream(call.generation))
        if not call.stream:
            return JSONResponse(form.whole(await _while_connected(request, _all(parts))))
        first = await _while_connected(request, anext(parts))
        return StreamingResponse(
            _events(form, first, parts),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
        )

    async def _timed(self, parts: AsyncGenerator[ReplyPart]) -> AsyncGenerator[ReplyPart]:
        """Pass a reply on and note its times and token counts."""
        started = time.perf_counter()
        is_first = True
        async with aclosing(parts):
            async for part in parts:
                if is_first:
                    self._metrics.first_seconds.observe(time.perf_counter() - started)
                    is_first = False
                if part.finish_reason is not None:
                    self._metrics.seconds.observe(time.perf_counter() - started)
                    self._metrics.prompt_tokens.inc(part.prompt_tokens or 0)
                    self._metrics.completion_tokens.inc(part.completion_tokens or 0)
                yield part


async def _all(parts: AsyncIterator[ReplyPart]) -> list[ReplyPart]:
    return [part async for part in parts]


async def _events(
    form: CompletionForm, first: ReplyPart, rest: AsyncGenerator[ReplyPart]
) -> AsyncIterator[bytes]:
    """Yield a reply as server-sent events; a failure is the last of them."""
    yield form.beginning() + form.part(first)
    async with aclosing(rest):
        try:
            async for part in rest:
                yield form.part(part)
        except Exception as error:  # the status is sent already
            log_failure(error)
            yield event(error_body(error))
        else:
            yield DONE


async def _while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine, which is cancelled when the client goes away.

    Raises:
        ClientDisconnect: If it does.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class CompletionForm:
    """Writes the parts of one reply.

    Args:
        model: Name of the model.
        include_usage: Whether a stream ends with the token counts.
    """

    def __init__(self, model: str, *, include_usage: bool = False) -> None:
        self._include_usage = include_usage
        self._frame = {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "created": int(time.time()),
            "model": model,
        }

    def whole(self, parts: list[ReplyPart]) -> dict[str, Any]:
        """Return the object of a reply that is complete."""
        message = {"role": "assistant", "content": "".join(part.text for part in parts)}
        choice = {"index": 0, "message": message, "finish_reason": parts[-1].finish_reason}
        return {
            **self._frame,
            "object": "chat.completion",
            "choices": [{**choice, "logprobs": None}],
            "usage": usage_of(parts[-1]),
        }

    def beginning(self) -> bytes:
        """Return the first event."""
        return self._event({"role": "assistant", "content": ""})

    def part(self, part: ReplyPart) -> bytes:
        """Return the events of a part; the last part's end with the token counts."""
        events = self._event({"content": part.text}) if part.text else b""
        if part.finish_reason is not None:
            events += self._event({}, part.finish_reason)
            if self._include_usage:
                events += event({**self._chunk([]), "usage": usage_of(part)})
        return events

    def _event(self, delta: dict[str, str], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return event(self._chunk([choice]))

    def _chunk(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        usage = {"usage": None} if self._include_usage else {}
        return {**self._frame, "object": "chat.completion.chunk", "choices": choices, **usage}


def usage_of(part: ReplyPart) -> dict[str, int]:
    """Return the token counts of a reply's last part."""
    prompt, written = part.prompt_tokens or 0, part.completion_tokens or 0
    return {
        "prompt_tokens": prompt,
        "completion_tokens": written,
        "total_tokens": prompt + written,
    }


def event(value: dict[str, Any]) -> bytes:
    """Return a server-sent event that carries JSON."""
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()
