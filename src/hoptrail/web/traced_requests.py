"""Requests as spans: part of the caller's trace, and told to the caller."""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hoptrail.core.tracing.spans import context_of, is_within_span, request

_NAMES = ("traceparent", "tracestate")


class TracedRequests:
    """ASGI middleware: a span of each request, its context from `traceparent` where that is given.

    The response names the span in `traceresponse`. Neither paths nor queries stand in spans: they
    hold names of documents.

    Args:
        app: What stands behind it.
        route_of: Returns the pattern of a path, after the request.
        is_quiet: Whether a path is asked so often, and tells so little, that it makes no span.
    """

    def __init__(
        self,
        app: ASGIApp,
        route_of: Callable[[Scope], str],
        is_quiet: Callable[[Scope], bool],
    ) -> None:
        self._app = app
        self._route_of = route_of
        self._is_quiet = is_quiet

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        # Within an application that makes spans of its requests, ours would be a second one.
        if scope["type"] != "http" or is_within_span() or self._is_quiet(scope):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = {name: headers[name] for name in _NAMES if name in headers}
        told = {
            "http.request.method": scope["method"],
            "url.scheme": scope.get("scheme"),
            "openinference.span.kind": "CHAIN",
        }
        with request(scope["method"], told, caller=context_of(given)) as one:

            async def guarded(message: Message) -> None:
                if message["type"] == "http.response.start":
                    one.set({"http.response.status_code": message["status"]})
                    if message["status"] >= 500:
                        one.fail(str(message["status"]))
                    if one.trace_header is not None:
                        MutableHeaders(scope=message)["traceresponse"] = one.trace_header
                await send(message)

            try:
                await self._app(scope, receive, guarded)
            finally:
                if one.is_recorded:
                    route = self._route_of(scope)
                    one.set({"http.route": route})
                    one.rename(f"{scope['method']} {route}")
