"""The FastAPI app, OpenAI endpoints, health and metrics, and the process that runs it."""

from __future__ import annotations

import asyncio
import hmac
import json
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import aclosing, asynccontextmanager
from http import HTTPStatus
from types import FrameType
from typing import Any, TypeVar

import torch
import uvicorn
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import ClientDisconnect

from hoptrail.models.graph_llm.generation import ReplyPart
from hoptrail.models.graph_llm.server.errors import (
    ApiError,
    add_error_handlers,
    error_body,
    log_failure,
)
from hoptrail.models.graph_llm.server.metrics import Backend, CountRequests, Metrics
from hoptrail.models.graph_llm.server.options import ServerOptions
from hoptrail.models.graph_llm.server.reading import (
    ChatCompletionRequest,
    read_body,
    read_chat_call,
    unknown_model,
)

T = TypeVar("T")

DONE = b"data: [DONE]\n\n"

_LAST_BYTES_SECONDS = 5  # to send what is written, after the replies are finished or abandoned


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


def create_app(backend: Backend, options: ServerOptions, metrics: Metrics | None = None) -> FastAPI:
    """Return the server's app; it closes the backend when it shuts down.

    Args:
        backend: Writes the replies.
        options: Limits, key and the model's name.
        metrics: Those that the backend reports to; by default new ones.
    """
    metrics = metrics or Metrics()
    metrics.watch(backend)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await backend.aclose()

    # The interactive pages would load scripts from elsewhere.
    app = FastAPI(title="Hoptrail graph LLM", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.add_middleware(CountRequests, metrics=metrics)
    add_error_handlers(app)
    app.include_router(_openai_routes(ChatCompletions(backend, options, metrics), options))
    app.include_router(_operator_routes(backend, metrics))
    return app


def _openai_routes(chat: ChatCompletions, options: ServerOptions) -> APIRouter:
    router = APIRouter(prefix="/v1", dependencies=[Depends(_KeyCheck(options.api_key))])
    served = {
        "id": options.model_name,
        "object": "model",
        "created": int(time.time()),
        "owned_by": "hoptrail",
    }
    schema = {"schema": ChatCompletionRequest.model_json_schema()}

    @router.post(
        "/chat/completions",
        openapi_extra={"requestBody": {"content": {"application/json": schema}}},
    )
    async def chat_completions(request: Request) -> Response:
        return await chat.answer(request)

    @router.get("/models")
    async def models() -> dict[str, Any]:
        return {"object": "list", "data": [served]}

    @router.get("/models/{name:path}")
    async def model(name: str) -> dict[str, Any]:
        if name != options.model_name:
            raise unknown_model(name, options)
        return served

    return router


def _operator_routes(backend: Backend, metrics: Metrics) -> APIRouter:
    router = APIRouter()

    @router.get("/health")
    async def health() -> dict[str, Any]:
        return {"status": "ok", "running": backend.running, "unfinished": backend.unfinished}

    @router.get("/ready")
    async def ready() -> Response:
        if backend.accepting:
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "shutting down"}, HTTPStatus.SERVICE_UNAVAILABLE)

    @router.get("/metrics")
    async def prometheus() -> Response:
        return Response(metrics.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    return router


class _KeyCheck:
    """Refuses requests without the key, before anything of them is read."""

    def __init__(self, key: str | None) -> None:
        self._expected = None if key is None else f"Bearer {key}".encode()

    def __call__(self, request: Request) -> None:
        if self._expected is None:
            return
        sent = request.headers.get("authorization", "").encode("latin-1")
        if not hmac.compare_digest(sent, self._expected):
            raise ApiError(
                HTTPStatus.UNAUTHORIZED,
                "the API key is missing or wrong",
                code="invalid_api_key",
                headers={"WWW-Authenticate": "Bearer"},
                hint="send it as a bearer token",
            )


class GracefulServer(uvicorn.Server):
    """Finishes the running replies after SIGTERM or SIGINT; new requests get 503 meanwhile.

    A second signal stops it at once.

    Args:
        app: The app.
        backend: Writes its replies.
        host: Address to listen on.
        port: Port.
        patience: Seconds that running replies get; then they are abandoned.
    """

    def __init__(
        self, app: FastAPI, backend: Backend, *, host: str, port: int, patience: float
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                host=host,
                port=port,
                log_level="warning",
                access_log=False,
                timeout_graceful_shutdown=_LAST_BYTES_SECONDS,
            )
        )
        self._backend = backend
        self._patience = patience
        self._deadline: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop taking requests; uvicorn would end the process by the same signal afterwards."""
        if self._deadline is not None:
            self.force_exit = self.should_exit = True
            self._backend.abandon()
            return
        self._deadline = time.monotonic() + self._patience
        self._backend.stop_accepting()

    async def on_tick(self, counter: int) -> bool:
        """Return whether the server ends, which it does when no reply is left unfinished."""
        if self._deadline is not None:
            if time.monotonic() > self._deadline:
                self._backend.abandon()
                return True
            if not self._backend.unfinished:
                return True
        return await super().on_tick(counter)


def share_processor() -> None:
    """Give the two threads that compute, for prompts and for tokens, half of the cores each.

    With all cores each, they wait for one another at every operation.
    """
    torch.set_num_threads(max(1, torch.get_num_threads() // 2))
