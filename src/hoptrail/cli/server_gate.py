"""The gate before the LangGraph server.

A browser lets any page send requests to this machine, and the server by itself allows every
origin, checks no Host header, takes JSON under any content type and offers much that Hoptrail does
not need.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hoptrail.cli.gate_rules import LARGEST_BODY, GateRules
from hoptrail.cli.run_request import check_run
from hoptrail.cli.server_stop import ServerStop
from hoptrail.core.errors import HoptrailError
from hoptrail.graphs.context import Context
from hoptrail.web.http_gate import HttpGate
from hoptrail.web.origin_rules import Refusal

_RUN = re.compile(r"(?:/threads/[^/]+)?/runs(?:/(?:stream|wait|batch))?|/threads/[^/]+/commands")
_ANSWERING = re.compile(
    r"(?:/threads/[^/]+)?/runs/(?:stream|wait)|/threads/[^/]+/runs/[^/]+/(?:stream|join)"
    r"|/threads/[^/]+/stream/events"
)

_log = logging.getLogger(__name__)


class ServerGate(HttpGate):
    """ASGI middleware: refuses in one line, or hands on.

    Args:
        app: The server.
        rules: Which requests pass.
        stop: Is told which answers are being written.
        defaults: What holds for context fields that a request leaves unset.
    """

    def __init__(
        self, app: ASGIApp, rules: GateRules, stop: ServerStop, defaults: Context | None = None
    ) -> None:
        super().__init__(app)
        self._defaults = defaults
        self._rules = rules
        self._stop = stop

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        method, path = scope["method"], scope["path"]
        try:
            self._rules.check(method, path, Headers(scope=scope))
            if method == "POST" and _RUN.fullmatch(path):
                if self._stop.is_stopping:
                    raise Refusal(503, "the server is stopping")
                body = await _read_body(receive)
                await asyncio.to_thread(_check_runs, body, self._defaults)
                receive = _replay(body, receive)
        except Refusal as refusal:
            _log.warning("refused a request: %s", refusal.reason)
            answer = JSONResponse({"detail": refusal.reason}, status_code=refusal.status)
            await answer(scope, receive, send)
            return
        if not _ANSWERING.fullmatch(path):
            await self._app(scope, receive, send)
            return
        with self._stop.answering():
            await self._app(scope, receive, send)


async def _read_body(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            raise Refusal(413, f"the request is larger than {LARGEST_BODY:,} bytes")
        if not message.get("more_body", False):
            return bytes(body)


def _check_runs(body: bytes, defaults: Context | None) -> None:
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refusal(422, "the request is no JSON") from error
    for one in request if isinstance(request, list) else [request]:
        is_command = isinstance(one, dict) and "assistant_id" not in one and "params" in one
        try:
            check_run(one["params"] if is_command else one, defaults)
        except HoptrailError as error:
            raise Refusal(422, str(error)) from error


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what the server receives from: first the body that was read, then what follows."""
    unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return unread.pop() if unread else await receive()

    return replayed
