"""The FastAPI app, OpenAI endpoints, health and metrics, and the process that runs it."""

from __future__ import annotations

import hmac
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from types import FrameType
from typing import Any

import torch
import uvicorn
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from hoptrail.models.graph_llm.server.chat import ChatCompletions
from hoptrail.models.graph_llm.server.errors import ApiError, add_error_handlers
from hoptrail.models.graph_llm.server.metrics import Backend, CountRequests, Metrics
from hoptrail.models.graph_llm.server.options import ServerOptions
from hoptrail.models.graph_llm.server.reading import ChatCompletionRequest, unknown_model

_LAST_BYTES_SECONDS = 5  # to send what is written, after the replies are finished or abandoned


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


def serve(app: FastAPI, backend: Backend, *, host: str, port: int, patience: float) -> None:
    """Serve until SIGTERM or SIGINT; see `GracefulServer`."""
    GracefulServer(app, backend, host=host, port=port, patience=patience).run()
