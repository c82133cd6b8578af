"""The backends that write the replies of the server, and what Prometheus is told of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from http import HTTPStatus
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hoptrail.models.graph_llm.generation import GenerationRequest, ReplyPart

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
_PREFIX = "hoptrail_graph_llm_"


class Backend(Protocol):
    """A graph language model that answers many requests at once, as `GraphEngine` does."""

    @property
    def accepting(self) -> bool:
        """Whether new requests are taken."""
        ...

    @property
    def unfinished(self) -> int:
        """Requests that wait or run."""
        ...

    @property
    def running(self) -> int:
        """Those of them that are being written."""
        ...

    def astream(self, request: GenerationRequest) -> AsyncGenerator[ReplyPart]:
        """Yield the reply as it is written; closing the iterator ends the writing."""
        ...

    def stop_accepting(self) -> None:
        """Refuse new requests with ModelUnavailableError; the others go on."""

    def abandon(self) -> None:
        """Also end those that wait or run with ModelUnavailableError."""

    async def aclose(self) -> None:
        """Free what the backend holds."""


class Metrics:
    """The counters of one server, in a registry of their own.

    Attributes:
        registry: Holds them.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            f"{_PREFIX}requests", "Requests by status.", ["status"], registry=self.registry
        )
        self.prompt_tokens = self._counter("prompt_tokens", "Tokens of answered prompts.")
        self.completion_tokens = self._counter("completion_tokens", "Tokens of finished replies.")
        self.seconds = self._histogram("request_seconds", "Time to the end of a reply.", _SECONDS)
        self.first_seconds = self._histogram(
            "first_token_seconds", "Time to the first text of a reply.", _SECONDS
        )
        self.batch = self._histogram("batch_size", "Requests decoded in one step.", _SIZES)

    def watch(self, backend: Backend) -> None:
        """Report a backend's queue and batch."""
        queue = Gauge(f"{_PREFIX}queue_length", "Requests that wait.", registry=self.registry)
        queue.set_function(lambda: max(backend.unfinished - backend.running, 0))
        running = Gauge(f"{_PREFIX}running", "Requests being decoded.", registry=self.registry)
        running.set_function(lambda: backend.running)

    def text(self) -> bytes:
        """Return all figures in the Prometheus text form."""
        return generate_latest(self.registry)

    def _counter(self, name: str, meaning: str) -> Counter:
        return Counter(_PREFIX + name, meaning, registry=self.registry)

    def _histogram(self, name: str, meaning: str, buckets: tuple[float, ...]) -> Histogram:
        return Histogram(_PREFIX + name, meaning, buckets=buckets, registry=self.registry)


class CountRequests:
    """ASGI middleware that counts the `/v1` requests of an app by status."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and note the status of its response."""
        if scope["type"] != "http" or not scope["path"].startswith("/v1"):
            await self._app(scope, receive, send)
            return
        status = HTTPStatus.INTERNAL_SERVER_ERROR.value  # what is answered if the app raises

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            self._metrics.requests.labels(status=str(status)).inc()
